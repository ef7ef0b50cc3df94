"""The paper's panels: their settings, solving them, and checking the solvers."""

"""The paper's panels: their settings, how they are run and how they are drawn."""

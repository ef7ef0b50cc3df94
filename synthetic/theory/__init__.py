"""The paper's theorems as functions, and its claims with measured verdicts."""

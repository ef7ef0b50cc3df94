"""The questions that a model is asked."""

"""The questions that are put to a model."""

"""A run's answers, to be read."""

"""Counts of a run's answers as they arrive, and the warnings that follow from them."""

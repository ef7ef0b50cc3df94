"""Comparisons of runs on the same questions: paired differences, and the data needed to decide them."""

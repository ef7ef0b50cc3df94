"""Answers and curve points that have not been measured yet, drawn from a forecast."""

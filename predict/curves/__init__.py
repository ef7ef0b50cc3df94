"""Predictors that look at curve points alone, and where their intervals come from."""

"""Predictors that look at the answers to each question."""

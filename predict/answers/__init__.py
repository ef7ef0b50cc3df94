"""Predictors that use the answers to each question."""

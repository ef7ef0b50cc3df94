"""Predictors that use only the points of curves, and how their intervals are made."""

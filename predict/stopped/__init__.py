"""Forecasts of longer answers from answers that were stopped at a cap: survival with right-censoring."""

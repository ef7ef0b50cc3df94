"""Forecasts along T: accuracy at reasoning lengths without answers."""

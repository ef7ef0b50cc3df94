"""Fits, forecasts, backtests and plans; reads tables, knows nothing of how they were made."""

import results  # noqa: F401  # first: it sees to Ctrl-C during the other imports
from predict.curves.low_cost_to_high import low_cost_to_high
from predict.forecast import forecast
from predict.groups import Group, groups_of_curves, groups_of_samples, read_groups
from predict.predictors import PREDICTORS
from predict.protocol import Observed, Options, Points, Pool, Prediction, Status
from predict.split import Request

__all__ = [
    "PREDICTORS",
    "Group",
    "Observed",
    "Options",
    "Points",
    "Pool",
    "Prediction",
    "Request",
    "Status",
    "forecast",
    "groups_of_curves",
    "groups_of_samples",
    "low_cost_to_high",
    "read_groups",
]

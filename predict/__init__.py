"""Fits, forecasts, backtests and plans, from tables alone, however these were made."""

from typing import TYPE_CHECKING

from results.commandline import public_names

if TYPE_CHECKING:
    from predict.library import *  # noqa: F403
else:
    __getattr__, __dir__ = public_names("predict.library")

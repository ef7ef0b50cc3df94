"""The tables everyone reads and writes, their aggregation, plots and report."""

from results.commandline import BadInput, run
from results.tables import (
    kind_of,
    read_curves,
    read_forecast,
    read_samples,
    write_curves,
    write_forecast,
    write_samples,
)
from results.trend import FitStatus, Saturating, fit_saturating

__all__ = [
    "BadInput",
    "FitStatus",
    "Saturating",
    "fit_saturating",
    "kind_of",
    "read_curves",
    "read_forecast",
    "read_samples",
    "run",
    "write_curves",
    "write_forecast",
    "write_samples",
]

"""How far forecasts were from what was then measured, predictor by predictor.

predictor  mean  largest  inside  bounded  told  asked
mixture    0.62  1.4      6       6        6     6
plug-in    0.41  0.5      2       2        2     6      not ranked: it forecast some points only
"""

from collections.abc import Sequence
from operator import itemgetter

import pandas as pd

from results.figures.forecast import Forecast
from results.figures.words import listed, settings_title, show, some_of
from results.report.tables import INTERVALS, MOST_ROWS, Columns, Table, evenly, tabled
from results.tables.status import SHORT

TWIN = "twin"
"""The predictor's name of `synthetic match`: the theory's twin fitted to a language model."""

_POINT = ["curves", "split", "dataset", "model", "method", "setting", "N"]


def scores(rows: pd.DataFrame) -> pd.DataFrame:
    """The errors of each predictor in percentage points, best first; those that left out a point come last.

    `rows` are forecasts of a forecast or backtest table. One row a predictor: mean and largest absolute
    error, how many forecasts had an interval (`bounded`) and the truth in it (`inside`), how many of the
    `asked` measured points it forecast (`told`).
    """
    points = [name for name in _POINT if name in rows]
    measured = rows.dropna(subset=["accuracy"])
    error = 100 * (measured["predicted"] - measured["accuracy"]).abs()
    bounded = measured[["predicted", "low", "high"]].notna().all(axis=1)
    inside = measured["accuracy"].between(measured["low"], measured["high"]) & bounded
    told = measured["predicted"].notna()
    by = measured.assign(error=error, bounded=bounded, inside=inside, told=told).groupby("predictor")
    table = by.agg(mean=("error", "mean"), largest=("error", "max"), told=("told", "sum"))
    table = table.join(by[["inside", "bounded"]].sum())
    table = table.reindex(sorted(rows["predictor"].unique())).fillna({"told": 0, "inside": 0, "bounded": 0})
    table["asked"] = len(measured[points].drop_duplicates())
    ranked = table["mean"].where(complete(table))
    return table.iloc[ranked.reset_index(drop=True).sort_values(na_position="last", kind="stable").index]


def complete(table: pd.DataFrame) -> "pd.Series[bool]":
    """Which predictors of a score table forecast every point: only they can be compared."""
    return (table["told"] == table["asked"]) & (table["asked"] > 0)


def targets(forecasts: Sequence[Forecast]) -> pd.DataFrame:
    """The rows of several forecasts that their fits did not see."""
    return pd.concat(
        forecast.targets.assign(predictor=forecast.predictor, curves=forecast.name) for forecast in forecasts
    )


def error_table(forecasts: Sequence[Forecast]) -> Table:
    """Errors on the points that the fits of the same curves did not see, best predictor first."""
    note = (
        "Error: distance of the forecast from the measured accuracy in percentage points, over the points "
        "that the fit did not see. Predictors that forecast only some of them come last, unranked."
    )
    return score_table("Error by predictor", scores(targets(forecasts)), note)


def forecast_table(forecast: Forecast) -> Table:
    """What was forecast, with the intervals for these questions and for new ones, and what was measured."""
    shown = evenly(forecast.targets, MOST_ROWS)
    columns: Columns = {
        settings_title(forecast.source, list(shown["setting"])): itemgetter("setting"),
        "N": lambda row: str(row["N"]),
        "forecast": lambda row: "–" if pd.isna(row["predicted"]) else show(row["predicted"]),
        **INTERVALS,
        "measured": lambda row: "–" if pd.isna(row["accuracy"]) else show(row["accuracy"]),
        "status": lambda row: SHORT.get(row["status"], row["status"]),
    }
    some = some_of(len(shown), len(forecast.targets), "forecasts")
    return tabled(f"Forecast by {forecast.predictor}", shown, columns, "".join(some))


def score_table(title: str, table: pd.DataFrame, note: str) -> Table:
    """A score table in words."""
    body = []
    for name, row in table.iterrows():
        errors = [f"{row['mean']:.2f}", f"{row['largest']:.1f}"] if row["told"] else ["–", "–"]
        covered = f"{row['inside']:.0f} of {row['bounded']:.0f}" if row["bounded"] else "no interval"
        body.append(
            [str(name), *errors, covered if row["told"] else "–", f"{row['told']:.0f} of {row['asked']:.0f}"]
        )
    head = ["predictor", "mean error", "largest", "in 90 % interval", "points"]
    return Table(title, head, body, note)


def closest(forecasts: Sequence[Forecast]) -> str:
    """Which predictors have the least error over all points; "" if none forecast them all."""
    if not forecasts:
        return ""
    table = scores(targets(forecasts))
    table = table[complete(table)].round({"mean": 1})
    if table.empty:
        return ""
    best = table[table["mean"] == table["mean"].min()]
    names = listed(sorted(map(str, best.index)))
    tied = ", tied," if len(best) > 1 else ""
    return (
        f"Closest over all {best['asked'].iloc[0]} measured points: {names}{tied} "
        f"{best['mean'].iloc[0]:.1f} points off on average."
    )


def matched_twin(forecasts: Sequence[Forecast]) -> str:
    """How well twins matched to language models predict what they were not fitted to; "" without any."""
    told = []
    for forecast in forecasts:
        if forecast.predictor != TWIN:
            continue
        row = scores(targets([forecast])).iloc[0]
        if row["told"]:
            told.append(
                f"{forecast.name}: {row['mean']:.1f} points off on average, {row['largest']:.1f} at most, "
                f"{row['inside']:.0f} of {row['bounded']:.0f} in its 90 % interval"
            )
    start = "Fitted to a model at its smallest N, the twin predicts the others."
    return f"{start} {'; '.join(told)}." if told else ""

"""How far forecasts were from what was then measured, predictor by predictor.

predictor  mean error  largest  in 90 % interval  points
mixture    0.62        1.4      6 of 6            6 of 6
plug-in    0.41        0.5      2 of 2            2 of 6      not ranked: it forecast some points only
"""

from dataclasses import dataclass

import pandas as pd

from results.figures.forecast import Forecast
from results.figures.words import setting_name, show
from results.report.tables import Table
from results.tables.status import MEANINGS

_POINT = ["setting", "N"]


@dataclass(frozen=True)
class Score:
    """One predictor's errors on the `asked` measured points of its curves; `told` are those it forecast."""

    forecast: Forecast
    told: pd.DataFrame
    asked: int

    @property
    def errors(self) -> "pd.Series[float]":
        """Distance of each forecast from its measured accuracy."""
        return (self.told["predicted"] - self.told["accuracy"]).abs().astype("float64")

    @property
    def complete(self) -> bool:
        """Whether it forecast every point: only then can it be compared with others."""
        return len(self.told) == self.asked > 0

    @property
    def rank(self) -> tuple[bool, float, str]:
        """Sorts complete predictors by their mean error, and the others behind them by name."""
        name = self.forecast.predictor
        return (False, float(self.errors.mean()), name) if self.complete else (True, 0.0, name)


def scores(forecasts: list[Forecast]) -> list[Score]:
    """The scores of forecasts of the same curves, best first; incomplete ones last."""
    measured = [forecast.targets.dropna(subset=["accuracy"]) for forecast in forecasts]
    asked = len(pd.concat([rows[_POINT] for rows in measured]).drop_duplicates()) if measured else 0
    judged = [
        Score(forecast, rows.dropna(subset=["predicted"]), asked)
        for forecast, rows in zip(forecasts, measured, strict=True)
    ]
    return sorted(judged, key=lambda score: score.rank)


def error_table(judged: list[Score]) -> Table:
    """Errors on the points that the fits did not see, best predictor first."""
    note = (
        "Error: distance of the forecast from the measured accuracy in percentage points, over the points "
        "that the fit did not see. Predictors that forecast only some of them come last, unranked."
    )
    remarks = []
    for score in judged:
        sentences = status_sentences(score.forecast)
        if sentences:
            remarks.append(f"{score.forecast.predictor}: {sentences}.")
    head = ["predictor", "mean error", "largest", "in 90 % interval", "points"]
    return Table("Error by predictor", head, [_row(score) for score in judged], note, tuple(remarks))


def _row(score: Score) -> list[str]:
    count = f"{len(score.told)} of {score.asked}"
    if score.told.empty:
        return [score.forecast.predictor, "–", "–", "–", count]
    bounded = score.told.dropna(subset=["low", "high"])
    inside = bounded["accuracy"].between(bounded["low"], bounded["high"]).sum()
    covered = f"{inside} of {len(bounded)}" if len(bounded) else "no interval"
    errors = 100 * score.errors
    return [score.forecast.predictor, f"{errors.mean():.2f}", f"{errors.max():.1f}", covered, count]


def overview_table(groups: dict[str, list[Score]]) -> Table:
    """Mean error of each predictor (columns) on each of several sets of curves (rows)."""
    predictors = sorted({score.forecast.predictor for judged in groups.values() for score in judged})
    body = []
    for name, judged in groups.items():
        errors = {
            score.forecast.predictor: f"{100 * score.errors.mean():.2f}" for score in judged if score.complete
        }
        body.append([name, *(errors.get(predictor, "–") for predictor in predictors)])
    note = "In percentage points, on points the fit did not see. –: it did not forecast all of them."
    return Table("Mean error of every forecast", ["forecast of", *predictors], body, note)


def closest(groups: dict[str, list[Score]]) -> str:
    """Which predictor has the least error over all points of all groups; "" if none forecast them all."""
    asked = sum(judged[0].asked for judged in groups.values())
    totals: dict[str, list[float]] = {}
    for judged in groups.values():
        for score in judged:
            totals.setdefault(score.forecast.predictor, []).extend(score.errors)
    means = {name: sum(errors) / asked for name, errors in totals.items() if asked and len(errors) == asked}
    if not means:
        return ""
    best = min(means, key=lambda name: means[name])
    return f"Closest over all {asked} measured points: {best}, {100 * means[best]:.1f} points off on average."


def status_sentences(forecast: Forecast) -> str:
    """Every status but "ok" among the forecast points, in words, with the numbers outside [0, 1]."""
    asked = forecast.targets
    sentences = []
    for status, part in asked[asked["status"] != "ok"].groupby("status", sort=False):
        words = MEANINGS.get(str(status), str(status))
        sentences.append(f"{len(part)} of {len(asked)} points: {words}{_numbers(part, forecast.source)}")
    return "; ".join(sentences)


def _numbers(rows: pd.DataFrame, source: str) -> str:
    outside = rows[(rows["predicted"] < 0) | (rows["predicted"] > 1)]
    if outside.empty:
        return ""
    told = [
        f"{show(row['predicted'])} for N = {row['N']}, {setting_name(source, str(row['setting']))}"
        for _, row in outside.head(3).iterrows()
    ]
    more = f", and {len(outside) - 3} more" if len(outside) > 3 else ""
    return f" ({'; '.join(told)}{more})"

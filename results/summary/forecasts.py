"""Forecasts as records, with measurements of the same curves, and their errors.

Forecast(key=Key("llm", "gsm8k", "Llama-3.1-8B", method="majority"), predictor="joint", rows=…, …)
  setting  length  N   role      accuracy  predicted  low   high  status
  500      140.2   64  held_out  0.812     0.831      0.80  0.86  ok

scores(rows)
  predictor  mean  largest  score  inside  bounded  told  asked
  default    0.62  1.4      4.1    6       6        6     6
  plug-in    0.41  0.5      2.0    2       2        2     6      not ranked: it forecast only some points
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from results.normal import FORECAST_LEVEL, LEVEL, held, interval_score
from results.paired.differences import fewest_questions
from results.summary.panels import Panel, unique_slug
from results.tables.key import PANEL, Key, groups
from results.tables.status import Status
from results.votes.tokens import answer_lengths

MORE_ANSWERS = "more answers"
LONGER = "longer"
LONGER_AND_MORE = "longer and more"

ENDS = ["low", "high", "new_low", "new_high"]
_COLUMNS = ["setting", "length", "N", "role", "estimator", "accuracy", "predicted", *ENDS, "status", "level"]
_POINT = ["curves", "table", "split", "dataset", "model", "method", "setting", "N"]


@dataclass(frozen=True)
class Forecast:
    """The forecasts of one predictor for one model on one data set.

    `file` is the table's name if several tables have forecasts of the same curves, else "". `beside` holds
    further measured points of the same curves, which are not in `rows`.
    """

    key: Key
    predictor: str
    file: str
    rows: pd.DataFrame
    beside: pd.DataFrame
    slug: str

    @property
    def targets(self) -> pd.DataFrame:
        """The rows that the predictor did not see."""
        return self.rows[self.rows["role"] != "used"]

    @property
    def question(self) -> str:
        """The question asked; see `question_of`."""
        return question_of(self.rows)

    @property
    def over_length(self) -> bool:
        """Whether it forecasts settings that the fit did not see, so that the axis should be length."""
        return self.question != MORE_ANSWERS

    @property
    def has_points(self) -> bool:
        """Whether there is anything to draw: a forecast or measured point."""
        known = self.rows[["accuracy", "predicted"]].notna()
        return bool(known.any(axis=None)) or not self.beside.empty

    @property
    def task(self) -> tuple[Key, str, str]:
        """The task, which rival predictors share: curves, file and question."""
        return self.key, self.file, self.question


def question_of(rows: pd.DataFrame) -> str:
    """The question a forecast answers: more answers, longer ones, or both at once.

    For "longer", every N was measured at the lengths seen, as the paper's Algorithm 3 requires. A table need
    not have fitted points: without them, no setting counts as new.
    """
    used = rows[rows["role"] == "used"]
    targets = rows[rows["role"] != "used"]
    new = set(targets["setting"]) - set(used["setting"])
    if used.empty or not new or rows["length"].isna().any():
        return MORE_ANSWERS
    return LONGER if targets["N"].max() <= used["N"].max() else LONGER_AND_MORE


def make_forecasts(tables: Mapping[str, pd.DataFrame], panels: Sequence[Panel] = ()) -> list[Forecast]:
    """The forecasts of several tables, given by file name, which distinguishes those of the same curves.

    `panels`: the measured curves.
    """
    measured = {panel.key: panel.exact for panel in panels if panel.metric == "accuracy"}
    parts = []
    for file, table in tables.items():
        for key, own in groups(table.assign(length=answer_lengths(table)), PANEL):
            for predictor, rows in own.groupby("predictor", sort=False):
                parts.append(((key, str(predictor), question_of(rows)), file, rows))
    files = Counter(task for task, _, _ in parts)
    forecasts: list[Forecast] = []
    for task, file, rows in parts:
        key, predictor, question = task
        label = file if files[task] > 1 else ""
        which = "" if question == MORE_ANSWERS else question
        names = ["forecast", *key.names[1:], predictor, which, label]
        slug = unique_slug(names, [forecast.slug for forecast in forecasts])
        rows = rows.reindex(columns=_COLUMNS).fillna({"level": FORECAST_LEVEL})
        beside = _beside(rows, measured.get(key))
        forecasts.append(Forecast(key, predictor, label, rows, beside, slug))
    return forecasts


def _beside(rows: pd.DataFrame, measured: pd.DataFrame | None) -> pd.DataFrame:
    """The points `measured` at a forecast's settings, but at N that it has no row for."""
    if measured is None:
        return pd.DataFrame(columns=["setting", "length", "N", "accuracy"])
    forecast = pd.MultiIndex.from_frame(rows[["setting", "N"]].astype({"N": "int64"}))
    points = measured[measured["setting"].isin(rows["setting"])]
    new = ~pd.MultiIndex.from_frame(points[["setting", "N"]]).isin(forecast)
    points = points[new].rename(columns={"value": "accuracy"})
    return points[["setting", "length", "N", "accuracy"]]


def targets(forecasts: Sequence[Forecast]) -> pd.DataFrame:
    """The rows of several forecasts that the fits did not see."""
    tables = []
    for forecast in forecasts:
        curves = f"{forecast.key} {forecast.file}"
        tables.append(forecast.targets.assign(predictor=forecast.predictor, curves=curves))
    return pd.concat(tables)


def scores(rows: pd.DataFrame) -> pd.DataFrame:
    """The errors of each predictor in percentage points, best first; those that left out a point come last.

    Best is the smallest interval score, which penalises wide intervals as well as missed truths or, if a
    predictor gives no intervals, the smallest mean error. `rows` are from a forecast or backtest table. One
    row per predictor: mean and largest absolute error, the bias (forecast − truth), the error against answers
    not seen (`unseen`, NaN if the table has none), the width of intervals and their mean score; how many
    forecasts had an interval (`bounded`) that contained the truth (`inside`), how many of the `asked` points
    it forecast (`told`), how many forecasts are `ok` and the mean error of these; `ranked`: the value that
    ranks it, NaN unless it forecast all points.
    """
    point = [name for name in _POINT if name in rows]
    places = len(rows.dropna(subset=["accuracy"])[point].drop_duplicates())
    by = _errors(rows).groupby("predictor")
    means = by[["error", "bias", "unseen", "width", "score", "error_of_ok"]].mean()
    table = means.rename(columns={"error": "mean"}).assign(largest=by["error"].max(), asked=places)
    table = table.join(by[["told", "bounded", "inside", "ok"]].sum())
    whole = (table["told"] == table["asked"]) & (table["asked"] > 0)
    best = "score" if (table["bounded"] == table["asked"])[whole].all() else "mean"
    table = table.assign(ranked=table[best].where(whole))
    return table.sort_values(["ranked", "mean"], kind="stable")


def _errors(rows: pd.DataFrame) -> pd.DataFrame:
    """The forecasts with the errors that `scores` averages, in percentage points."""
    known = rows[["accuracy", "predicted"]].notna().all(axis=1)
    bounded = known & rows[["low", "high"]].notna().all(axis=1)
    off = 100 * (rows["predicted"] - rows["accuracy"])
    trusted = rows.get("status", pd.Series("", index=rows.index)).eq(Status.OK)
    return rows.assign(
        error=off.abs(),
        bias=off,
        unseen=100 * (rows["predicted"] - rows.get("unseen", float("nan"))).abs(),
        width=100 * (rows["high"] - rows["low"]),
        score=100 * interval_score(rows),
        told=known,
        bounded=bounded,
        inside=bounded & held(rows),
        ok=trusted & rows["predicted"].notna(),
        error_of_ok=off.abs().where(trusted),
    )


@dataclass(frozen=True)
class Lead:
    """How many points one predictor is better than another, ± `margin`, over a number of `units`.

    margin: NaN if there are fewer than `fewest` units, which cannot decide at this level.
    """

    value: float
    margin: float
    units: int
    unit: str
    fewest: int

    @property
    def clear(self) -> bool:
        """Whether the lead is larger than luck may explain."""
        return self.value > self.margin


def lead(rows: pd.DataFrame, best: str, other: str, rivals: int) -> Lead:
    """The lead of one predictor over another, with its interval, paired by independent units.

    The units are data sets if there are several, else splits of one, which share their answers and so say
    nothing about other questions. Settings, N and models share questions and answers, so they are averaged
    first. The interval is Student's at LEVEL, for `rivals` comparisons together (Bonferroni), as the best
    was picked among them. It is for the interval score or, if a predictor gives no intervals, the error, as
    in `scores`.
    """
    known = rows.dropna(subset=["accuracy"])
    unit = "dataset" if "dataset" in known and len(set(known["dataset"])) > 1 else "split"
    pair = _errors(known[known["predictor"].isin([best, other])])
    by = "score" if pair["bounded"].all() else "error"
    pair = pair.assign(unit=pair[unit].astype(str) if unit in pair else "")
    means = pair.pivot_table(by, "unit", "predictor", aggfunc="mean")
    differences = (means[other] - means[best]).to_numpy()
    level = 1 - (1 - LEVEL) / max(rivals, 1)
    number, fewest = len(differences), fewest_questions(level)
    margin = np.nan
    if number >= fewest:
        quantile = special.stdtrit(number - 1, (1 + level) / 2)
        margin = float(quantile * differences.std(ddof=1) / np.sqrt(number))
    return Lead(float(differences.mean()), margin, number, unit, fewest)

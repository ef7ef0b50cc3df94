"""The report's tables: accuracy by setting and N, fitted trends, the cost frontier, errors of the forecasts.

    Table(title="Llama-3.1-8B on gsm8k: majority vote", head=["setting", "tokens", "N = 1", …],
          rows=[["100", "87", "61.2 ± 1.3", …], …])

Every cell is text; the page escapes it.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from results.figures.axes import show
from results.figures.cost import with_cost
from results.figures.forecast import Forecast
from results.figures.length import fit_trends
from results.figures.panels import Panel
from results.frontier import pareto_frontier
from results.normal import Z90
from results.saturating import FitStatus
from results.tables.status import MEANINGS

MOST_ROWS = 12
"""Rows of a frontier that are shown."""

TREND_WORDS = {
    FitStatus.CONVERGED: "",
    FitStatus.NO_SATURATION: "no levelling off yet: α and β are not determined",
    FitStatus.STEP: "all change before the second point: β and μ are not determined",
    FitStatus.FLAT: "no change at all",
}


@dataclass(frozen=True)
class Table:
    """A table of text cells; `note` explains it in a sentence or two, `remarks` are a list below it."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""
    remarks: tuple[str, ...] = ()


def value_table(panel: Panel) -> Table:
    """Exact values by setting and N, each ± its 90 % half-width."""
    unit = "steps" if panel.source == "synthetic" else "tokens"
    body = []
    for setting in panel.settings:
        part = panel.exact[panel.exact["setting"] == setting]
        length = part["length"].iloc[0]
        told = {int(row["N"]): _cell(row, panel.metric) for _, row in part.iterrows()}
        cells = [told.get(n, "") for n in panel.ns]
        body.append([setting, f"{length:,.0f}" if np.isfinite(length) else "–", *cells])
    note = "Accuracy in per cent ± half of the 90 % interval over questions."
    if panel.metric == "risk":
        note = "Squared error ± half of the 90 % interval."
    head = ["setting", unit, *(f"N = {n}" for n in panel.ns)]
    return Table(panel.combined, head, body, note)


def _cell(row: "pd.Series[float]", metric: str) -> str:
    scale, digits = (100, 1) if metric == "accuracy" else (1, 2)
    margin = f" ± {scale * Z90 * row['stderr']:.{digits}f}" if np.isfinite(row["stderr"]) else ""
    return f"{scale * row['value']:.{digits}f}{margin}"


def trend_table(panel: Panel) -> Table | None:
    """The fitted trend at each N; None where there are too few lengths for one."""
    trends = fit_trends(panel)
    if not trends:
        return None
    unit = "step" if panel.source == "synthetic" else "token"
    body = [
        [
            str(trend.n),
            f"per {unit}" if trend.gap is None else "per Δ²",
            *(f"{number:.4g}" for number in (trend.fit.alpha, trend.fit.beta, trend.fit.rate)),
            f"{trend.fit.rmse:.4f}",
            TREND_WORDS[trend.fit.status],
        ]
        for trend in trends
    ]
    note = (
        "N = 1: α − β e^(−μT). More answers: α − β e^(−μΔ²), where Δ is the curve fitted at N = 1. "
        "Misfit: root mean square distance of the points from the curve."
    )
    if len(set(panel.exact["length"])) == 3:
        note += " Three points, three parameters: these curves pass through their points whatever the data."
    head = ["N", "μ is", "α", "β", "μ", "misfit", "remark"]
    return Table(f"{panel.combined}: fitted trend", head, body, note)


def frontier_table(panel: Panel) -> Table:
    """The choices that no cheaper one equals, cheapest first."""
    best = pareto_frontier(with_cost(panel), "value")
    kept = best.iloc[np.unique(np.linspace(0, len(best) - 1, min(len(best), MOST_ROWS)).round().astype(int))]
    body = [
        [f"{row['cost']:,.0f}", str(row["setting"]), f"{row['N']:.0f}", show(row["value"])]
        for _, row in kept.iterrows()
    ]
    note = "" if len(kept) == len(best) else f"{len(kept)} of {len(best)} choices on the frontier."
    return Table(
        "The best choice at each budget", ["tokens a question", "setting", "N", "accuracy"], body, note
    )


def error_table(forecasts: list[Forecast]) -> Table:
    """Error on held-out points for each predictor of the same curves, smallest first."""
    body = sorted((_judged(forecast) for forecast in forecasts), key=lambda pair: pair[0])
    note = (
        "Error: distance of the forecast from the measured accuracy, in percentage points, over points that "
        "the fit did not see. A predictor that leaves points out is judged on the others only."
    )
    told = ((forecast.predictor, status_sentences(forecast)) for forecast in forecasts)
    remarks = tuple(f"{name}: {sentences}." for name, sentences in told if sentences)
    head = ["predictor", "mean error", "largest", "in 90 % interval", "points"]
    return Table("Error by predictor", head, [row for _, row in body], note, remarks)


def overview_table(groups: dict[str, Table]) -> Table:
    """Mean error of each predictor (columns) on each of several sets of curves, from their error tables."""
    errors = {name: {row[0]: row[1] for row in table.rows} for name, table in groups.items()}
    predictors = sorted({name for found in errors.values() for name in found})
    body = [[name, *(found.get(predictor, "") for predictor in predictors)] for name, found in errors.items()]
    note = "In percentage points, on points the fit did not see."
    return Table("Mean error of every forecast", ["forecast of", *predictors], body, note)


def _judged(forecast: Forecast) -> tuple[float, list[str]]:
    """A predictor's sort key (its mean error) and its row."""
    held = forecast.targets.dropna(subset=["accuracy"])
    told = held.dropna(subset=["predicted"])
    count = f"{len(told)} of {len(held)}"
    if told.empty:
        return np.inf, [forecast.predictor, "–", "–", "–", count]
    errors = (told["predicted"] - told["accuracy"]).abs()
    bounded = told.dropna(subset=["low", "high"])
    inside = ((bounded["low"] <= bounded["accuracy"]) & (bounded["accuracy"] <= bounded["high"])).sum()
    covered = f"{inside} of {len(bounded)}" if len(bounded) else "no interval"
    row = [
        forecast.predictor,
        f"{100 * errors.mean():.2f}",
        f"{100 * errors.max():.1f}",
        covered,
        count,
    ]
    return float(errors.mean()), row


def status_sentences(forecast: Forecast) -> str:
    """Every status but "ok" among the forecast points, in words; numbers outside [0, 1] are told in full."""
    asked = forecast.targets
    sentences = []
    for status, part in asked[asked["status"] != "ok"].groupby("status", sort=False):
        words = MEANINGS.get(str(status), str(status))
        sentences.append(f"{len(part)} of {len(asked)} points: {words}{_numbers(part)}")
    return "; ".join(sentences)


def _numbers(rows: pd.DataFrame) -> str:
    outside = rows[(rows["predicted"] < 0) | (rows["predicted"] > 1)]
    if outside.empty:
        return ""
    told = [
        f"{show(row['predicted'])} at setting {row['setting']}, N = {row['N']}"
        for _, row in outside.head(3).iterrows()
    ]
    more = f", and {len(outside) - 3} more" if len(outside) > 3 else ""
    return f" ({'; '.join(told)}{more})"

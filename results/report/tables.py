"""The report's tables of numbers. Cells are text; the page escapes them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from results.figures.cost import with_cost
from results.figures.length import fit_trends
from results.figures.panels import Panel
from results.figures.words import UNITS, settings_title, show
from results.frontier import pareto_frontier
from results.normal import Z90

MOST_ROWS = 12
"""Rows of a frontier that are shown."""


@dataclass(frozen=True)
class Table:
    """A table of text cells; `note` explains it in a sentence or two, `remarks` are a list below it."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""
    remarks: tuple[str, ...] = ()


def value_table(panel: Panel) -> Table:
    """Exact values by setting and N, each ± the half-width of its 90 % interval."""
    body = []
    for setting in panel.settings:
        part = panel.exact[panel.exact["setting"] == setting]
        length = part["length"].iloc[0]
        told = {int(row["N"]): _value(row, panel.metric) for _, row in part.iterrows()}
        used = f"{length:,.0f}" if np.isfinite(length) else "–"
        body.append([setting, used, *(told.get(n, "") for n in panel.ns)])
    kind = "Accuracy in per cent" if panel.metric == "accuracy" else "Squared error"
    head = [settings_title(panel.source, panel.settings), f"{UNITS[panel.source]} used"]
    note = f"{kind} ± half of the 90 % interval over questions."
    return Table(panel.combined, [*head, *(f"N = {n}" for n in panel.ns)], body, note)


def _value(row: "pd.Series[float]", metric: str) -> str:
    scale, digits = (100, 1) if metric == "accuracy" else (1, 2)
    margin = f" ± {scale * Z90 * row['stderr']:.{digits}f}" if np.isfinite(row["stderr"]) else ""
    return f"{scale * row['value']:.{digits}f}{margin}"


def trend_table(panel: Panel) -> Table | None:
    """The fitted trend at each N; None where there are too few lengths for one."""
    trends = fit_trends(panel)
    if not trends:
        return None
    body = [
        [
            str(trend.n),
            f"per {UNITS[panel.source][:-1]}" if trend.gap is None else "per Δ²",
            *(f"{number:.4g}" for number in (trend.fit.alpha, trend.fit.beta, trend.fit.rate)),
            f"{trend.fit.rmse:.4f}",
            trend.reason,
        ]
        for trend in trends
    ]
    note = (
        f"T: {UNITS[panel.source]} per answer. N = 1: α − β e^(−μT). More answers: α − β e^(−μΔ²), where Δ "
        "is the curve fitted at N = 1. Misfit: root mean square distance of the points from the curve."
    )
    if len(set(panel.exact["length"])) == 3:
        note += " With three points and three parameters, every curve passes through its points."
    return Table(
        f"{panel.combined}: fitted trend", ["N", "unit of μ", "α", "β", "μ", "misfit", "remark"], body, note
    )


def frontier_table(panel: Panel) -> Table:
    """The choices that no choice as cheap equals, cheapest first."""
    best = pareto_frontier(with_cost(panel), "value")
    kept = best.iloc[np.unique(np.linspace(0, len(best) - 1, min(len(best), MOST_ROWS)).round().astype(int))]
    body = [
        [
            f"{row['cost']:,.0f}",
            str(row["setting"]),
            f"{row['length']:,.0f}",
            f"{row['N']:.0f}",
            show(row["value"]),
        ]
        for _, row in kept.iterrows()
    ]
    note = "" if len(kept) == len(best) else f"{len(kept)} of the {len(best)} choices on the frontier."
    title = settings_title(panel.source, panel.settings)
    head = ["tokens per question", title, "T", "N", "accuracy"]
    return Table("The best choice at each budget", head, body, note)

"""The report's tables of numbers. Cells are text; the page escapes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from results.figures.cost import frontier, joint_frontier
from results.figures.length import fit_trends
from results.figures.panels import Panel
from results.figures.words import UNITS, settings_title, show
from results.normal import Z90
from results.tables.status import SHORT

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


def number(value: float, digits: str = ".4g") -> str:
    """A number as text; "–" where it is not known."""
    return "–" if pd.isna(value) else f"{value:{digits}}".replace("-", "−")


def evenly(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """At most `most` rows, evenly spread, with the first and the last."""
    return rows.iloc[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).round().astype(int))]


def value_table(panel: Panel) -> Table:
    """Exact values by setting and N, each ± the half-width of its 90 % interval."""
    scale, digits = (100, ".1f") if panel.metric == "accuracy" else (1, ".2f")
    lost = {"unreadable": "unreadable", "cut_off": "cut off"}
    lost = {name: title for name, title in lost.items() if panel.exact[name].max() > 0}
    body = []
    for setting in panel.settings:
        part = panel.exact[panel.exact["setting"] == setting].set_index("N")
        told = part["value"].map(lambda value: f"{scale * value:{digits}}")
        told += part["stderr"].map(
            lambda error: "" if np.isnan(error) else f" ± {scale * Z90 * error:{digits}}"
        )
        shares = [number(100 * part[name].iloc[0], ".1f") for name in lost]
        used = number(part["length"].iloc[0], ",.0f")
        body.append([setting, used, *shares, *(told.get(n, "") for n in panel.ns)])
    kind = "Accuracy in per cent" if panel.metric == "accuracy" else "Squared error"
    note = f"{kind} ± half of the 90 % interval over questions."
    if lost:
        note += " Unreadable and cut off: the share of such answers in per cent."
    head = [settings_title(panel.source, panel.settings), f"{UNITS[panel.source]} used", *lost.values()]
    return Table(panel.combined, [*head, *(f"N = {n}" for n in panel.ns)], body, note)


def trend_table(panel: Panel) -> Table | None:
    """The fitted trend at each N; None where there are too few lengths for one."""
    trends = fit_trends(panel)
    if not trends:
        return None
    body = [
        [
            str(trend.n),
            f"per {UNITS[panel.source][:-1]}" if trend.gap is None else "per Δ²",
            *map(number, (trend.curve.alpha, trend.curve.beta, trend.curve.rate)),
            number(trend.curve.rmse, ".4f"),
            SHORT[trend.fit.status],
            trend.fit.reason,
        ]
        for trend in trends
    ]
    note = (
        f"T: {UNITS[panel.source]} per answer. N = 1: α − β e^(−μT). More answers: α − β e^(−μΔ²), where Δ "
        "is the curve fitted at N = 1. Misfit: root mean square distance of the points from the curve."
    )
    head = ["N", "unit of μ", "α", "β", "μ", "misfit", "status", "what speaks against it"]
    return Table(f"{panel.combined}: fitted trend", head, body, note)


def frontier_table(panel: Panel) -> Table:
    """The choices that no choice as cheap equals, cheapest first."""
    return _frontier_table(frontier(panel), settings_title(panel.source, panel.settings))


def joint_table(panels: Sequence[Panel]) -> Table:
    """The choices among all models that none as cheap equals, cheapest first."""
    settings = [setting for panel in panels for setting in panel.settings]
    return _frontier_table(joint_frontier(panels), settings_title(panels[0].source, settings), ["model"])


def _frontier_table(best: pd.DataFrame, settings: str, names: Sequence[str] = ()) -> Table:
    kept = evenly(best, MOST_ROWS)
    parts = {**dict.fromkeys(names, ""), "cost": ",.0f", "setting": "", "length": ",.0f", "N": ".0f"}
    body = [
        [*(f"{row[name]:{digits}}" for name, digits in parts.items()), show(row["value"])]
        for _, row in kept.iterrows()
    ]
    note = "" if len(kept) == len(best) else f"{len(kept)} of the {len(best)} choices on the frontier."
    head = [*names, "tokens per question", settings, "T", "N", "accuracy"]
    return Table("The best choice at each budget", head, body, note)

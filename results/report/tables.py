"""The report's tables of numbers. Cells are text; the page escapes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from results.figures.cost import frontier, joint_frontier
from results.figures.length import fit_trends
from results.figures.panels import Panel
from results.figures.words import PRICED, UNITS, listed, settings_title, show
from results.normal import Z90
from results.tables.status import SHORT

MOST_ROWS = 12
"""Rows of a frontier that are shown."""


@dataclass(frozen=True)
class Table:
    """A table of text cells; `note` explains it in a sentence or two."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""


Columns = dict[str, Callable[[Any], str]]
"""The columns of a table by title: what each says of a row."""


def tabled(title: str, rows: pd.DataFrame, columns: Columns, note: str = "") -> Table:
    """A table of `rows`."""
    body = [[tell(row) for tell in columns.values()] for _, row in rows.iterrows()]
    return Table(title, list(columns), body, note)


def number(value: float, digits: str = ".4g") -> str:
    """A number as text; "–" where it is not known."""
    return "–" if pd.isna(value) else f"{value:{digits}}".replace("-", "−")


def _interval(low: Any, high: Any) -> str:
    return "–" if pd.isna(low) else f"{show(low)} … {show(high)}"


INTERVALS: Columns = {
    "90 % interval": lambda row: _interval(row["low"], row["high"]),
    "for new questions": lambda row: _interval(row.get("new_low"), row.get("new_high")),
}
"""The columns of the two intervals of a forecast."""


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
    rows = [
        {"fit": fit.kind, "held": trend.n, "gap": fit.gap, "status": fit.status, "reason": fit.reason}
        | {"alpha": curve.alpha, "beta": curve.beta, "rate": curve.rate, "rms": curve.rmse}
        for trend in fit_trends(panel)
        for fit, curve in [(trend.fit, trend.curve)]
    ]
    if not rows:
        return None
    return fit_table(f"{panel.combined}: fitted trend", pd.DataFrame(rows), UNITS[panel.source])


_FITS = {"along_n": "N, at setting", "along_t": "T, at N =", "along_gap": "Δ², at N ="}


def fit_table(title: str, rows: pd.DataFrame, unit: str) -> Table:
    """Fits of the paper's appendix (rows of a fits table), with what speaks against each in words."""
    columns: Columns = {
        "along": lambda row: f"{_FITS[row['fit']]} {row['held']}",
        "α": lambda row: number(row["alpha"]),
        "β": lambda row: number(row["beta"]),
        "rate": lambda row: number(row["rate"]),
        "gap": lambda row: number(row["gap"]),
        "misfit": lambda row: number(row["rms"], ".4f"),
        "status": lambda row: SHORT.get(row["status"], row["status"]),
        "what speaks against it": lambda row: "" if pd.isna(row["reason"]) else row["reason"],
    }
    note = (
        f"Accuracy ≈ α − β e^(−rate · x), where x is N, T ({unit} per answer) or Δ², the square of the curve "
        "fitted at N = 1. Gap: √(2 rate). Misfit: root mean square distance of the points from the curve."
    )
    return tabled(title, rows, columns, note)


def frontier_table(panel: Panel) -> Table:
    """The choices that no choice as cheap equals, cheapest first."""
    return _frontier_table(frontier(panel), settings_title(panel.source, panel.settings))


def joint_table(panels: Sequence[Panel]) -> Table:
    """The choices among all models that none as cheap equals, cheapest first."""
    settings = [setting for panel in panels for setting in panel.settings]
    unpriced = [panel.model for panel in panels if np.isnan(panel.price)]
    note = f"By tokens: {listed(unpriced)} has no price." if 0 < len(unpriced) < len(panels) else ""
    return _frontier_table(
        joint_frontier(panels), settings_title(panels[0].source, settings), ["model"], note
    )


def _frontier_table(best: pd.DataFrame, settings: str, names: Sequence[str] = (), note: str = "") -> Table:
    kept = evenly(best, MOST_ROWS)
    priced = bool(best["usd"].notna().all())
    columns: Columns = {name: itemgetter(name) for name in names}
    columns["tokens per question"] = lambda row: f"{row['cost']:,.0f}"
    if priced:
        columns[PRICED] = lambda row: f"{row['usd']:,.2f}"
        note = "Prices of the answers' tokens; prompts are not counted."
    columns |= {
        settings: itemgetter("setting"),
        "T": lambda row: f"{row['length']:,.0f}",
        "N": lambda row: str(row["N"]),
        "accuracy": lambda row: show(row["value"]),
    }
    if len(kept) < len(best):
        note = f"{len(kept)} of the {len(best)} choices on the frontier. {note}"
    return tabled("The best choice at each budget", kept, columns, note)

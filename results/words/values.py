"""The tables of what was measured, and of the curves fitted to it."""

from typing import Any

import pandas as pd

from results.methods import METHODS
from results.normal import Z90
from results.summary.panels import Panel, fit_trends
from results.words.buying import status_of
from results.words.cells import Columns, Table, number, tabled
from results.words.names import UNITS, sentence, settings_title


def combined(panel: Panel) -> str:
    """How answers are combined, as the start of a sentence."""
    return sentence(METHODS[panel.key.method].words)


def value_table(panel: Panel) -> Table:
    """Exact values by setting and N, each ± the half-width of its 90 % interval."""
    scale, digits, kind = 100, ".1f", "Accuracy in per cent"
    if panel.metric == "risk":
        scale, digits, kind = 1, ".2f", "Squared error"
    told = (scale * panel.exact["value"]).map(f"{{:{digits}}}".format)
    margin = scale * Z90 * panel.exact["stderr"]
    told += margin.map(f" ± {{:{digits}}}".format, na_action="ignore").fillna("")
    cells = panel.exact.assign(told=told).set_index(["setting", "N"])["told"]
    beside = {}
    if panel.exact["questions"].min() < panel.exact["questions"].max():
        beside["questions"] = ("questions", 1, ",.0f")
    for name, title in (("unreadable", "unreadable, %"), ("cut_off", "cut off, %")):
        if panel.exact[name].max() > 0:
            beside[title] = (name, 100, ".1f")
    body = []
    for setting in panel.settings:
        first: Any = panel.exact[panel.exact["setting"] == setting].iloc[0]
        shares = (number(times * first[name], form) for name, times, form in beside.values())
        values = (str(cells.get((setting, n), "")) for n in panel.ns)
        body.append([setting, number(first["length"], ",.0f"), *shares, *values])
    head = [settings_title(panel.key.source, panel.settings), f"{UNITS[panel.key.source]} used", *beside]
    note = f"{kind} ± half of the 90 % interval over questions."
    return Table(combined(panel), [*head, *(f"N = {n}" for n in panel.ns)], body, note)


def trend_table(panel: Panel) -> Table | None:
    """The fitted trend at each N; None where there are too few lengths for one."""
    rows = [fit.row() | {"held": n} for n, fit in fit_trends(panel).items()]
    if not rows:
        return None
    return fit_table(f"{combined(panel)}: fitted trend", pd.DataFrame(rows), UNITS[panel.key.source])


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
        "status": status_of,
        "problem": lambda row: "" if pd.isna(row["reason"]) else row["reason"],
    }
    note = (
        f"Accuracy ≈ α − β e^(−rate · x), where x is N, T ({unit} per answer) or Δ², the square of the curve "
        "fitted at N = 1. Gap: √(2 rate). Misfit: root mean square distance of the points from the curve."
    )
    return tabled(title, rows, columns, note)

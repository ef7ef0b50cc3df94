"""The tables of measured values, of fitted curves, and of the paper's claims."""

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from results.summary.panels import Panel
from results.summary.samples import UNSTEADY, ShareGrid
from results.tables.key import Key, groups
from results.terminal import NBSP, aligned, visible
from results.words.buying import status_of
from results.words.cells import Columns, Table, number, readable, tabled
from results.words.names import (
    METHOD_NAMES,
    UNITS,
    UNKNOWN,
    curves_name,
    interval,
    line_name,
    percent,
    run_names,
    sentence,
    settings_title,
    show,
)


def combined(panel: Panel) -> str:
    """The panel's method, as the start of a sentence."""
    return sentence(METHOD_NAMES[panel.key.method])


def value_table(panel: Panel) -> Table:
    """Exact values by setting and N, each ± the half-width of its 90 % interval."""
    written, kind = percent, "Accuracy in per cent"
    if panel.metric == "risk":
        written, kind = "{:.2f}".format, "Squared error"
    shown = panel.exact["value"].map(written)
    shown += panel.margin.map(lambda half: f" ± {written(half)}" if half == half else "")
    cells = panel.exact.assign(told=shown).set_index(["setting", "N"])["told"]
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


SHOWN = 6
"""The most values of N in a table for a terminal: the smallest, the largest, and some between."""


def short_lines(panels: Sequence[Panel]) -> list[str]:
    """The measured values for a terminal: a line per method and setting of each model, at a few N.

    If a model has answers on several data sets, the lines name them.
    """
    if not panels:
        return []
    ns = sorted({n for panel in panels for n in panel.ns})
    steps = np.linspace(0, len(ns) - 1, min(SHOWN, len(ns)))
    wanted = [f"N = {ns[place]}" for place in dict.fromkeys(steps.round().astype(int).tolist())]
    whose = {panel.key.whose for panel in panels}
    several, again = len(whose) > 1, len({key.model for key in whose}) < len(whose)
    lines = [[*(["model"] if several else []), "% ± 90 %", "setting", *wanted]]
    for panel in panels:
        table = value_table(panel)
        name = curves_name(panel.key) if again else line_name(panel.key.model)
        model = [name] if several else []
        for row in table.rows:
            cells = dict(zip(table.head, row, strict=True))
            values = [cells.get(name, "") for name in wanted]
            lines.append([*model, METHOD_NAMES[panel.key.method], row[0], *values])
    return aligned(lines, left=range(3 if several else 2))


def cheap_lines(curves: pd.DataFrame) -> list[str]:
    """What a cheap side's answers to further questions add, at the largest N of each curve."""
    lines = []
    for key, rows in groups(curves[curves["gain"].notna()] if "gain" in curves else curves.head(0)):
        row: Any = rows.sort_values("N").iloc[-1]
        side = Key("", "", key.model, key.setting)
        what = f"{side}, {METHOD_NAMES[key.method]}, N = {row['N']}"
        worth = "it adds nothing"
        if row["gain"] >= WORTH:
            worth = f"as good as {row['gain']:.1f} times as many questions"
        value, within = show(row["accuracy_with"]), interval(row["low_with"], row["high_with"])
        lines.append(visible(f"{what}: {value} ({within}) with {row['with']}: {worth}"))
    return lines


WORTH = 1.05
"""The smallest gain, in times as many questions, that is worth mentioning."""


_FITS = {"along_n": "N, at setting", "along_t": "T, at N =", "along_gap": "Δ², at N ="}


FIT_COLUMNS: Columns = {
    "along": lambda row: f"{_FITS[row['fit']]} {row['held']}",
    "α": lambda row: number(row["alpha"]),
    "β": lambda row: number(row["beta"]),
    "rate": lambda row: number(row["rate"]),
    "gap": lambda row: number(row["gap"]),
    "misfit": lambda row: number(row["rms"], ".4f"),
    "status": status_of,
    "problem": lambda row: "" if pd.isna(row["reason"]) else row["reason"],
}
"""The columns of a fits table in words."""


def fit_table(rows: pd.DataFrame, unit: str) -> Table:
    """The table of the paper's appendix fits (rows of a fits table), with doubts about each in words."""
    note = (
        f"Accuracy ≈ α − β e^(−rate · x), where x is N, T ({unit} per answer) or Δ², the square of the curve "
        "fitted at N = 1. Gap: √(2 rate). Misfit: root mean square distance of the points from the curve."
    )
    return tabled("Fits of the paper's appendix", rows, FIT_COLUMNS, note)


OURS = "ours"
"""The word in `where` that marks a claim as ours, not the paper's."""

GROUPS = ("hold", "hold in part", "undecided", "fail")
"""Outcomes of claims; undecided means that the interval contains the threshold."""


def verdict_tables(claims: pd.DataFrame) -> list[Table]:
    """The tables of verdicts on the paper's claims and, if there are any, on our own."""
    ours = claims["where"].str.contains(rf"\b{OURS}\b")
    parts = {"of the paper": claims[~ours], "of our own": claims[ours]}
    return [_verdicts(whose, part) for whose, part in parts.items() if len(part)]


def _verdicts(whose: str, claims: pd.DataFrame) -> Table:
    """A table with a row per claim, under a title that counts the verdicts."""
    first = claims.drop_duplicates("claim").assign(
        checked=lambda rows: rows["claim"].map(claims["claim"].value_counts())
    )
    groups = Counter(map(_group, first["verdict"]))
    counted = ", ".join(f"{group}: {groups[group]}" for group in GROUPS if groups[group])
    columns: Columns = {
        "claim": _claim,
        "verdict": lambda row: line_name(row["verdict"]),
        "where": lambda row: row["where"].removeprefix(OURS).strip(":, ") or UNKNOWN,
    }
    if "sentence" in first and first["sentence"].notna().any():
        columns["in the paper’s words"] = lambda row: (
            f"“{row['sentence']}”" if pd.notna(row["sentence"]) else UNKNOWN
        )
    columns["settings checked"] = lambda row: str(row["checked"])
    return tabled(f"{len(first)} claim{'s' * (len(first) > 1)} {whose} ({counted})", first, columns)


def measurement_table(claims: pd.DataFrame) -> Table:
    """The table of measurements for each claim in each setting."""
    columns: Columns = {
        "claim": _claim,
        "setting": lambda row: line_name(row["setting"]),
        "quantity": itemgetter("quantity"),
        "measured": lambda row: number(row["measured"]),
        "95 % interval": lambda row: (  # an extreme over tasks has none
            UNKNOWN if row["low"] == row["high"] else f"{number(row['low'])}{NBSP}… {number(row['high'])}"
        ),
        "outcome": _outcome,
    }
    return tabled("Measurements", claims, columns)


def _group(verdict: str) -> str:
    """The outcome of a claim over all its settings, as one of GROUPS."""
    first, second = f"{verdict} ".split(" ")[:2]
    if (first, second) == ("holds", "only"):
        return "hold in part"
    return {"holds": "hold", "undecided": "undecided"}.get(first, "fail")


def _outcome(row: Any) -> str:
    """The outcome of a claim at one setting; without the column, there are only two outcomes."""
    return str(row["outcome"]) if pd.notna(row.get("outcome")) else "holds" if row["holds"] else "fails"


def _claim(row: Any) -> str:
    return sentence(row["claim"].replace("-", " ").replace(" of n ", " of N "))


LISTED = 20
"""The most unsteady questions that are named."""


def runs_table(grid: ShareGrid) -> Table:
    """The table of how many questions are unsteady in each run."""
    rows = []
    for run, name in zip(grid.runs, run_names(grid.runs), strict=True):
        right = show(grid.shares[run].mean())
        rows.append([name, right, f"{grid.unsteady[run].sum():,} of {grid.shares[run].count():,}"])
    return Table("The runs, best first", ["run", "right", "unsteady questions"], rows)


def unsteady_table(grid: ShareGrid) -> Table:
    """The table of questions that are unsteady in the most runs, at most LISTED."""
    unsteady = grid.unsteady_questions
    least, most = (f"{100 * end:g}" for end in UNSTEADY)
    columns: Columns = {
        "question": lambda row: readable(str(row["question"])),
        "right": lambda row: show(row["right"]),
        "unsteady in": lambda row: f"{row['runs']} of {row['asked']} runs",
    }
    if grid.shares.shape[1] == 1:
        del columns["unsteady in"]
    title = f"{len(unsteady):,} of {len(grid.shares):,} questions are unsteady"
    note = f"Unsteady: right in {least} to {most} % of a run’s answers to it (at most {grid.answers})."
    if len(unsteady) > LISTED:
        note += (
            f" The first {LISTED} are shown, those unsteady in most runs first; tables/unsteady.csv has all."
        )
    return tabled(title, unsteady.head(LISTED), columns, note)

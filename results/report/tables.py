"""The report's tables of values, fits, frontiers, plans and claims."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from results.figures.cost import frontier, usd
from results.figures.length import fit_trends
from results.figures.panels import Panel
from results.figures.words import NBSP, PRICED, UNITS, line_name, listed, sentence, settings_title
from results.frontier import Plan
from results.normal import Z90
from results.report.table import INTERVALS, Columns, Table, number, share, tabled
from results.tables.status import SHORT


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
    head = [settings_title(panel.source, panel.settings), f"{UNITS[panel.source]} used", *beside]
    note = f"{kind} ± half of the 90 % interval over questions."
    return Table(panel.combined, [*head, *(f"N = {n}" for n in panel.ns)], body, note)


def trend_table(panel: Panel) -> Table | None:
    """The fitted trend at each N; None where there are too few lengths for one."""
    rows = [fit.row() | {"held": n} for n, fit in fit_trends(panel).items()]
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


def frontier_table(panels: Sequence[Panel]) -> Table:
    """The choices of one model, or among several, that none as cheap equals, cheapest first."""
    best = frontier(panels).rename(columns={"value": "predicted"})
    unpriced = [panel.model for panel in panels if np.isnan(panel.price)]
    note = f"By tokens: {listed(unpriced)} has no price." if 0 < len(unpriced) < len(panels) else ""
    names = ["model"] if len(panels) > 1 else []
    return _choices("The best choice at each budget", best, panels[0].source, names, {}, note)


def plan_table(plan: Plan, price: float) -> Table:
    """The frontier of a plan, cheapest first; `price` in US dollars for a million tokens, or NaN."""
    front = plan.frontier.assign(usd=usd(plan.frontier["cost"], price))
    more: Columns = {**INTERVALS, "known": itemgetter("known")}
    return _choices("The frontier", front, front["source"].iloc[0], [], more)


def _choices(
    title: str, best: pd.DataFrame, source: str, names: Sequence[str], more: Columns, note: str = ""
) -> Table:
    """Choices of setting and N with what a question costs, in tokens and, where priced, in US dollars."""
    columns: Columns = {name: itemgetter(name) for name in names}
    columns[f"{UNITS[source]} per question"] = lambda row: f"{row['cost']:,.0f}"
    if not note and best["usd"].notna().all():
        columns[PRICED] = lambda row: f"{row['usd']:,.2f}"
        note = "Prices of the answers' tokens; prompts are not counted."
    columns |= {
        settings_title(source, list(best["setting"])): itemgetter("setting"),
        f"{UNITS[source]} used": lambda row: f"{row['cost'] / row['N']:,.0f}",
        "N": lambda row: str(row["N"]),
        "accuracy": lambda row: share(row["predicted"]),
        **more,
    }
    return tabled(title, best, columns, note)


def verdict_table(claims: pd.DataFrame) -> Table:
    """One row for each claim, under a title that counts the verdicts."""
    first = claims.drop_duplicates("claim").assign(
        checked=lambda rows: rows["claim"].map(claims["claim"].value_counts())
    )
    verdicts = first["verdict"].map({"holds": "hold", "fails": "fail"}).fillna("hold in part")
    counted = ", ".join(f"{verb}: {(verdicts == verb).sum()}" for verb in ("hold", "hold in part", "fail"))
    columns: Columns = {
        "claim": _claim,
        "verdict": lambda row: line_name(row["verdict"]),
        "in the paper": itemgetter("where"),
        "settings checked": lambda row: str(row["checked"]),
    }
    return tabled(f"{len(first)} claims of the paper ({counted})", first, columns)


def measurement_table(claims: pd.DataFrame) -> Table:
    """What was measured for each claim in each setting."""
    columns: Columns = {
        "claim": _claim,
        "setting": lambda row: line_name(row["setting"]),
        "quantity": itemgetter("quantity"),
        "measured": lambda row: number(row["measured"]),
        "95 % interval": _measured_interval,
        "holds": lambda row: "yes" if row["holds"] else "no",
    }
    return tabled("Measurements", claims, columns)


def _claim(row: Any) -> str:
    return sentence(row["claim"].replace("-", " ").replace(" of n ", " of N "))


def _measured_interval(row: Any) -> str:
    extreme = row["low"] == row["high"]  # one over tasks, which has no interval
    return "–" if extreme else f"{number(row['low'])}{NBSP}… {number(row['high'])}"

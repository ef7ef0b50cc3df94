"""Tables of the other commands, as the report shows them: fits, plans, backtests and comparisons."""

from typing import Any

import pandas as pd

from results.figures.comparison import comparison_figure
from results.figures.panels import unique_slug
from results.figures.plan import PlanView, plan_figure
from results.figures.words import METHOD_NAMES, UNITS, curves_name, points, setting_used, settings_title, show
from results.frontier import best_choice, pareto_frontier
from results.report.choices import Choice
from results.report.errors import score_table, scores
from results.report.tables import MOST_ROWS, Table, evenly, number
from results.tables.status import SHORT

_FITS = {"along_n": "N, at setting", "along_t": "T, at N =", "along_gap": "Δ², at N ="}


def fit_choices(fits: pd.DataFrame) -> list[Choice]:
    """The appendix fits of each set of curves, with what speaks against each in words."""
    choices: list[Choice] = []
    for key, rows in fits.groupby(["source", "dataset", "model", "method"], sort=False):
        source, dataset, model, method = map(str, key)
        body = [
            [
                f"{_FITS[row['fit']]} {row['held']}",
                *map(number, (row["alpha"], row["beta"], row["rate"], row["gap"])),
                number(row["rms"], ".4f"),
                SHORT.get(row["status"], row["status"]),
                "" if pd.isna(row["reason"]) else row["reason"],
            ]
            for _, row in rows.iterrows()
        ]
        note = "Accuracy ≈ α − β e^(−rate · x), where x is N, T or Δ². Gap: √(2 rate)."
        head = ["along", "α", "β", "rate", "gap", "misfit", "status", "what speaks against it"]
        name = f"{curves_name(source, dataset, model)}, {METHOD_NAMES.get(method, method)}"
        slug = unique_slug(["fits", dataset, model, method], [choice.slug for choice in choices])
        choices.append(Choice(slug, name, tables=[Table("Fits of the paper's appendix", head, body, note)]))
    return choices


def plan_choices(plans: pd.DataFrame) -> list[Choice]:
    """What each plan weighed, its frontier, and the cheapest choice within one point of its best."""
    choices: list[Choice] = []
    keys = ["source", "dataset", "model", "method", "predictor"]
    for key, rows in plans.groupby(keys, sort=False):
        source, dataset, model, method, predictor = map(str, key)
        front = pareto_frontier(rows, "predicted")
        best = front.iloc[-1]
        enough = best_choice(rows, "predicted")
        rows = rows.assign(T=rows["cost"] / rows["N"])
        view = PlanView(dataset, model, method, source, rows, front, best)
        body = [
            [
                f"{row['cost']:,.0f}",
                str(row["setting"]),
                f"{row['cost'] / row['N']:,.0f}",
                str(row["N"]),
                show(row["predicted"]),
                "–" if pd.isna(row["low"]) else f"{show(row['low'])} … {show(row['high'])}",
                row["known"],
            ]
            for _, row in evenly(front, MOST_ROWS).iterrows()
        ]
        advice = f"Best: {_buy(best, source)} The cheapest within one point of it: {_buy(enough, source)}"
        unit, settings = UNITS[source], list(rows["setting"].unique())
        head = [f"{unit} per question", settings_title(source, settings), f"{unit} used", "N", "accuracy"]
        slug = unique_slug(["plan", dataset, model, method, predictor], [choice.slug for choice in choices])
        name = f"{curves_name(source, dataset, model)}, {METHOD_NAMES.get(method, method)}, by {predictor}"
        table = Table("The frontier", [*head, "90 % interval", "known"], body)
        choices.append(Choice(slug, name, [(advice, plan_figure(view, slug))], [table]))
    return choices


def _buy(row: Any, source: str) -> str:
    used = setting_used(source, str(row["setting"]), row["cost"] / row["N"])
    return f"{used}, N = {row['N']}, {show(row['predicted'])} for {row['cost']:,.0f} {UNITS[source]}."


def backtest_table(found: pd.DataFrame) -> Table:
    """Scores by predictor over everything that a backtest hid and then compared."""
    splits = found["split"].nunique()
    note = (
        "Error: distance of the forecast from what was hidden, in percentage points, over "
        f"{splits} random split{'s' if splits > 1 else ''}. Predictors that forecast only some points come "
        "last, unranked."
    )
    return score_table("Backtest: error by predictor", scores(found), note)


def comparison_choices(found: pd.DataFrame) -> list[Choice]:
    """The differences of each pair of runs, paired by question, at equal N and at equal cost."""
    note = (
        "Differences in percentage points with their 90 % intervals, paired by question. Gained and lost: "
        "questions whose chance to be right rises above one half, or falls below it. The last column: how "
        "many questions would show a difference of this size in 80 of 100 tries at 5 %."
    )
    head = ["answer", "at equal N", "at equal cost", "gained / lost", "questions needed"]
    choices: list[Choice] = []
    for key, rows in found.groupby(["dataset", "a", "b", "setting_a", "setting_b"], sort=False):
        dataset, one, other, *settings = map(str, key)
        body = [
            [
                _answer(row),
                _difference(row, ""),
                _difference(row, "_at_cost"),
                f"{number(row['gained'], '.0f')} / {number(row['lost'], '.0f')}",
                number(row["questions_needed"], ",.0f"),
            ]
            for _, row in rows[(rows["N"] > 1) | (rows["method"] == rows["method"].iloc[0])].iterrows()
        ]
        slug = unique_slug(["compare", dataset, one, other, *settings], [choice.slug for choice in choices])
        at = "" if set(settings) == {"default"} else f", {' and '.join(dict.fromkeys(settings))}"
        name = f"{other} − {one} on {dataset}{at}"
        figure = comparison_figure(rows, slug, name)
        table = Table("Differences between the runs", head, body, note)
        choices.append(Choice(slug, name, [(comparison_verdict(rows), figure)], [table]))
    return choices


def _answer(row: Any) -> str:
    return "single answer" if row["N"] == 1 else f"{METHOD_NAMES[row['method']]}, N = {row['N']}"


def _difference(row: Any, kind: str) -> str:
    value, low, high = row[f"difference{kind}"], row[f"low{kind}"], row[f"high{kind}"]
    if pd.isna(value):
        return "–"
    return points(value) if pd.isna(low) else f"{points(value)} ({points(low)} … {points(high)})"


def comparison_verdict(found: pd.DataFrame) -> str:
    """Which of two runs is clearly better, by how much at most, and in what."""
    clear = found[(found["low"] > 0) | (found["high"] < 0)]
    if clear.empty:
        return "No difference is clear of its 90 % interval."
    row: Any = clear.iloc[int(clear["difference"].abs().argmax())]
    better, worse = (row["b"], row["a"]) if row["difference"] > 0 else (row["a"], row["b"])
    opposed = clear["difference"].min() < 0 < clear["difference"].max()
    most = f"{better} beats {worse} by {100 * abs(row['difference']):.1f} points ({_answer(row)})"
    return f"{most}, but not everywhere." if opposed else f"{most}, the largest clear difference."

"""Tables of the other commands, as the report shows them: fits, plans, backtests and comparisons."""

from operator import itemgetter
from typing import Any

import pandas as pd

from results.figures.comparison import comparison_figure
from results.figures.panels import unique_slug
from results.figures.plan import PlanView, plan_figure
from results.figures.words import METHOD_NAMES, UNITS, curves_name, points, settings_title, show
from results.frontier import best_choice, pareto_frontier
from results.report.choices import Choice
from results.report.errors import score_table, scores
from results.report.tables import INTERVALS, MOST_ROWS, Columns, Table, evenly, fit_table, number, tabled

_PLAN_KEY = ["source", "dataset", "model", "method", "predictor"]


def fit_choices(fits: pd.DataFrame) -> list[Choice]:
    """The appendix fits of each set of curves, with what speaks against each in words."""
    choices: list[Choice] = []
    for key, rows in fits.groupby(["source", "dataset", "model", "method"], sort=False):
        source, dataset, model, method = map(str, key)
        name = f"{curves_name(source, dataset, model)}, {METHOD_NAMES.get(method, method)}"
        slug = unique_slug(["fits", dataset, model, method], [choice.slug for choice in choices])
        choices.append(
            Choice(slug, name, tables=[fit_table("Fits of the paper's appendix", rows, UNITS[source])])
        )
    return choices


def plan_choices(plans: pd.DataFrame) -> list[Choice]:
    """What each plan weighed, its frontier, and the choice that meets its goal."""
    choices: list[Choice] = []
    goals = ["target_accuracy", "token_budget"]
    plans = plans.reindex(columns=[*plans.columns, *(goal for goal in goals if goal not in plans)])
    for key, rows in plans.groupby([*_PLAN_KEY, *goals], sort=False, dropna=False):
        source, dataset, model, method, predictor = map(str, key[:5])
        target, budget = (None if str(goal) == "nan" else float(str(goal)) for goal in key[5:])
        front = pareto_frontier(rows, "predicted")
        rows = rows.assign(T=rows["cost"] / rows["N"])
        found = best_choice(rows, "predicted", target, budget)
        view = PlanView(dataset, model, method, source, rows, front, found, target, budget)
        unit = UNITS[source]
        columns: Columns = {
            f"{unit} per question": lambda row: f"{row['cost']:,.0f}",
            settings_title(source, list(rows["setting"].unique())): itemgetter("setting"),
            f"{unit} used": lambda row: f"{row['cost'] / row['N']:,.0f}",
            "N": lambda row: str(row["N"]),
            "accuracy": lambda row: show(row["predicted"]),
            **INTERVALS,
            "known": itemgetter("known"),
        }
        table = tabled("The frontier", evenly(front, MOST_ROWS), columns)
        slug = unique_slug(["plan", dataset, model, method, predictor], [choice.slug for choice in choices])
        name = f"{curves_name(source, dataset, model)}, {METHOD_NAMES.get(method, method)}, by {predictor}"
        choices.append(Choice(slug, name, [(view.advice, plan_figure(view, slug))], [table]))
    return choices


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
    columns: Columns = {
        "answer": _answer,
        "at equal N": lambda row: _difference(row, ""),
        "at equal cost": lambda row: _difference(row, "_at_cost"),
        "gained / lost": lambda row: f"{number(row['gained'], '.0f')} / {number(row['lost'], '.0f')}",
        "questions needed": lambda row: number(row["questions_needed"], ",.0f"),
    }
    choices: list[Choice] = []
    for key, rows in found.groupby(["dataset", "a", "b", "setting_a", "setting_b"], sort=False):
        dataset, one, other, *settings = map(str, key)
        several = rows[(rows["N"] > 1) | (rows["method"] == rows["method"].iloc[0])]
        slug = unique_slug(["compare", dataset, one, other, *settings], [choice.slug for choice in choices])
        at = "" if set(settings) == {"default"} else f", {' and '.join(dict.fromkeys(settings))}"
        on = "" if dataset == "unknown" else f" on {dataset}"
        name = f"{other} − {one}{on}{at}"
        figure = comparison_figure(rows, slug, name)
        table = tabled("Differences between the runs", several, columns, note)
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

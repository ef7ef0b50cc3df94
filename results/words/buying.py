"""What to buy, in words: a choice, a plan's advice, and their tables.

To reach 85.0 %, take large, N = 8: 87.6 % (90 % interval on new questions 83.6 … 90.0 %) for $23.65 per
1,000 questions.
"""

from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from results.methods import BY_SCORE
from results.summary.buying import CLOSE, Plan
from results.tables.status import SHORT, Status
from results.terminal import NBSP
from results.votes.exact import SAME
from results.words.cells import Columns, Table, count, level_of, tabled
from results.words.names import (
    METHOD_NAMES,
    PRICED,
    UNITS,
    interval,
    listed,
    methods_name,
    percent,
    sentence,
    setting_used,
    show,
)

PRICES_OF = "US$ for the answers; prompts count only if priced, or if a column cost includes them."
"""What prices on the page include."""

LUCKY = "To expect: the best of several noisy choices is partly lucky; this removes the luck."


def dollars(amount: float) -> str:
    """US dollars with cents: "$0.22"; below a cent, with two significant digits."""
    return f"${amount:,.2f}" if amount >= 0.01 or amount == 0 else f"${amount:.2g}"


def bought(row: Any, alone: bool = False) -> str:
    """A choice with its accuracy, interval and cost.

    "N = 8, asked for 9 tokens, used 7: 95.4 % forecast (90 % interval on new questions 94.0 … 96.5 %) for 60
    tokens per question". `alone`: there is only one setting, which is not mentioned.
    """
    source = str(row["source"])
    used = setting_used(source, str(row["setting"]), row["cost"] / row["N"])
    used += " with its score" if row["method"] in BY_SCORE else ""
    place = f"N = {row['N']:.0f}" if alone else f"N = {row['N']:.0f}, {used}"
    value = show(row["predicted"]) + (" forecast" if is_forecast(row) else "")
    if pd.notna(row["lower"]):
        ends = interval(row["lower"], row["upper"])
        value += f" ({level_of(row).replace(' ', NBSP)} interval on {row['on']} {ends})"
    price = f"{row['cost']:,.0f} {UNITS[source]} per question"
    if row.get("usd", 0.0) > 0:
        price = f"{dollars(row['usd'])} per 1,000 questions"
    return f"{place}: {value} for {price}"


def is_forecast(row: Any) -> bool:
    """Whether a choice is forecast, not measured: its N or its setting was not sampled."""
    return bool(row.get("known") == "forecast")


def goal(plan: Plan) -> str:
    """What a plan is for: "to reach 85.0 %" or "within 700 tokens per question"; "" without a goal."""
    if plan.target_accuracy is not None:
        return f"to reach {show(plan.target_accuracy)}"
    if plan.token_budget is None:
        return ""
    return f"within {plan.token_budget:,.10g} {UNITS[plan.options['source'].iloc[0]]} per question"


def advice(plan: Plan) -> str:
    """What to buy for the goal, in a sentence; for a target, a second one on reaching it surely."""
    by = "" if len(plan.methods) > 1 else f" by {methods_name(plan.methods)}"
    if plan.target_accuracy is not None:
        return _reaching(plan, show(plan.target_accuracy), by)
    if plan.token_budget is None:
        return _cheap(plan, by)
    within = goal(plan)
    if plan.chosen is None:
        cheapest = plan.judged.sort_values("cost", kind="stable").iloc[0]
        return f"No choice stays {within}; the cheapest takes {count(cheapest['cost'])}."
    return f"{sentence(within)}{by}, take {_choice(plan, plan.chosen)}."


def _cheap(plan: Plan, by: str) -> str:
    """The cheapest choice about as good as the best, and the gain of the best if it is unclear."""
    assert plan.chosen is not None, "the best itself is one"
    chosen, best = plan.chosen, plan.best
    adds = best["predicted"] - chosen["predicted"]
    if adds <= CLOSE + SAME:
        return f"The cheapest choice within a point of the best{by} is {_choice(plan, chosen)}."
    times = best[plan.by] / chosen[plan.by]
    brings = "is forecast to add" if is_forecast(best) else "adds"
    paid = "price" if plan.by == "usd" else "tokens"
    return (
        f"The cheapest choice that is not clearly worse than the best{by} is {_choice(plan, chosen)}. "
        f"The best, {best['model']} with N = {best['N']:.0f}, {brings} {percent(adds)} points for "
        f"{times:.2g} times the {paid}: these intervals leave it open."
    )


def _reaching(plan: Plan, target: str, by: str) -> str:
    """The choices that reach a target by their forecast, and with their whole interval."""
    if plan.chosen is None:
        near = ", just below it," if show(plan.best["predicted"]) == target else ""
        return f"No choice reaches {target}{by}; the best{near} is {_choice(plan, plan.best)}."
    take = f"{sentence(goal(plan))}{by}, take {_choice(plan, plan.chosen)}."
    if plan.cautious is None:
        return f"{take} No choice reaches it with its whole interval."
    if plan.cautious.equals(plan.chosen):
        return take
    return f"{take} For the whole interval to reach it, take {_choice(plan, plan.cautious)}."


def _choice(plan: Plan, row: Any) -> str:
    """A choice in words, with its model, method and setting if there are several."""
    model = f"{row['model']}, " if len(plan.models) > 1 else ""
    method = f"{METHOD_NAMES[row['method']]}, " if len(plan.methods) > 1 else ""
    alone = len(set(plan.options["setting"])) == 1
    told = row if plan.by == "usd" else row.drop("usd", errors="ignore")  # as the frontier tells costs
    return model + method + bought(told, alone)


def plan_table(plan: Plan) -> Table:
    """The frontier of a plan, cheapest first, with the model if there are several."""
    columns = plan_columns(plan)
    first: Columns = {"model": itemgetter("model")} if len(plan.models) > 1 else {}
    notes = [LUCKY] if "to expect" in columns else []
    if PRICED in columns:
        notes.append(PRICES_OF)
    elif "usd" in plan.options and (priced := plan.options["usd"] > 0).any():
        of_model = plan.options.loc[~priced].groupby("model", sort=False)["usd"].max()
        why = [
            f"{name} {'has no price' if np.isnan(usd) else 'costs nothing'}" for name, usd in of_model.items()
        ]
        notes.append(f"Costs are in tokens: {listed(why)}.")
    return tabled("The frontier", plan.frontier, first | columns, " ".join(notes))


def plan_columns(plan: Plan) -> Columns:
    """The columns of a plan's frontier: the `alone` accuracy and, if it differs, the expected one.

    Costs are in money if the plan is by price. If there are several methods, they have a column. If all
    choices were measured, no intervals are shown.
    """
    rows = plan.frontier
    unit = UNITS[rows["source"].iloc[0]]
    with_score = " with score" if set(plan.methods) & set(BY_SCORE) else ""
    cost: Columns = {f"{unit}/question": lambda row: count(row["cost"])}
    if plan.by == "usd":
        cost = {PRICED: lambda row: dollars(row["usd"])}
    columns: Columns = {
        **cost,
        "setting": itemgetter("setting"),
        f"{unit}/answer{with_score}": lambda row: count(row["cost"] / row["N"]),
        "N": lambda row: str(row["N"]),
        "accuracy": lambda row: show(row["alone"]),
    }
    if plan.is_drawn_together:
        columns["to expect"] = lambda row: show(row["predicted"])
    if "known" not in rows:
        return columns
    columns |= interval_columns(rows)
    columns["status"] = _known
    if len(plan.methods) > 1:
        columns["by"] = lambda row: METHOD_NAMES[row["method"]]
    return columns


def interval_columns(rows: pd.DataFrame) -> Columns:
    """The columns of a forecast's intervals: for more answers to these questions, and for new ones."""
    level = level_of(rows)
    ends: Columns = {}
    both = rows.reindex(columns=["new_low", "new_high"]).set_axis(["low", "high"], axis=1)
    if rows["low"].isna().all() or not rows[["low", "high"]].equals(both):
        ends[f"{level} these questions"] = lambda row: interval(row["low"], row["high"])
    ends[f"{level} new questions"] = lambda row: interval(row.get("new_low"), row.get("new_high"))
    if "allowed_low" in rows and rows["allowed_low"].notna().any():
        ends["answers alone"] = lambda row: interval(row["allowed_low"], row["allowed_high"])
    return ends


def status_of(row: "pd.Series[str]") -> str:
    """How far a forecast can be trusted."""
    return SHORT.get(row["status"], row["status"])


def _known(row: "pd.Series[str]") -> str:
    """Whether a choice was measured, or how far its forecast can be trusted."""
    if not is_forecast(row):
        return "measured"
    doubt = row.get("status", Status.OK)
    return "forecast" if pd.isna(doubt) or doubt == Status.OK else f"forecast: {status_of(row)}"

"""Tables written by hand in which each sentence, note and cell of a page meets its corner cases.

A model or a run is named after what is peculiar to it, so that its sentences can be read beside its name.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from results.report.selectors import with_most_first
from results.summary.buying import plans_of
from results.summary.forecasts import make_forecasts, targets
from results.summary.panels import make_panels
from results.tables.money import NO_MONEY, Money, Price
from results.words.buying import advice, plan_table
from results.words.cells import Table, tabled
from results.words.compared import COLUMNS, PAIR, both_ways, pairs_of, verdict
from results.words.findings import (
    answers_verdict,
    fewer_questions,
    length_verdict,
    model_notes,
    models_table,
    opening,
)
from results.words.forecasts import error_table, forecast_table, forecast_title
from results.words.names import method_name
from results.words.values import measurement_table, value_table, verdict_tables
from tests.results import made_tables
from tests.results.made_tables import ACCURACY, BACKTEST, DIFFERENCE, PLAN, curves, twin

NAN = float("nan")
FLAT = dict.fromkeys(ACCURACY, 0.5)
UNKNOWN = dict.fromkeys(["difference_at_cost", "low_at_cost", "high_at_cost"])
UNDECIDED = {"difference": 0.02, "low": -0.03, "high": 0.07}
PAIRS: dict[str, list[dict[str, Any]]] = {
    "clear at the most answers": [UNDECIDED, {"N": 8}],
    "clear at all but the most": [
        {"N": 2},
        {"difference": 0.06, "low": 0.01, "high": 0.11},
        UNDECIDED | {"N": 8},
    ],
    "clear both ways": [{"N": 2}, {"difference": -0.07, "low": -0.12, "high": -0.02}],
    "worse": [{"difference": -0.08, "low": -0.13, "high": -0.03}],
    "undecided": [UNDECIDED | {"detectable": 0.04}],
    "no difference": [UNDECIDED | {"questions_needed": None}],
    "answers would do": [UNDECIDED | {"answers_needed": 1200.0}],
    "one question": [{"questions": 1, "low": None, "high": None}],
    "five questions": [UNDECIDED | {"questions": 5}],
    "five clusters": [UNDECIDED | {"clusters": 5}],
    "two settings": [
        {"setting_a": "x", "setting_b": "x", "cost": 9.0},
        {"setting_a": "y", "setting_b": "y", "cost": 70.0},
        {"setting_a": "z", "setting_b": "w", "cost": 60.0},
    ],
    "the other way at equal cost": [
        {"difference_at_cost": -0.05, "low_at_cost": -0.09, "high_at_cost": -0.01},
    ],
    "too at equal cost": [{"difference_at_cost": 0.05, "low_at_cost": 0.01, "high_at_cost": 0.09}],
    "decided at equal cost alone": [UNDECIDED | {"low_at_cost": -0.09, "high_at_cost": -0.01}],
    "in tokens": [{"cost_unit": "tokens"}],
    "no cost": [UNKNOWN | {"cost": None, "N_at_cost": None}],
    "dear": [UNKNOWN | {"N_at_cost": 0.04}],
    "cheap": [UNKNOWN | {"N_at_cost": 100.0}],
    "dear in a run": [UNKNOWN | {"N_at_cost": 0.04, "setting_b": "dear in a run"}],
    "undecided and dear": [UNDECIDED | UNKNOWN | {"N_at_cost": 0.04}],
    "of unknown cost": [UNKNOWN | {"N_at_cost": NAN}],
    "for nothing": [UNKNOWN | {"N_at_cost": 0.0}],
    "known at more answers": [UNKNOWN, {"N": 16, "low": -0.01}],
    "known by another method": [UNKNOWN, {"method": "best_of_n", "low": -0.01}],
    "single": [
        UNKNOWN | {"N": 1},
        {"N": 16, "difference": 0.0, "low": -0.1, "high": 0.1},
        UNKNOWN | {"N": 1, "method": "best_of_n"},
    ],
}


def pairs() -> pd.DataFrame:
    rows = [
        DIFFERENCE | {"b": name, "level": 0.95, "cost_unit": "US$"} | row
        for name, several in PAIRS.items()
        for row in several
    ]
    return pd.DataFrame(rows)


def models() -> pd.DataFrame:
    """Curves, the model of each named after what is peculiar to it."""
    lengths = {"20": 149.0, "500": 224.0}
    asked = {("20", 1): 0.5, ("20", 16): 0.55, ("500", 1): 0.6, ("500", 16): 0.66}
    ns = [2**i for i in range(9)]
    many = {(str(i), n): 0.3 + 0.01 * i + 0.01 * n**0.5 for i in range(1, 16) for n in ns}
    ignoring = curves(asked, model="ignores budgets", unreadable=0.2, cut_off=0.02)
    ignoring["tokens_per_answer"] = ignoring["setting"].map(lengths)
    long = curves(many, model="many settings")
    long["tokens_per_answer"] = long["setting"].astype(float) * 9
    far = FLAT | {("low", 1): 0.1, ("high", 16): 0.9}
    paired = curves(model="paired", stderr=0.03).assign(stderr_vs_first_n=[None, 0.01, None, 0.01])
    parts = [
        curves(),
        *(curves(method=method) for method in ("best_of_n", "best_by_score", "weighted_majority")),
        curves(method="all_of_n").assign(accuracy=[0.5, 0.1, 0.7, 0.2]),
        curves({("low", 1): 0.6, ("high", 1): 0.65}, method="greedy"),
        curves(FLAT, model="flat"),
        curves({("high", 4): 0.7, ("high", 16): 0.6}, model="one setting"),
        curves({("high", 4): 0.7}, model="one measurement"),
        curves({("high", 4): 0.7, ("high", 16): 0.8}, method="best_of_n", model="no vote"),
        curves({("high", 4): 0.7, ("high", 16): 0.2}, method="all_of_n", model="no vote, no best"),
        curves({("default", 1): 0.5, ("default", 4): 0.6}, model="no setting", unreadable=0.2),
        curves(far, model="no error", stderr=None),
        curves(far, model="one question", stderr=None, questions=1),
        curves(far, model="five questions", questions=5),
        curves(model="fewer questions", questions=[200, 200, 120, 120]),
        curves(model="sums"),
        curves(model="no tokens").drop(columns=["T", "tokens_per_answer"]),
        paired,
        ignoring,
        long,
        twin(),
        twin(model="linear-attention sigma_eps=2", method="ensemble", risk=[60.0, 40.0, 50.0, 31.5]),
        twin(model="linear-attention sigma=2", method="ensemble", risk=[60.0, 40.0, 50.0, 55.0]),
    ]
    return pd.concat(parts, ignore_index=True)


def plans() -> pd.DataFrame:
    """Of one goal each, which is what their data set is called."""
    own = pd.DataFrame(PLAN)
    other = own.assign(model="other", cost=own["cost"] / 2)
    dear = own.assign(model="other", predicted=own["predicted"] + 0.03, cost=2 * own["cost"])
    expected = own.assign(expected=own["predicted"] - 0.03, expected_low=0.4, expected_high=0.8)
    scored = own.assign(method="best_by_score", predicted=own["predicted"] + 0.02)
    goals = [
        pd.concat([own, dear]).assign(dataset="none"),
        pd.concat([own, other]).assign(target_accuracy=0.69, dataset="reached"),
        own.assign(target_accuracy=0.69, high=1.05, dataset="alone"),
        own.assign(target_accuracy=0.9, dataset="not reached"),
        own.assign(token_budget=45.0, dataset="budget"),
        own.assign(token_budget=5.0, dataset="small budget"),
        own.assign(token_budget=900.0, dataset="large budget"),
        expected.assign(target_accuracy=0.67, dataset="expected"),
        expected.drop(columns=["new_low", "new_high"]).assign(level=0.8, dataset="these questions"),
        pd.concat([own, scored]).assign(predictor="measured", dataset="methods"),
    ]
    return pd.concat(goals, ignore_index=True).fillna({"level": 0.9})


def forecasts() -> pd.DataFrame:
    """Of one task each: good and bad predictors, new settings, token caps, what nobody measured."""
    made = made_tables.forecast_table
    good = made("good", [0.63, 0.75])
    wild = made("wild", [1.9, -0.5], "out_of_range", low=[0, 1.8, 0, NAN])
    wild = wild.assign(new_low=0.2, new_high=[0, 0.9, 0, 0.8])
    some = made("partial", [0.62, NAN], "not_identifiable")
    none = made("none", NAN, "not_identifiable")
    wide = made("wide", [0.62, 0.74]).assign(low=0.0, high=1.0)
    bare = good.assign(predictor="bare", low=NAN, high=NAN)
    new = good["role"].where(good["setting"] == "high", "used")
    caps = good["setting"].map({"low": "cap=100", "high": "cap=400"})
    tasks = [
        *(good, wild, some, none, wide, bare, good.assign(predictor="default", predicted=1e9)),
        good.assign(model="longer", role=new),
        good.assign(model="capped", role=new, setting=caps),
        good.assign(model="unmeasured", accuracy=NAN),
    ]
    return pd.concat(tasks, ignore_index=True)


def backtest() -> pd.DataFrame:
    rows = pd.DataFrame(BACKTEST)
    parts = [rows.assign(split=str(i), predicted=rows["predicted"] + 0.001 * i) for i in range(8)]
    parts += [part[part["predictor"] == "bad"].assign(predictor="default") for part in parts]
    return pd.concat(parts).drop_duplicates(["predictor", "split"]).assign(unseen=0.58, level=0.9)


def claims() -> pd.DataFrame:
    row = {"where": "5", "quantity": "P ≤ 0.2", "measured": 0.21, "low": 0.19, "high": 0.23, "sentence": None}
    told = (
        ("greedy-stays-near-2/d", "t=1", "holds", {"sentence": "greedy stays"}),
        ("vote-of-n-answers", "t=1", "holds only at t=9", {"holds": False}),
        ("vote-of-n-answers", "t=9", "holds only at t=9", {"low": 0.21, "high": 0.21}),
        ("never", "sigma_eps=1", "fails", {"holds": False}),
        ("open", "t=1", "undecided", {"outcome": "undecided", "holds": False}),
        ("mine", "t=1", "holds", {"where": "ours, Definition 2"}),
    )
    names = ("claim", "setting", "verdict")
    rows = [row | {"holds": True} | dict(zip(names, words, strict=True)) | more for *words, more in told]
    table = pd.DataFrame(rows)
    outcome = table["holds"].map({True: "holds", False: "fails"})
    return table.assign(outcome=table["outcome"].fillna(outcome))


def table_text(table: Table) -> Iterator[str]:
    yield from (table.title, *(" | ".join(row) for row in [table.head, *table.rows]))
    yield from filter(None, [table.note])


def told() -> Iterator[str]:
    """All sentences and tables of the page about these tables."""
    for rows in pairs_of(pairs(), PAIR):
        yield verdict(rows)
        yield from table_text(tabled("", both_ways(rows), COLUMNS))
    panels = with_most_first(make_panels(models()))
    yield from [*opening([], pd.DataFrame(), panels), *model_notes(panels)]
    yield from filter(None, map(fewer_questions, panels))
    first = models_table(panels)
    assert first is not None
    yield from table_text(first)
    for panel in panels:
        yield from (method_name(panel.key), answers_verdict(panel))
        if panel.has_lengths:
            yield length_verdict(panel)
        yield from table_text(value_table(panel))
    goals = plans()
    alone = goals[goals["dataset"] == "none"]
    half, dear = Price(0.5), Price(4.0)
    for table, prices in ((goals, {}), (goals, {"m": half, "other": dear}), (alone, {"m": half})):
        for plan in plans_of(table, Money(prices)):
            yield from (*plan.models, advice(plan), *table_text(plan_table(plan)))
    ahead = make_forecasts({"ahead": forecasts()}, panels)
    for forecast in ahead:
        yield from (forecast_title(forecast), *table_text(forecast_table(forecast, NO_MONEY)))
    for rows in (targets(ahead), backtest()):
        yield from table_text(error_table("errors", rows))
    for table in (*verdict_tables(claims()), measurement_table(claims())):
        yield from table_text(table)

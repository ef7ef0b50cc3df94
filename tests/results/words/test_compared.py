"""The sentence on a comparison quotes the table."""

import re

import numpy as np
import pandas as pd
import pytest

from results.report.selectors import comparison_choices
from results.words.cells import cells_of
from results.words.compared import COLUMNS, both_ways, in_clusters, quoted, verdict, without_repeats
from tests.results.made_tables import DIFFERENCE


def test_every_difference_of_the_sentence_stands_in_a_row_that_it_quotes():
    """60 comparisons with clear and unclear rows, by two methods, with costs known for some rows."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        rows = pd.DataFrame([DIFFERENCE | {"N": n} for n in (1, 2, 4, 8)] * 2)
        rows["method"] = ["majority"] * 4 + ["best_of_n"] * 4
        for end in ("", "_at_cost"):
            middle, half = rng.uniform(-0.1, 0.1, 8).round(3), rng.uniform(0.02, 0.12, 8).round(3)
            own = {"difference": middle, "low": middle - half, "high": middle + half}
            rows = rows.assign(**{name + end: values for name, values in own.items()})
        rows.loc[rng.random(8) < 0.4, "difference_at_cost"] = None
        told = re.findall(r"(?:\(|… |by |is )[+−]?(\d+\.\d)", verdict(rows))
        cells = " ".join(" ".join(row) for row in cells_of(both_ways(rows.loc[quoted(rows)]), COLUMNS))
        assert len(told) >= 3 or "undecided" in verdict(rows)
        assert len(set(rows.loc[quoted(rows), "method"])) == 1 or "undecided" in verdict(rows)
        assert set(told) <= set(re.findall(r"\d+\.\d", cells))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"questions": 1}, "one question says"),
        ({"questions": 5}, "too few questions: 6"),
        ({"questions": 6}, "40 questions"),
        ({"clusters": 5}, "too few clusters: 6"),
        ({"clusters": 6}, "40 questions"),
    ],
)
def test_what_would_decide_a_difference_is_first_of_all_enough_questions(given, said):
    """Six that all differ one way do so by chance in 2 × 2⁻⁶ = 3 % of cases, five in 6 %."""
    row = DIFFERENCE | {"low": -0.02, "level": 0.95} | given
    (cells,) = cells_of(pd.DataFrame([row]).assign(at="equal N"), COLUMNS)
    assert cells[-1].startswith(said)


@pytest.mark.parametrize(
    ("ratio", "setting", "advice"),
    [
        (10, "10", "give large 10 or more per question"),
        (0.1, "10", "give large first, and small 10 or more per question"),
        (10, "large", "give large 10 or more per question"),
        (0.1, "large", "compare them at N = 10 or more"),  # two settings of one run
    ],
)
def test_an_unknown_equal_cost_asks_for_what_the_smallest_n_takes(ratio, setting, advice):
    row = DIFFERENCE | {"low": 0.03, "difference_at_cost": None, "cost_unit": "tokens", "setting_b": setting}
    rows = pd.DataFrame([row | {"N": n, "cost": n, "N_at_cost": n * ratio} for n in (4, 1, 16)])
    assert f"are compared: {advice}" in verdict(rows)


def test_where_there_are_several_settings_both_are_named():
    rows = pd.DataFrame([DIFFERENCE | {"setting_b": "20", "N": 8}, DIFFERENCE])
    assert ", majority vote, N = 8, setting 10 and 20, " in verdict(rows)
    assert [choice.name[-11:] for choice in comparison_choices(rows)] == [", 10 and 20", "on sums, 10"]


def test_only_what_is_clear_speaks_against_the_rest():
    unclear = DIFFERENCE | {"N": 1, "difference": -0.08, "low": -0.17, "high": 0.01}
    for least, told in ((0.01, ", the most answers at which it is clear"), (-0.01, ", but not everywhere")):
        rows = pd.DataFrame([DIFFERENCE, unclear | {"high": least}])
        assert told in verdict(rows)


def test_of_equal_costs_the_one_at_most_answers_is_quoted():
    """At N = 8 the cost is unknown; at 4 it is known, if nothing is clear at equal N."""
    unknown = {"N": 8, "difference_at_cost": None}
    rows = pd.DataFrame([DIFFERENCE | {"N": 1}, DIFFERENCE | {"low": -0.01}, DIFFERENCE | unknown])
    assert "large − small is −1.0 (−5.0 … +3.0) (majority vote, N = 4)" in verdict(rows)


def test_clusters_are_counted_and_one_answer_is_told_once():
    nan, methods = np.nan, ("majority", "best_of_n", "highest_score")
    told = [in_clusters(pd.DataFrame({"clusters": some})) for some in ([30, 30], [10, 21], [30, nan], [nan])]
    assert told == [" in 30 clusters", " in 10 to 21 clusters", " in 30 clusters, where there are any", ""]
    rows = pd.DataFrame([DIFFERENCE | {"N": 1, "method": method} for method in methods])
    assert without_repeats(rows)["method"].tolist() == ["majority", "highest_score"]


@pytest.mark.parametrize("clear", [0.03, -0.03])
def test_prices_of_answers_without_tokens_are_said_to_give_no_cost(clear):
    row = dict.fromkeys(["cost", "N_at_cost", "difference_at_cost"], np.nan) | {"low": clear}
    usd, tokens = (verdict(pd.DataFrame([DIFFERENCE | row | {"cost_unit": u}])) for u in ("US$", "tokens"))
    assert "since the cost of the answers of large is unknown" in usd.removeprefix(tokens[:-1])

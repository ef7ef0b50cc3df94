"""The sentence on a comparison: not swayed by noise or the order of rows, and quoting the table."""

import re

import numpy as np
import pandas as pd

from results.methods import CREDIT
from results.words.cells import cells_of
from results.words.compared import COLUMNS, answer_name, both_ways, lead_in, quoted, verdict, without_repeats
from tests.results.made_tables import DIFFERENCE


def test_a_data_set_is_named_where_there_are_several_and_it_has_a_name():
    assert lead_in("sums", True, "low") == "On sums, at setting low: "
    assert lead_in("unknown", True, "low") == lead_in("sums", False, "low") == "At setting low: "
    assert lead_in("unknown", True) == lead_in("sums", False) == ""


def test_a_row_at_equal_cost_has_its_own_number_of_questions():
    rows = both_ways(pd.DataFrame([DIFFERENCE | {"questions_needed_at_cost": 900.0}]))
    assert rows["questions_needed"].tolist() == [40, 900]


def test_a_single_answer_is_told_of_once_unless_it_has_its_credit():
    places = [{"method": method, "N": n} for method in ("best_of_n", "all_of_n", CREDIT[0]) for n in (1, 2)]
    told = [answer_name(row) for _, row in without_repeats(pd.DataFrame(places)).iterrows()]
    assert told[::3] == ["single answer", "highest score, N = 1"]


def test_of_several_settings_the_dearest_is_told_in_any_order_of_rows():
    of_x = {"setting_a": "x", "setting_b": "x", "cost": 9}
    of_y = {"setting_a": "y", "setting_b": "y", "cost": 70}
    rows = pd.DataFrame([DIFFERENCE | of_x, DIFFERENCE | of_y])
    for table in (rows, rows.iloc[::-1]):
        assert "N = 4, setting y" in verdict(table)
        assert "N = 4, setting x" in verdict(table.assign(cost=-table["cost"]))


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

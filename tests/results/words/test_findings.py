"""What the page says of lengths and models, and that the order of rows changes none of it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from results.summary.buying import measured
from results.summary.panels import make_panels
from results.words.findings import answers_verdict, headline, left_out, length_verdict, models_table, opening
from tests.results.made_tables import DIFFERENCE, curves, twin


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        ([1, 16], [16, 32], ["adds 14.0", "at N = 16"]),  # the expensive setting has no N = 1
        ([16, 32], [1, 16], ["adds 14.0", "at N = 16"]),
        ([1], [16], ["unknown"]),
    ],
)
def test_lengths_are_compared_at_one_number_of_answers(low, high, told):
    """Accuracies of 50 % at one answer, 60 at 16, 62 at 32; the expensive setting adds 14 points."""
    right = {1: 0.5, 16: 0.6, 32: 0.62}
    rows = [("low", n, right[n]) for n in low] + [("high", n, right[n] + 0.14) for n in high]
    setting, n, value = zip(*rows, strict=True)
    lengths = [100.0 if name == "low" else 400.0 for name in setting]
    given = {"setting": setting, "N": n, "accuracy": value, "tokens_per_answer": lengths}
    table = curves().iloc[[0] * len(rows)].assign(**given)
    (panel,) = make_panels(table.drop(columns="T"))
    assert all(words in length_verdict(panel) for words in told)
    assert ("cannot be judged" in headline(panel)) == (told == ["unknown"])
    found = models_table([panel])
    assert found is not None
    assert "one answer" not in found.head


def test_the_order_of_the_rows_changes_no_finding():
    table = pd.concat([curves(), curves(method="best_of_n").assign(accuracy=[0.5, 0.7, 0.8, 0.9])])
    for rows in (table[::-1], table.sort_values("accuracy")):
        found = make_panels(rows.sort_values("method", ascending=False, kind="stable"))
        assert models_table(found) == models_table(make_panels(table))


def test_the_first_sentence_on_three_runs_is_of_the_data_set_that_it_names():
    rows = [
        DIFFERENCE | {"dataset": dataset, "a": worse, "b": better, "N": n}
        for n in (4, 8)
        for dataset, runs in (("sums", ["p", "q", "best of sums"]), ("words", ["r", "s", "best of words"]))
        for worse, better in combinations(runs, 2)
    ]
    (line,) = opening([], pd.DataFrame(rows), [])
    named = "words" if line.startswith("On words: ") else "sums"
    assert line.startswith(f"On {named}: Of 3 runs, best of {named} is the best by majority vote, N = 8")
    pairs = [DIFFERENCE | {"dataset": name} for name in ("sums", "words", "more")]
    assert opening([], pd.DataFrame(pairs), [])[0].endswith(". 2 more below.")


@pytest.mark.parametrize(
    ("first", "told"), [(2.0, "cuts the error from 2 to 1.5"), (1.0, "raises the error from 1 to 1.5")]
)
def test_the_error_of_the_twin_is_better_lower(first, told):
    (panel,) = make_panels(twin().assign(accuracy=np.nan, risk=[first, 1.0, 1.5, 0.5]))
    assert told in length_verdict(panel)
    assert "cuts the error from 1.5 to 0.5 (" in answers_verdict(panel)


def test_a_model_is_left_out_of_the_plans_of_one_data_set_whatever_those_of_another_say():
    panels = make_panels(pd.concat([curves(), curves(dataset="words")]))
    (line,) = left_out(panels, [measured(panels[:1])])
    assert line.startswith("m on words is in no plan")

"""What the page says of lengths and models, and that the order of rows changes none of it."""

from itertools import combinations

import pandas as pd
import pytest

from results.summary.panels import make_panels
from results.words.findings import headline, length_verdict, models_table, opening
from tests.results.made_tables import DIFFERENCE, curves


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
        DIFFERENCE | {"dataset": dataset, "a": worse, "b": better}
        for dataset, runs in (("sums", ["p", "q", "best of sums"]), ("words", ["r", "s", "best of words"]))
        for worse, better in combinations(runs, 2)
    ]
    (line,) = opening([], pd.DataFrame(rows), [])
    named = "words" if line.startswith("On words: ") else "sums"
    assert line.startswith(f"On {named}: Of 3 runs, best of {named} is the best")

"""Ranks against their definition and the truth; the grid of shares against hand counts."""

from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from results.figures.comparison import grid_figure
from results.paired.runs import compare_runs
from results.summary.gains import ranks
from results.summary.samples import grids
from results.tables.contract import as_samples
from results.words.compared import ranks_sentence, ranks_table
from results.words.values import LISTED, runs_table, unsteady_table
from tests.results.made_tables import DIFFERENCE


def answers(shares: dict[str, list[int]], of: int = 4, **more: object) -> pd.DataFrame:
    """`of` answers of each model to each question; `shares` has the numbers of right ones."""
    rows = [
        {"model": model, "question_id": f"q{q:02}", "sample": sample, "correct": sample < right}
        for model, counts in shares.items()
        for q, right in enumerate(counts)
        for sample in range(of)
    ]
    return as_samples(pd.DataFrame(rows).assign(dataset="sums", **more))


def drawn(chances: dict[str, float], seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return answers({model: rng.binomial(4, chance, 60).tolist() for model, chance in chances.items()})


@pytest.mark.parametrize("seed", range(5))
def test_ranks_count_who_is_clearly_better_and_hold_the_truth(seed):
    chances = {"c": 0.75, "a": 0.9, "d": 0.3, "b": 0.75}
    table = compare_runs({"all": drawn(chances, seed)}, methods="best_of_n")
    found = ranks(table)
    assert set(found["setting"]) == {"default"}
    for run, n, first, last in found[["run", "N", "first", "last"]].itertuples(index=False):
        own = table[table["N"] == n]
        ahead = own[(own["b"] == run) & (own["high"] < 0)], own[(own["a"] == run) & (own["low"] > 0)]
        behind = own[(own["b"] == run) & (own["low"] > 0)], own[(own["a"] == run) & (own["high"] < 0)]
        assert (first, last) == (1 + sum(map(len, ahead)), 4 - sum(map(len, behind)))
    single = found[found["N"] == 1]
    assert "Of 4 runs" in ranks_sentence(single)
    best, worst = {"a": 1, "b": 2, "c": 2, "d": 4}, {"a": 1, "b": 3, "c": 3, "d": 4}
    assert (single["first"] <= single["run"].map(best)).all()
    assert (single["last"] >= single["run"].map(worst)).all()


def test_the_grid_has_the_hardest_question_and_the_best_run_first():
    greedy = answers({"large": [4, 4, 4]}, decoding="greedy")
    sampled = answers({"small": [0, 1, 4], "large": [2, 1, 4]}, decoding="sample")
    table = pd.concat([sampled.sample(frac=1, random_state=0), greedy])
    (grid,) = grids(table)
    assert [run.model for run in grid.shares] == ["large", "small"]
    assert grid.shares.to_numpy().tolist() == [[0.5, 0], [0.25, 0.25], [1, 1]]
    assert list(grid.shares.index) == ["q00", "q01", "q02"]
    assert grid.unsteady_questions.to_numpy().tolist() == [["q01", 2, 2, 0.25], ["q00", 1, 2, 0.25]]
    assert [row[2] for row in runs_table(grid).rows] == ["2 of 3", "1 of 3"]


def test_runs_of_one_name_are_ranked_by_setting():
    pairs = [DIFFERENCE | {"a": "m", "b": "m", "setting_a": a, "setting_b": b} for a, b in ("12", "13", "23")]
    assert set(ranks(pd.DataFrame(pairs))["run"]) == {"m, 1", "m, 2", "m, 3"}
    assert ranks_table(ranks(pd.DataFrame(pairs)), "95 %").title.endswith(", N = 4")  # and no setting


def test_runs_that_are_not_among_the_best_are_counted():
    runs = pd.DataFrame({"run": list("abcde"), "first": [1, 1, 3, 3, 3], "last": [2, 2, 5, 5, 5]})
    assert "; the other 3 are each clearly" in ranks_sentence(runs.assign(N=4, method="majority"))


def test_the_most_answers_are_those_of_any_run():
    (grid,) = grids(pd.concat([answers({"a": [1]}, of=4), answers({"b": [1]}, of=2)]))
    assert grid.answers == 4


@pytest.mark.parametrize(("right", "unsteady"), [(1, False), (2, True), (8, True), (9, False)])
def test_unsteady_is_from_a_fifth_to_four_fifths(right, unsteady):
    (grid,) = grids(answers({"m": [right]}, of=10))
    assert grid.unsteady.to_numpy().tolist() == [[unsteady]]


def test_a_cell_links_to_its_question_whatever_that_is_called():
    table = answers({"m": [2, 3]}).replace({"question_id": {"q00": "50 % of 1/#2 & more"}})
    (grid,) = grids(table)
    (cells,) = [layer.data for layer in grid_figure(grid, "g", {run.whose: 0 for run in grid.runs}).layers]
    assert [unquote(link) for link in cells["link"]] == ["50 % of 1/#2 & more", "q01"]
    assert not set("%#&/ ") & set(cells["link"].iloc[0].replace("%2", ""))


def test_a_grid_has_so_many_cells_over_all_its_runs(monkeypatch):
    monkeypatch.setattr("results.figures.comparison.MOST_CELLS", 4)
    (grid,) = grids(answers({"m": [0, 2, 3, 4, 4], "n": [0, 1, 2, 3, 4]}))
    figure = grid_figure(grid, "g", {run.whose: 0 for run in grid.runs})
    assert [len(layer.data) for layer in figure.layers] == [2]
    assert "2 of 5 questions" in figure.subtitle[-1]


def test_many_unsteady_questions_are_counted_and_few_named():
    evil = "<b>\u202e"
    table = answers({"m": [2] * 30}).assign(question_id=lambda rows: evil + rows["question_id"])
    (grid,) = grids(table)
    told = unsteady_table(grid)
    assert told.head == ["question", "right"]
    assert (told.title[:9], len(told.rows), told.rows[0][0]) == ("30 of 30 ", LISTED, "<b>\\u202eq00")

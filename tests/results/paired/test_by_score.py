"""Comparisons by score: against brute force, and one run's judge against its own plain vote."""

import math

import numpy as np
import pandas as pd
import pytest

from results import BadInput, compare
from results.paired.runs import compare_runs
from results.tables.money import Price, cost_of_score
from tests.by_hand import best_of_subset, by_subsets, scored_by_subsets, weighted_of_subset

QUESTIONS, ANSWERS = 12, 4


def run(seed: int, model: str, honest: float) -> pd.DataFrame:
    """Answers that are right ("A") four times in ten, with scores that favour right ones by `honest` / 8."""
    rng = np.random.default_rng(seed)
    rows = []
    for question in range(QUESTIONS):
        for sample in range(ANSWERS):
            answer = str(rng.choice(list("ABC"), p=[0.4, 0.35, 0.25]))
            score = (rng.integers(0, 4) + honest * (answer == "A")) / 8
            rows.append((f"q{question}", sample, answer, answer == "A", 10, score))
    columns = ["question_id", "sample", "answer", "correct", "tokens", "score_judge"]
    told = {"dataset": "d", "model": model, "setting": "s", "decoding": "sample"}
    return pd.DataFrame(rows, columns=columns).assign(**told)


CHOICES = {"best_by_score": best_of_subset, "weighted_majority": weighted_of_subset}


def by_hand(table: pd.DataFrame, method: str, n: int) -> np.ndarray:
    """The accuracy of each question, averaged over all subsets of n answers."""
    of_questions = []
    for _, rows in table.groupby("question_id", sort=True):
        votes = ["ABC".index(answer) for answer in rows["answer"]]
        if method == "majority":
            of_questions.append(by_subsets(votes, n, right=0))
        else:
            scores = rows["score_judge"].tolist()
            of_questions.append(scored_by_subsets(CHOICES[method], votes, scores, n))
    return np.array(of_questions)


@pytest.mark.parametrize("method", ["best_by_score", "weighted_majority"])
def test_one_run_s_choice_by_score_is_compared_with_its_own_vote(method: str) -> None:
    table = run(0, "m", honest=2)
    compared = compare_runs({"m": table}, methods=[method], score="judge").set_index("N")
    assert list(compared.index) == [2, 4]
    for n, row in compared.iterrows():
        gain = by_hand(table, method, int(n)) - by_hand(table, "majority", int(n))
        assert row["difference"] == pytest.approx(gain.mean(), abs=0.02)  # weights are rounded to a grid
        assert row["stderr"] == pytest.approx(gain.std(ddof=1) / np.sqrt(QUESTIONS), abs=0.02)
    assert set(compared["a"]) == {"majority"}
    assert set(compared["b"]) == {method}
    assert compared["difference_at_cost"].isna().all()


def test_two_runs_are_compared_by_the_same_scores() -> None:
    one, other = run(1, "one", honest=0), run(2, "other", honest=3)
    runs = {"a": one, "b": other}
    both = compare_runs(runs, methods=["best_by_score"], score="judge", score_cost=0.0).set_index("N")
    gain = by_hand(other, "best_by_score", 4) - by_hand(one, "best_by_score", 4)
    assert both.loc[4, "difference"] == pytest.approx(gain.mean())
    assert both.loc[4, "stderr"] == pytest.approx(gain.std(ddof=1) / np.sqrt(QUESTIONS))
    assert both.loc[4, "difference_at_cost"] == pytest.approx(both.loc[4, "difference"])
    assert set(compare_runs(runs, at=4, score="judge")["method"]) >= set(CHOICES)


def test_all_prices_scaled_leave_what_is_told_at_equal_cost() -> None:
    """Two models with different prices, whose scores cost tokens too."""
    runs = {
        "a": run(1, "one", honest=0).assign(tokens_judge=20),
        "b": run(2, "other", honest=3).assign(tokens=5, tokens_judge=3),
    }
    prices = [{"one": Price(scale), "other": Price(3 * scale)} for scale in (1.0, 1e3)]
    once, often = (compare_runs(runs, own, methods="majority,best_by_score", score="judge") for own in prices)
    np.testing.assert_allclose(often["cost"], 1000 * once["cost"])
    alone = compare(runs["a"], methods="majority,best_by_score", score="judge")
    assert set(alone["b"]) == {"best_by_score"}  # a vote is not compared with itself
    assert once["N_at_cost"].notna().any()
    same = [name for name in once if name != "cost"]
    pd.testing.assert_frame_equal(often[same], once[same])
    by_hand = once.set_index(["method", "N"])
    assert by_hand.loc[("majority", 4), "N_at_cost"] == pytest.approx(4 * 10 / 15, rel=1e-6)
    assert by_hand.loc[("best_by_score", 4), "cost"] == pytest.approx(4 * 30e-6)


def test_nothing_is_said_at_equal_cost_where_a_score_costs_nobody_knows_what() -> None:
    """Either the score's cost is unknown, or it is in tokens while the answers' cost is in dollars."""
    plain = {"a": run(1, "one", honest=0), "b": run(2, "other", honest=3)}
    own = {name: table.assign(cost=0.01) for name, table in plain.items()}
    for runs, cost in ((plain, None), (own, 500.0)):
        both = compare_runs(runs, methods=["majority", "best_by_score"], score="judge", score_cost=cost)
        by_method = both.set_index("method")
        assert by_method.loc["majority", "difference_at_cost"].notna().all()
        assert by_method.loc["best_by_score", ["cost", "difference_at_cost"]].isna().all(axis=None)


def test_the_cost_of_a_score_is_the_mean_of_what_each_took() -> None:
    answers = pd.DataFrame({"score_judge": [0.9, 0.9, 0.1, None], "tokens_judge": [59, 0, 31, None]})
    assert cost_of_score(answers, "score_judge") == 30
    assert cost_of_score(answers, "logprob") == 0
    assert math.isnan(cost_of_score(answers, "score_other"))
    assert math.isnan(cost_of_score(answers, "score"))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"methods": ["best_by_score"]}, "score"),
        ({"score": "judge", "methods": ["majority"]}, "score"),
        ({"score": "nothing"}, "score"),
        ({"methods": ["by_luck"]}, "by_luck"),
        ({}, "nothing to compare"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        compare(run(0, "m", honest=2), **given)


def test_one_answer_leaves_nothing_to_choose() -> None:
    table = run(0, "m", honest=2)
    with pytest.raises(BadInput, match="nothing to choose"):
        compare_runs({"m": table[table["sample"] == 0]}, methods=["best_by_score"], score="judge")

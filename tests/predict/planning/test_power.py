"""predict.planning.power: the probability of a verdict against simulated comparisons, and its formula."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

from predict.planning.power import power
from results.paired.differences import mean_differences
from results.paired.needed import Decision, given
from results.votes.exact import accuracy_by_question
from tests.predict.answers.pools import asked


def two_models(questions: int, better: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the right and three wrong answers for two models that find the same questions hard."""
    logit = rng.normal(0.3, 1.3, questions)
    wrong = rng.dirichlet([2, 1, 1], questions)
    laws = []
    for shift in (0.0, better):
        p = 1 / (1 + np.exp(-logit - shift - rng.normal(0, 0.5, questions)))
        laws.append(np.column_stack([p, (1 - p)[:, None] * wrong]))
    return laws[0], laws[1]


RELEASE = pytest.mark.release


@pytest.mark.integration
@pytest.mark.parametrize(
    ("better", "seen"), [(0.6, 3), pytest.param(0.6, 8, marks=RELEASE), pytest.param(0.0, 8, marks=RELEASE)]
)
def test_a_large_pilot_tells_how_many_comparisons_are_decided(better: float, seen: int) -> None:
    """600 comparisons of 60 questions; the pilot's 4,000 determine the difference almost exactly.

    Probabilities agree to 0.08: means of 60 questions, few of which differ, are not quite normal.
    """
    rng = np.random.default_rng(3)
    a, b = (asked(laws, seen, rng) for laws in two_models(4000, better, rng))
    told = power(a, b, [60], [4, 16], seed=0)
    for answers, rows in told.groupby("answers"):
        many = [asked(laws, int(answers), rng).counts() for laws in two_models(60 * 600, better, rng)]
        for _, row in rows.iterrows():
            one, other = (
                accuracy_by_question(side, row["method"], [row["N"]])[:, 0].reshape(600, 60) for side in many
            )
            found = mean_differences((other - one).T)
            share = np.mean((found.interval.low > 0) | (found.interval.high < 0))
            half = np.mean(found.interval.high - found.interval.low) / 2
            assert row["difference"] == pytest.approx((other - one).mean(), abs=0.015)
            assert row["margin"] == pytest.approx(half, rel=0.07)
            assert row["decided"] == pytest.approx(share, abs=0.08)


def test_beyond_the_pilots_answers_what_is_hard_for_both_narrows_the_difference() -> None:
    """A pilot of 3 answers, votes of 4: the variance between questions against that of the known laws."""
    rng = np.random.default_rng(5)
    laws = two_models(3000, 0.6, rng)
    told = power(*(asked(each, 3, rng) for each in laws), [60], [4], seed=0)
    vote = told[(told["method"] == "majority") & (told["N"] == 4)]
    one, other = (accuracy_by_question(asked(each, 4, rng).counts(), "majority", [4])[:, 0] for each in laws)
    found = mean_differences((other - one).reshape(60, 50))
    assert vote["margin"].item() == pytest.approx(
        np.mean(found.interval.high - found.interval.low) / 2, rel=0.1
    )


def test_a_pilot_of_one_answer_to_each_question_tells_of_the_best_of_four() -> None:
    rng = np.random.default_rng(6)
    one, other = (asked(each, 1, rng) for each in two_models(300, 0.6, rng))
    told = power(one, other, [300], [1, 4], seed=0).set_index(["answers", "method", "N"])
    assert np.isfinite(told["margin"][4, "best_of_n", 4])
    stderr = told["margin"] / stdtrit(299, 0.975)  # of a run like the pilot, which is as uncertain at N = 4
    truth = given(told["difference"][4, "majority", 4], stderr[1, "majority", 1])
    decided = Decision(whole=True).decided(300, 300 * stderr[4, "majority", 4] ** 2, truth)
    assert told["decided"][4, "majority", 4] == pytest.approx(decided)
    alone = power(one, replace(other, votes=rng.permutation(other.votes)), [300], [4], seed=0)
    assert told["margin"][4, "best_of_n", 4] < alone.set_index(["method", "N"])["margin"]["best_of_n", 4]


def test_the_chance_told_is_the_one_that_comes_true() -> None:
    """Averaged over pilots and true differences with scales from 2 to 8 points, unknown to the pilots."""
    rng = np.random.default_rng(1)
    true = rng.normal(0, np.repeat([0.02, 0.04, 0.08], 500))
    stderr, test = 0.3 / np.sqrt(100), Decision()
    pilots = rng.normal(true, stderr)
    told = [test.decided(200, 0.09, given(difference, stderr)) for difference in pilots]
    came_true = [test.decided(200, 0.09, given(difference, 0.0)) for difference in true]
    assert np.mean(told) == pytest.approx(np.mean(came_true), abs=0.05)


def test_the_largest_cluster_may_differ_by_half_where_nothing_was_seen_to() -> None:
    """Two models that are always right: of clusters of 1 to 8 questions, four may differ, not one."""
    laws = np.tile([1.0, 0.0], (14, 1))
    one, other = (asked(laws, 4, np.random.default_rng(0)) for _ in range(2))
    passages = ["long"] * 8 + [f"short {i}" for i in range(6)]
    told = power(replace(one, clusters=passages), other, [5000], [4], seed=0)
    assert told["margin"].to_numpy() == pytest.approx(1.96 * 4 / 5000, rel=0.01)

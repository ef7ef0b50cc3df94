"""Alarms of the mixture: raised where it fits poorly, silent where nothing is wrong."""

import numpy as np
import pytest
from numpy.typing import NDArray

from predict.answers.best_of_n import fit_rates
from predict.answers.mixture import fit_status, mixture, populations
from predict.answers.population import fit_population
from predict.estimate import Options, Status
from predict.evidence.capped import observe
from predict.evidence.groups import groups_of_samples
from results.votes.exact import VoteCounts
from tests.predict.answers.pools import drawn_pool, observed, pool_of, targets
from tests.predict.conftest import samples_of


def varied(rng: np.random.Generator) -> NDArray[np.float64]:
    """The laws of 40 questions from hard to easy, with a leading wrong answer of any weight."""
    right = rng.beta(1.3, 1.0, 40)
    leader = (1 - right) * rng.beta(1.0, 1.5, 40)
    return np.stack([right, leader, 1 - right - leader], axis=1)


def test_answers_that_are_not_drawn_independently_fit_the_mixture_poorly() -> None:
    """Always exactly 4 of 9 answers are right and 5 the same wrong one: never a lucky majority."""
    seen, _ = observed(pool_of(np.tile([0] * 4 + [1] * 5, (60, 1))), 9)
    assert mixture(seen, targets([32]), Options()).status[0] == Status.POOR_FIT


def test_independent_answers_do_not_fit_the_mixture_poorly() -> None:
    """Questions of many kinds, 40 × 8 answers: at most 3 of 30 tables may raise the alarm."""
    poor = 0
    for seed in range(30):
        answers = samples_of({"a": varied(np.random.default_rng(seed))}, 8, seed)
        (group,) = groups_of_samples(answers, "majority")
        seen = observe(group, ["a"], 8)
        poor += fit_status(seen, seen.pools[0], populations(seen)[0]) is Status.POOR_FIT
    assert poor <= 3


def test_one_answer_a_question_pins_no_vote_down() -> None:
    seen, _ = observed(drawn_pool(60, 4, np.random.default_rng(0)), 1)
    assert mixture(seen, targets([16]), Options()).status[0] == Status.BOUND_HIT
    two, _ = observed(drawn_pool(60, 4, np.random.default_rng(0)), 2)
    assert fit_status(two, two.pools[0], populations(two)[0]) is Status.OK
    rare = drawn_pool(60, 8, np.random.default_rng(0), 0.85)
    assert mixture(observed(rare, 8)[0], targets([16]), Options()).status[0] == Status.BOUND_HIT
    best, _ = observed(rare, 8, "best_of_n")  # which counts the unreadable ones, as wrong
    assert fit_status(best, rare, fit_rates(rare.answers.counts())) is Status.OK


def test_a_population_that_is_far_from_the_observed_accuracy_is_a_poor_fit() -> None:
    seen, _ = observed(drawn_pool(100, 8, np.random.default_rng(1)), 8)
    (pool,) = seen.pools
    counts = pool.answers.counts()
    wrong = VoteCounts(np.full(200, 0), np.full(200, 4), np.arange(201), np.zeros(200, dtype=np.int64))
    assert fit_status(seen, pool, fit_population(wrong)) is Status.POOR_FIT
    assert fit_status(seen, pool, fit_population(counts)) is Status.OK
    best, _ = observed(pool, 8, "best_of_n")
    assert fit_status(best, pool, fit_rates(wrong)) is Status.POOR_FIT
    assert fit_status(best, pool, fit_rates(counts)) is Status.OK


ALIKE = {
    "clear": (0.6, 0.14, 0.13, 0.13),
    "followed": (0.5, 0.3, 0.2),
    "behind": (0.35, 0.6, 0.05),
    "even": (0.55, 0.45),
}


@pytest.mark.parametrize("unreadable", [0, 1, 240])
@pytest.mark.parametrize("kind", ALIKE)
def test_questions_that_are_all_alike_are_followed_or_not_called_ok(kind: str, unreadable: int) -> None:
    """Some of 2,400 answers are unreadable. Against a simulated N = 16: within 3 points, or not `ok`."""
    rng, chances = np.random.default_rng(0), ALIKE[kind]
    raw = rng.choice(len(chances), (300, 8), p=chances)
    raw.ravel()[rng.permutation(raw.size)[:unreadable]] = -1
    seen, _ = observed(pool_of(raw), 8)
    found = mixture(seen, targets([16]), Options(replicates=100))
    cast = rng.binomial(16, 1 - unreadable / raw.size, 40_000)
    votes = rng.multinomial(cast, chances)
    top = votes.max(axis=1)
    truth = np.where(votes[:, 0] == top, 1 / (votes == top[:, None]).sum(axis=1), 0.0).mean()
    assert abs(found.mean[0] - truth) < 0.03 or found.status[0] != Status.OK
    assert found.mean[0] == pytest.approx(truth, abs=0.05)


def test_hard_questions_with_more_unreadable_answers_raise_none() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(0.8, 0.6, (400, 1))
    raw = np.where(rng.random((400, 8)) < p, 0, rng.integers(1, 6, (400, 8)))
    raw[rng.random((400, 8)) < 0.6 * (1 - p)] = -1
    seen, _ = observed(pool_of(raw), 8)
    assert mixture(seen, targets([16]), Options()).status[0] == Status.OK

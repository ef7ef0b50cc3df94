"""What unreadable answers say about p: the law against sums, and the difficulty of such questions."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from predict.answers.atoms import P
from predict.answers.population import by_p, fit_population
from predict.answers.unread import CENTRE, SPREAD, U, fit_unread
from tests.predict.answers.pools import pool_of


def drawn(
    rng: np.random.Generator, questions: int, answers: int, most: float
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities p, and answers (questions, answers), with a share up to `most` unreadable at small p."""
    p = rng.beta(1.5, 1.2, (questions, 1))
    raw = np.where(rng.random((questions, answers)) < p, 0, rng.integers(1, 6, (questions, answers)))
    raw[rng.random(raw.shape) < most * (1 - p) ** 2] = -1
    return p, raw


def rising(x: float, steps: int) -> float:
    return math.prod(x + i for i in range(steps))


def test_the_likeliest_law_is_that_of_sums_without_special_functions() -> None:
    rng = np.random.default_rng(0)
    nulls, pools = rng.integers(0, 4, 12), np.full(12, 4)
    chance = rng.dirichlet(np.ones(len(P)), 12)

    def loss(x: np.ndarray) -> float:
        m = 1 / (1 + np.exp(-x[0] - x[1] * U))
        a, b = np.exp(x[2]) * m, np.exp(x[2]) * (1 - m)
        total = ((x - CENTRE) ** 2 / SPREAD**2).sum() / 2
        for n, of_p in zip(nulls.tolist(), chance, strict=True):
            of_n = [rising(i, n) * rising(j, 4 - n) / rising(i + j, 4) for i, j in zip(a, b, strict=True)]
            total -= math.log(of_p @ of_n)
        return total

    x = minimize(loss, CENTRE, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-12}).x
    found = fit_unread(nulls, pools, chance)
    m = 1 / (1 + np.exp(-x[0] - x[1] * U))
    assert found.unread == pytest.approx(np.exp(x[2]) * m, rel=5e-3)
    assert found.read == pytest.approx(np.exp(x[2]) * (1 - m), rel=5e-3)


def test_where_hard_questions_are_not_read_their_share_falls_with_p_and_elsewhere_it_does_not() -> None:
    rng = np.random.default_rng(1)
    (_, hard), (_, alike) = drawn(rng, 600, 8, 0.6), drawn(rng, 600, 8, 0.0)
    alike[rng.random(alike.shape) < 0.2] = -1
    at = [np.abs(P - p).argmin() for p in (0.1, 0.5)]
    for raw, share in ((hard, [0.6 * 0.9**2, 0.6 * 0.5**2]), (alike, [0.2, 0.2])):
        law = fit_population(pool_of(raw).answers.counts()).unread
        assert law is not None
        assert (law.unread / (law.unread + law.read))[at] == pytest.approx(share, abs=0.08)


def test_a_question_that_was_hardly_read_counts_as_a_hard_one_where_hard_ones_are_not_read() -> None:
    _, raw = drawn(np.random.default_rng(2), 400, 4, 0.6)
    counts = pool_of(raw).answers.counts()
    chance = by_p(fit_population(counts).posterior()) @ P
    once = (counts.pools - counts.nulls == 1) & (counts.correct == 1)
    assert once.sum() > 3
    assert chance[once].mean() < 0.5


def test_questions_are_as_hard_as_they_are_where_hard_ones_are_not_read() -> None:
    """Treating unreadable answers as independent of p would overestimate by 2.8 points."""
    bias = []
    for seed in range(4):
        p, raw = drawn(np.random.default_rng(seed), 600, 4, 0.6)
        weights = fit_population(pool_of(raw).answers.counts()).fit.weights
        bias.append(by_p(weights) @ P - p.mean())
    assert abs(np.mean(bias)) < 0.01

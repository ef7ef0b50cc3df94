"""predict.answers.allowed against a general optimiser, EM, and known laws."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint, linprog, minimize
from scipy.stats import binom, chi2

from predict.answers.allowed import allowed, fitted, log_likelihood
from predict.answers.atom_votes import vote_table
from predict.answers.mixture import OPEN, mixture
from predict.answers.population import fit_population
from predict.estimate import Options, Status
from predict.evidence.points import Floats
from tests.predict.answers.pools import drawn_pool, observed, pool_of, targets

P = np.linspace(0, 1, 9)
"""Atoms by their probability of a right answer; the accuracy is that of a majority of nine answers."""

ACCURACY = binom.sf(4, 9, P)


def seen(answers: int) -> tuple[Floats, Floats]:
    """The likelihood of each number of right answers by atom, and the number of questions that have it."""
    likelihood = np.array([binom.pmf(right, answers, P) for right in range(answers + 1)])
    law = np.array([0, 0.1, 0.1, 0.1, 0.2, 0, 0.2, 0.2, 0.1])
    return likelihood, 60 * likelihood @ law


@pytest.mark.parametrize("answers", [2, 4])
def test_both_ends_are_those_of_a_general_optimiser(answers):
    likelihood, times = seen(answers)
    best = log_likelihood(likelihood, times, fitted(likelihood, times))
    fits = NonlinearConstraint(
        lambda w: times @ np.log(likelihood @ np.maximum(w, 1e-12)), best - chi2.ppf(0.9, 1) / 2, np.inf
    )
    whole = LinearConstraint(np.ones(P.size), 1, 1)
    ends = []
    for sign in (1, -1):
        found = minimize(
            lambda w, sign=sign: sign * w @ ACCURACY,
            np.full(P.size, 1 / P.size),
            method="SLSQP",
            bounds=[(0, 1)] * P.size,
            constraints=[whole, fits],
            options={"maxiter": 500},
        )
        ends.append(found.x @ ACCURACY)
    assert allowed(likelihood, times, ACCURACY, 0.9) == pytest.approx(ends, abs=0.006)


def test_the_likeliest_law_is_that_of_em():
    likelihood, times = seen(6)
    weights = np.full(P.size, 1 / P.size)
    for _ in range(20_000):
        weights *= (times / (likelihood @ weights)) @ likelihood / times.sum()
    by_em = log_likelihood(likelihood, times, weights)
    assert log_likelihood(likelihood, times, fitted(likelihood, times)) == pytest.approx(by_em, abs=0.02)


def test_two_answers_leave_open_all_that_laws_of_the_largest_likelihood_give():
    """Linear programming finds these laws; a search that got stuck would fall short of them."""
    rng = np.random.default_rng(2)
    right = rng.beta(1.5, 1.2, 2000)
    raw = np.where(rng.random((2000, 2)) < right[:, None], 0, rng.integers(1, 6, (2000, 2)))
    population = fit_population(pool_of(raw).answers.counts())
    accuracy = vote_table(16)
    times = np.bincount(population.pattern)
    marginal = population.likelihood @ fitted(population.likelihood, times)
    equal = {"A_eq": np.vstack([population.likelihood, np.ones(accuracy.size)]), "b_eq": [*marginal, 1.0]}
    least, most = (sign * linprog(sign * accuracy, **equal, bounds=(0, 1)).fun for sign in (1, -1))
    low, high = allowed(population.likelihood, times, accuracy, 0.9)
    assert least - 0.1 < low < least + 0.005
    assert most - 0.005 < high < most + 0.1


def test_more_answers_leave_less_open_and_what_is_too_open_is_not_ok():
    rng = np.random.default_rng(1)
    pool = drawn_pool(150, 32, rng)
    widths = []
    statuses = []
    for answers in (4, 32):
        evidence, _ = observed(pool, answers)
        found = mixture(evidence, targets([2, 64]), Options(20, allowed=True))
        low, high = found.allowed.low[1], found.allowed.high[1]
        assert np.isnan(found.allowed.low[0])  # the vote of two answers is known
        assert low < found.mean[1] < high
        widths.append(high - low)
        statuses.append(found.status[1])
    assert widths[1] < widths[0] - OPEN
    assert statuses == [Status.BOUND_HIT, Status.OK]
    assert mixture(evidence, targets([64]), Options(20)).allowed is None


def test_answers_that_are_not_read_cast_no_vote():
    """Half of every question's answers are unreadable, so readable ones among six are Binomial(6, 1/2)."""
    evidence, _ = observed(drawn_pool(150, 4, np.random.default_rng(3), 0.5), 4)
    found = mixture(evidence, targets([6]), Options(20, allowed=True)).allowed
    population = fit_population(evidence.pools[0].answers.counts())
    vote = sum(binom.pmf(cast, 6, 0.5) * vote_table(cast) for cast in range(1, 7))
    times = np.bincount(population.pattern)
    ends = allowed(population.likelihood, times, vote, 0.9)
    assert [found.low[0], found.high[0]] == pytest.approx(ends, abs=0.02)
    assert ends[1] < allowed(population.likelihood, times, vote_table(6), 0.9)[1] - 0.04

"""The beta-binomial: parameters recovered, best-of-N against numerical integration and simulation."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_law
from scipy.stats import betabinom

from predict.curves.alarm import LIKELY
from predict.protocol import Observed, Options, Points, Pool
from predict.questions.beta_binomial import (
    BetaFit,
    _draws,
    best_of_n_given,
    beta_binomial,
    fit_beta,
    reach,
)
from results.votes.exact import AnswerPools


def statuses(right: np.ndarray, answers: int, N: list[int]) -> list[str]:
    """Those of the forecasts at `N` from so many right ones of `answers` to each question."""
    votes = np.where(np.arange(answers) < right[:, None], 0, 1).ravel()
    ids, starts = [str(q) for q in range(len(right))], answers * np.arange(len(right) + 1)
    pool = Pool("a", 1.0, AnswerPools(ids, starts, votes, np.full(len(votes), np.nan)))
    one = Points(np.array(["a"]), np.ones(1), np.ones(1, dtype=np.int64))
    observed = Observed(one, np.ones(1), np.ones(1), np.empty((0, 1)), (pool,), "best_of_n")
    targets = Points(np.full(len(N), "a"), np.ones(len(N)), np.array(N))
    return beta_binomial(observed, targets, Options()).status.tolist()


def test_parameters_of_a_large_sample_are_recovered() -> None:
    rng = np.random.default_rng(0)
    trials = np.full(20_000, 10)
    successes = rng.binomial(trials, rng.beta(0.7, 1.9, len(trials)))
    found = fit_beta(successes, trials)
    assert found.a == pytest.approx(0.7, rel=0.05)
    assert found.b == pytest.approx(1.9, rel=0.05)
    assert statuses(successes, 10, [1, 10, 1000]) == ["ok"] * 3


def test_best_of_n_is_the_posterior_integral() -> None:
    fit = BetaFit(0.7, 1.9, np.eye(2))
    found = best_of_n_given(fit, np.array([0, 2]), np.array([4, 4]), np.array([1, 16]))
    for row, s in zip(found, (0, 2), strict=True):
        law = beta_law(0.7 + s, 1.9 + 4 - s)
        for value, n in zip(row, (1, 16), strict=True):
            expected, _ = quad(lambda p, n=n, law=law: (1 - (1 - p) ** n) * law.pdf(p), 0, 1)
            assert value == pytest.approx(expected, abs=1e-6)


def test_best_of_one_is_the_posterior_mean_rate() -> None:
    fit = BetaFit(1.3, 0.4, np.eye(2))
    s, n = np.array([0, 3, 5]), np.array([5, 5, 5])
    assert best_of_n_given(fit, s, n, np.array([1]))[:, 0] == pytest.approx((1.3 + s) / (1.7 + n))


@pytest.mark.parametrize("right", [0, 4])
def test_unanimous_counts_run_to_a_bound_and_say_so(right: int) -> None:
    """Of 120 answers none was right, nor will more than 1 % be: 1.1 % at N = 1, but 16 % at N = 16."""
    found = fit_beta(np.full(30, right), np.full(30, 4))
    assert max(np.abs(np.log([found.a, found.b]))) > 8
    assert statuses(np.full(30, right), 4, [1, 16]) == ["ok", "ok" if right else "bound_hit"]
    value = best_of_n_given(found, np.full(30, right), np.full(30, 4), np.array([16])).mean()
    assert value == pytest.approx(1.0 if right else 0.0, abs=0.05)


@pytest.mark.parametrize(
    ("questions", "answers", "a", "b"),
    [(40, 4, 0.7, 0.9), (300, 8, 0.3, 1.5), (30, 2, 3.0, 3.0), (20, 4, 0.1, 9)],
)
def test_reach_is_how_far_laws_that_fit_as_well_go(questions: int, answers: int, a: float, b: float) -> None:
    """Against all laws on a grid, their likelihood and best-of-N from SciPy's beta-binomial."""
    rng = np.random.default_rng(1)
    s, n = rng.binomial(answers, rng.beta(a, b, questions)), np.full(questions, answers)
    log_a, log_b = np.meshgrid(np.linspace(-9, 9, 361), np.linspace(-9, 9, 361))
    laws = np.exp(np.stack([log_a.ravel(), log_b.ravel()], axis=1))
    seen, times = np.unique(s, return_counts=True)
    likelihood = sum(m * betabinom.logpmf(k, answers, *laws.T) for k, m in zip(seen, times, strict=True))
    laws = laws[likelihood >= likelihood.max() - LIKELY / 2]
    fit, N = fit_beta(s, n), np.array([1, answers, 64])
    centre = best_of_n_given(fit, s, n, N).mean(axis=0)
    for found, middle, m in zip(reach(fit, s, n, N), centre, N, strict=True):
        wrong = sum(
            k_times * betabinom.pmf(0, m, laws[:, 0] + k, laws[:, 1] + answers - k)
            for k, k_times in zip(seen, times, strict=True)
        )
        expected = np.abs(1 - wrong / questions - middle).max()
        assert found == pytest.approx(expected, rel=0.1, abs=0.001)


def test_the_status_is_of_the_target() -> None:
    """300 questions, 8 answers: they tell best of 8, and not how many questions are right once in 256."""
    rng = np.random.default_rng(1)
    right = rng.binomial(8, rng.beta(0.3, 1.5, 300))
    assert statuses(right, 8, [1, 8, 256]) == ["ok", "ok", "bound_hit"]


@pytest.mark.parametrize("target", ["these-questions", "population"])
def test_draws_scatter_as_right_and_wrong_questions_do(target: str) -> None:
    """With (a, b) known, a question is right with its own chance, or a new one with the mean of all."""
    fit, N = BetaFit(0.4, 0.6, 1e-12 * np.eye(2)), np.array([1, 8])
    s, n = np.repeat([0, 2, 6], 20), np.full(60, 6)
    chance = best_of_n_given(fit, s, n, N)
    if target == "population":
        chance = np.broadcast_to(chance.mean(axis=0), chance.shape)
    simulated = (np.random.default_rng(0).random((4000, 60, 2)) < chance).mean(axis=1)
    draws = _draws(fit, s, n, N, Options(replicates=4000, target=target), np.random.default_rng(1))
    # two spreads of 4,000 draws: 1.1 % each
    assert draws.std(axis=0) == pytest.approx(simulated.std(axis=0), rel=0.06)
    assert draws.mean(axis=0) == pytest.approx(chance.mean(axis=0), abs=0.005)

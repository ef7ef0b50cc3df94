"""predict.stopped.pace: a known line is recovered, and late answers are right as often as it says."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import norm

from predict.stopped.fit import Fit
from predict.stopped.observed import SeenLengths, seen_at
from predict.stopped.pace import DOUBT, PRIOR_MEAN, PRIOR_SD, fit_line, follow
from predict.stopped.simulate import Simulated
from results.votes.exact import AnswerPools, VoteCounts

LEVEL, SLOPE = 1.2, -1.6


def pools(Q: int, n: int, seed: int, shared: float = 0.0) -> AnswerPools:
    """Pools with normal log lengths; `shared`: sd of the effect common to the answers to a question."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((Q, n))
    right = rng.random((Q, n)) < expit(LEVEL + SLOPE * z + shared * rng.standard_normal((Q, 1)))
    names = [f"q{q}" for q in range(Q)]
    tokens = np.rint(np.exp(8 + z)).ravel()
    return AnswerPools(names, np.arange(Q + 1) * n, np.where(right, 0, 1).ravel(), tokens)


def test_a_known_line_is_found_again_from_the_faster_half() -> None:
    found = fit_line(seen_at(pools(4000, 8, 0), np.exp(8)))
    sd = np.sqrt(np.diag(found.spread @ found.spread.T))
    assert (np.abs(found.theta - [LEVEL, SLOPE]) < 3 * sd).all()
    assert (sd < 0.08).all()


def test_the_line_through_two_bins_is_that_of_the_formulas_written_out() -> None:
    """Four questions with unequal pools, each with similar answers: 18 answers ended in the first bin, 12 in
    the second, and 5 are unfinished."""
    right = np.array([[8.0, 3], [1, 1], [0, 0], [0, 0]])
    other = np.array([[0.0, 0], [1, 1], [6, 2], [2, 5]])
    nothing = VoteCounts(np.zeros(4, int), np.array([], int), np.zeros(5, int), np.zeros(4, int))
    edges, middles = np.array([-np.inf, 7.0, 8.0]), np.array([6.5, 7.5])
    seen = SeenLengths(np.exp(8), edges, middles, right, other, np.array([0.0, 1, 1, 3]), nothing)

    found = fit_line(seen)

    z = norm.ppf([9.5 / 36, 24.5 / 36])  # the middle ranks of 35 answers, half a place in from either end

    def log_posterior(line: np.ndarray, power: float) -> float:
        p = expit(line[0] + line[1] * z)
        likelihood = right.sum(axis=0) @ np.log(p) + other.sum(axis=0) @ np.log(1 - p)
        return power * likelihood + norm.logpdf(line, PRIOR_MEAN, PRIOR_SD).sum()

    def best(power: float) -> tuple[np.ndarray, np.ndarray]:
        """The line, and the probabilities there."""
        line = minimize(lambda x: -log_posterior(x, power), PRIOR_MEAN, method="Nelder-Mead", tol=1e-10).x
        return line, expit(line[0] + line[1] * z)

    def information(p: np.ndarray) -> np.ndarray:
        design = np.stack([np.ones(2), z], axis=1)
        return design.T @ np.diag((right + other).sum(axis=0) * p * (1 - p)) @ design

    prior = np.diag(1 / PRIOR_SD**2)
    _, p = best(1.0)
    scores = [
        sum((r - (r + o) * p[k]) * np.array([1.0, z[k]]) for k, (r, o) in enumerate(zip(*q, strict=True)))
        for q in zip(right, other, strict=True)
    ]
    scatter = sum(np.outer(one, one) for one in scores) + prior
    power = min(1.0, 2 / np.trace(np.linalg.inv(information(p) + prior) @ scatter))
    assert power < 0.9
    line, p = best(power)
    assert found.theta == pytest.approx(line, abs=1e-4)
    assert found.spread @ found.spread.T == pytest.approx(
        np.linalg.inv(power * information(p) + prior), rel=1e-3
    )


def test_its_uncertainty_is_that_of_questions() -> None:
    """Over 60 repetitions the level varies as stated, whether answers to a question are correlated or not."""
    for shared in (0.0, 2.0):
        lines = [fit_line(seen_at(pools(100, 8, seed, shared), np.exp(8))) for seed in range(60)]
        told = np.mean([np.sqrt((line.spread @ line.spread.T)[0, 0]) for line in lines])
        assert np.std([line.theta[0] for line in lines]) == pytest.approx(told, rel=0.3)


def test_late_answers_are_right_as_often_as_a_line_that_is_not_doubted_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against a quadrature; the odds ratios between questions and what was seen stay unchanged."""
    monkeypatch.setattr("predict.stopped.pace.DOUBT", 0.0)
    rng = np.random.default_rng(0)
    ended = np.sort(rng.uniform(0.2, 1.0, (5, 30, 3)), axis=2)
    drawn = Simulated(ended * np.sort(rng.uniform(0.1, 0.9, (1, 30, 1))), ended, ended)
    share = 0.45
    found = follow(Fit(np.array([LEVEL, SLOPE]), np.zeros((2, 2))), drawn, share, 0)
    assert np.array_equal(found.right[:, :, 0], drawn.right[:, :, 0])
    for r in range(5):
        start = share
        for c in (1, 2):
            end = share + (ended[r, :, c] - ended[r, :, 0]).mean()
            expected = quad(lambda u: expit(LEVEL + SLOPE * norm.ppf(u)), start, end)[0]
            gained = found.right[r, :, c] - found.right[r, :, c - 1]
            assert gained.mean() == pytest.approx(expected, abs=1e-4)
            late = np.diff(ended[r], axis=1)[:, c - 1]
            before = np.diff(drawn.right[r], axis=1)[:, c - 1]
            moved = logit(gained / late) - logit(before / late)
            assert moved == pytest.approx(np.full(30, moved[0]), abs=1e-5)
            start = end


def test_a_draw_goes_a_normal_part_of_the_way_to_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the same part for every cap and question. With 1,000 draws its spread is known to 2 %."""
    ended = np.broadcast_to(np.array([[0.2, 0.5, 0.9], [0.6, 0.7, 0.8]]), (1000, 2, 3))
    drawn = Simulated(0.4 * ended, ended, ended)

    moves = []
    for doubt in (DOUBT, 0.0):
        monkeypatch.setattr("predict.stopped.pace.DOUBT", doubt)
        found = follow(Fit(np.array([LEVEL, SLOPE]), np.zeros((2, 2))), drawn, 0.4, 0).right
        moves.append(logit(np.diff(found, axis=2) / np.diff(ended, axis=2)) - logit(0.4))
    part = moves[0] / moves[1]

    assert part == pytest.approx(np.broadcast_to(part[:, :1, :1], part.shape), abs=1e-5)
    assert part[:, 0, 0].mean() == pytest.approx(1.0, abs=3 * DOUBT / np.sqrt(1000))
    assert part[:, 0, 0].std() == pytest.approx(DOUBT, rel=0.07)


def test_questions_that_are_all_alike_leave_no_less_open_than_as_many_answers() -> None:
    """They vary less than answers do; the precision is at most that of plain logistic regression."""
    whole, Q, n = pools(1, 40, 3), 50, 40
    alike = AnswerPools(
        [f"q{q}" for q in range(Q)], n * np.arange(Q + 1), np.tile(whole.votes, Q), np.tile(whole.tokens, Q)
    )
    seen = seen_at(alike, float(np.median(whole.tokens)))
    found = fit_line(seen)
    ended = seen.ended_counts.sum(axis=0)
    ranks = (np.cumsum(ended) - ended / 2 + 0.5) / (Q * n + 1)
    design = np.stack([np.ones(len(ended)), norm.ppf(ranks)])
    p = expit(found.theta @ design)
    plain = np.linalg.inv((design * ended * p * (1 - p)) @ design.T + np.diag(PRIOR_SD**-2.0))
    np.testing.assert_allclose(found.spread @ found.spread.T, plain, rtol=1e-6)

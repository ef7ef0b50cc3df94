"""predict.survival.trend: a known line is found again, and late answers are right as often as it says."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import norm

from predict.survival.fit import Fit
from predict.survival.seen import seen_at
from predict.survival.simulate import Simulated
from predict.survival.trend import fit_line, follow
from results.votes.exact import AnswerPools

LEVEL, SLOPE = 1.2, -1.6


def pools(Q: int, n: int, seed: int, shared: float = 0.0) -> AnswerPools:
    """Log lengths are normal scores; `shared`: sd of what the answers to a question share."""
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


def test_its_uncertainty_is_that_of_questions() -> None:
    """Over 60 repetitions the level scatters as announced, with answers of a question alike or not."""
    for shared in (0.0, 2.0):
        lines = [fit_line(seen_at(pools(100, 8, seed, shared), np.exp(8))) for seed in range(60)]
        told = np.mean([np.sqrt((line.spread @ line.spread.T)[0, 0]) for line in lines])
        assert np.std([line.theta[0] for line in lines]) == pytest.approx(told, rel=0.3)


def test_late_answers_are_right_as_often_as_the_line_says() -> None:
    """Against an integral by quadrature; the odds between questions stay, and so does what was seen."""
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

"""predict.survival.pace: what earlier cuts tell of the pace, against formulas and draws."""

import numpy as np
import pytest
from scipy.special import logit

from predict.survival.fit import Fit, Problem
from predict.survival.law import PRIOR_MEAN
from predict.survival.pace import DRAWS, LASTING, ORIGINS, PASSING, misses, paces
from predict.survival.simulate import Simulated
from results.votes.exact import AnswerPools

START = Fit(PRIOR_MEAN, np.eye(len(PRIOR_MEAN)))
CAP = 500


def pools() -> AnswerPools:
    """Two questions of 90 and 170 answers: of all, 200 end at 1 … 200 tokens, 60 never within the cap."""
    tokens = np.random.default_rng(0).permutation([*np.arange(1.0, 201.0), *np.full(60, 900.0)])
    return AnswerPools(["a", "b"], np.array([0, 90, 260]), np.zeros(260, int), tokens)


@pytest.mark.parametrize(("miss", "noise"), [(0.5, 0.04), (-1.2, 0.5)])
def test_paces_are_the_normal_law_of_what_lasts_given_what_was_missed(
    miss: float, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missed = lasting + passing + noise; beyond the cap = lasting + another passing."""
    monkeypatch.setattr("predict.survival.pace.misses", lambda *_: (miss, noise))
    R = 400_000

    drawn, off = paces(pools(), CAP, START, R, 0)

    lasting, passing = LASTING**2, PASSING**2
    covariance = np.array([[lasting + passing + noise, lasting], [lasting, lasting + passing]])
    slope = covariance[1, 0] / covariance[0, 0]
    left = covariance[1, 1] - slope * covariance[0, 1]
    assert drawn.shape == (R,)
    assert drawn.mean() == pytest.approx(slope * miss, abs=4 * np.sqrt(left / R))
    assert drawn.var() == pytest.approx(left, rel=4 * np.sqrt(2 / R))
    assert off == pytest.approx(abs(miss) / np.sqrt(covariance[0, 0]))


def test_a_miss_and_its_noise_are_those_of_answers_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances to end by the cap that the forecast says at an earlier cut, and how many did: the noise is what
    such draws scatter by. 40 % or 20 % of the ended answers ended later, and 60 never did."""
    chances = np.array([0.45, 0.5, 0.56])[:, None, None] * np.ones((1, 2, 1))
    ended = np.concatenate([0.2 + 0 * chances, 0.2 + 0.8 * chances], axis=2)
    monkeypatch.setattr("predict.survival.pace.simulate", lambda *_: Simulated(ended, ended, ended))
    monkeypatch.setattr("predict.survival.pace.fit", lambda *_: None)

    found, noise = misses(pools(), CAP, START, 0)

    rng = np.random.default_rng(0)
    missed, scatter = [], []
    for later in (80, 40):
        count = later + 60
        drawn = logit((rng.binomial(count, rng.choice(chances[:, 0, 0], 200_000)) + 0.5) / (count + 1))
        missed.append(logit((later + 0.5) / (count + 1)) - drawn.mean())
        scatter.append(drawn.var())
    assert found == pytest.approx(np.mean(missed), abs=0.01)
    assert noise == pytest.approx(np.mean(scatter), rel=0.05)


def test_earlier_cuts_see_only_what_ended_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is fitted from where the whole was found, and looks ahead to the cap without any pace."""
    starts, looks = [], []

    def fitted(problem: Problem, start: np.ndarray) -> Fit:
        starts.append((problem.seen.cap, start))
        return START

    def simulated(
        problem: Problem, found: Fit, caps: list[float], sooner: np.ndarray, seed: int
    ) -> Simulated:
        looks.append((problem.seen.cap, problem.seen.ended_counts.sum(), list(caps), sooner, seed, found))
        ended = np.full((DRAWS, 2, 2), [0.4, 0.6])
        return Simulated(ended, ended, ended)

    monkeypatch.setattr("predict.survival.pace.fit", fitted)
    monkeypatch.setattr("predict.survival.pace.simulate", simulated)

    misses(pools(), CAP, START, 7)

    cuts = [np.floor(1 + share * 199) for share in ORIGINS]  # of the lengths 1 … 200
    assert [cut for cut, _ in starts] == cuts
    assert all(start is START.theta for _, start in starts)
    assert [look[:3] for look in looks] == [(cut, cut, [cut, CAP]) for cut in cuts]
    assert all(sooner.tolist() == [0.0] * DRAWS and seed == 7 for *_, sooner, seed, _ in looks)

"""predict.stopped.pace: the pace inferred from earlier cuts, against formulas and draws."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit

from predict.stopped.answer_law import PRIOR_MEAN
from predict.stopped.fit import Fit, Problem
from predict.stopped.pace import DRAWS, GROWING, LASTING, ORIGINS, misses, moves_needed, paces
from predict.stopped.simulate import Simulated
from results.votes.exact import AnswerPools

START = Fit(PRIOR_MEAN, np.eye(len(PRIOR_MEAN)))
CAP = 500


def pools() -> AnswerPools:
    """Two questions with 90 and 170 answers: 200 end at 1 … 200 tokens, and 60 not within the cap."""
    tokens = np.random.default_rng(0).permutation([*np.arange(1.0, 201.0), *np.full(60, 900.0)])
    return AnswerPools(["a", "b"], np.array([0, 90, 260]), np.zeros(260, int), tokens)


@pytest.mark.parametrize(("miss", "noise"), [(0.5, 0.04), (-1.2, 0.5)])
def test_paces_are_the_normal_law_of_what_lasts_given_what_was_missed(
    miss: float, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Miss = lasting + noise; beyond the cap: lasting, plus a growing part independent of the miss."""
    monkeypatch.setattr("predict.stopped.pace.misses", lambda *_: (miss, noise))
    R = 400_000

    drawn, off = paces(pools(), CAP, START, R, 0)

    slope = LASTING**2 / (LASTING**2 + noise)
    left = LASTING**2 - slope * LASTING**2
    sure = 4 / np.sqrt(R)
    assert drawn.shape == (R, 2)
    assert drawn.mean(axis=0) == pytest.approx([slope * miss, 0.0], abs=sure * max(np.sqrt(left), GROWING))
    assert drawn.std(axis=0) == pytest.approx([np.sqrt(left), GROWING], rel=sure)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(0.0, abs=sure)
    assert off == pytest.approx(abs(miss) / np.sqrt(LASTING**2 + noise))


def looks(late: np.ndarray) -> Simulated:
    """Draws at two caps: a fifth has ended by the first, and `late` (R, Q) of the rest by the last."""
    ended = np.stack([np.full(late.shape, 0.2), 0.2 + 0.8 * late], axis=2)
    return Simulated(ended, ended, ended)


def test_the_moves_needed_make_the_forecast_what_came() -> None:
    """Questions and their numbers of unfinished answers differ."""
    late, unfinished = np.array([[0.1, 0.5, 0.9], [0.3, 0.3, 0.2]]), np.array([10.0, 4, 30])

    moves, _ = moves_needed(looks(late), unfinished, 20)

    for move, chances in zip(moves, late, strict=True):
        said = expit(logit(chances) + move) @ unfinished
        assert said == pytest.approx(44 * 20.5 / 45, abs=1e-4)


@pytest.mark.parametrize(("ended", "sign"), [(0, -1), (44, 1)])
def test_none_or_all_that_ended_still_give_a_number(ended: int, sign: int) -> None:
    moves, luck = moves_needed(looks(np.full((1, 3), 0.5)), np.array([10.0, 4, 30]), ended)

    assert moves == pytest.approx(sign * np.log(44.5 / 0.5))
    assert 0 < luck < 2


def test_the_luck_is_the_variance_of_moves_over_answers_drawn() -> None:
    late, unfinished = np.array([[0.2, 0.5, 0.7]]), np.array([40, 60, 50])

    _, luck = moves_needed(looks(late), unfinished, late[0] @ unfinished)

    came = np.random.default_rng(0).binomial(unfinished, late[0], (2000, 3)).sum(axis=1)
    solved = {
        count: brentq(lambda move, count=count: expit(logit(late[0]) + move) @ unfinished - count, -9, 9)
        for count in set(came.tolist())
    }
    assert luck == pytest.approx(np.var([solved[count] for count in came.tolist()]), rel=0.1)


def test_a_miss_is_the_mean_over_cuts_that_see_only_what_ended_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its noise is the variance of the moves plus their luck. 40 % of the ended answers ended after the first
    cut, 20 % after the second, and 60 answers never. Each cut's fit starts at the fit of the whole, and looks
    ahead to the cap without any pace."""
    late, cuts = np.random.default_rng(0).uniform(0.2, 0.6, (DRAWS, 2)), (120, 160)
    assert [np.floor(1 + share * 199) for share in ORIGINS] == list(cuts)  # of the lengths 1 … 200
    starts, ahead = [], []

    def fitted(problem: Problem, one: list[np.ndarray]) -> Fit:
        starts.append((problem.seen.cap, one[0] is START.theta))
        return START

    def simulated(of: Problem, found: Fit, caps: list[float], sooner: np.ndarray, seed: int) -> Simulated:
        ahead.append((of.seen.cap, of.seen.ended_counts.sum(), caps, sooner.tolist(), seed, found))
        return looks(late)

    monkeypatch.setattr("predict.stopped.pace.fit", fitted)
    monkeypatch.setattr("predict.stopped.pace.simulate", simulated)

    found, noise = misses(pools(), CAP, START, 7)

    whole, missed, noises = pools(), [], []
    for cut in cuts:
        unfinished = np.bincount(whole.question[whole.tokens > cut])
        moves, luck = moves_needed(looks(late), unfinished, 200 - cut)
        missed.append(moves.mean())
        noises.append(moves.var() + luck)
    assert found == pytest.approx(np.mean(missed))
    assert noise == pytest.approx(np.mean(noises))
    assert starts == [(cut, True) for cut in cuts]
    assert ahead == [(cut, cut, [cut, CAP], [[0.0, 0.0]] * DRAWS, 7, START) for cut in cuts]

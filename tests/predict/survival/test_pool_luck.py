"""predict.survival.forecast: the luck of a finite pool, against pools completed by drawing."""

import numpy as np
import pytest

from predict.evidence.points import Run
from predict.survival.forecast import Ahead, _accuracies
from predict.survival.seen import seen_at
from predict.survival.simulate import Simulated
from results.votes.exact import AnswerPools, best_of_n

POOL, CHANCE, CAP = 16, 0.2, 100


@pytest.mark.parametrize("known", [4, 12])
def test_the_luck_of_a_pool_is_that_of_the_answers_not_yet_seen(known: int) -> None:
    """Best of 4 and of 8 out of 16, of which `known` are seen and a quarter of those are unfinished.

    Within 12 %: the forecast takes the correlation of two subsets from votes near a tie.
    """
    rng, Q, R, N = np.random.default_rng(0), 40, 4000, np.array([4, 8])
    drawn = rng.binomial(known, CHANCE, (20_000, 1))
    first, second = (
        best_of_n(np.full_like(drawn, POOL), drawn + rng.binomial(POOL - known, CHANCE, drawn.shape), N)
        for _ in range(2)
    )
    expected = np.sqrt(((first - second) ** 2).mean(axis=0) / 2 / Q)

    tokens = np.tile(np.where(np.arange(known) % 4 == 0, CAP + 1.0, 50.0), Q)
    names = [f"q{q}" for q in range(Q)]
    pools = AnswerPools(names, known * np.arange(Q + 1), np.arange(Q * known) % 2, tokens)
    ones = np.ones((R, Q, 1))
    ahead = Ahead(seen_at(pools, CAP), Simulated(CHANCE * ones, ones, ones), 0.0)
    run = Run("s", pools, CAP, {"cap": CAP}, np.full(Q, POOL))
    found, _ = _accuracies(ahead, run, np.array([0, 0]), N, "best_of_n", 0)
    assert found.mean(axis=0) == pytest.approx(1 - (1 - CHANCE) ** N, abs=0.005)
    assert found.std(axis=0) == pytest.approx(expected, rel=0.12)

"""An allocation against the greedy loop that defines it, and against the equivalent stopping rule."""

import numpy as np
import pytest

from results.stopping.replay import Replay
from results.stopping.rules import RULES
from results.stopping.votes_so_far import seen_of
from results.votes.permutations import random_orders
from studies.stopping.allocation import INDICES, _gains, asked, lead, settled
from tests.results.stopping.pools import pools_of

QUESTIONS, ANSWERS = 6, 12


@pytest.fixture(scope="module")
def replay() -> Replay:
    generator = np.random.default_rng(4)
    pools = pools_of(generator.integers(0, 3, (QUESTIONS, ANSWERS)).tolist())
    return Replay(pools, random_orders(pools, 5, 0), ANSWERS)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("budget", [QUESTIONS, QUESTIONS + 1, 31, 60, QUESTIONS * ANSWERS])
def test_each_answer_goes_to_the_largest_index(replay: Replay, index: str, budget: int) -> None:
    place, seen = replay.states
    values = np.where(settled(seen), -np.inf, INDICES[index](seen))
    wanted = values[place]
    counts = asked(wanted, budget)
    for order in range(len(wanted)):
        now = np.ones(QUESTIONS, int)
        for _ in range(budget - QUESTIONS):
            current = wanted[order, np.arange(QUESTIONS), now - 1]
            current = np.where(now == ANSWERS, -np.inf, current)
            if not np.isfinite(current).any():
                break
            now[current.argmax()] += 1
        lowest = np.minimum.accumulate(wanted[order], axis=1)
        assert counts[order].sum() == now.sum()
        levels = []
        for numbers in (now, counts[order]):
            bought = numbers > 1
            levels.append(lowest[bought, numbers[bought] - 2].min(initial=np.inf))
        assert levels[0] == pytest.approx(levels[1])  # of equal votes, either may get the last answer


@pytest.mark.parametrize("threshold", [1, 2, 3, 5])
def test_an_allocation_is_the_rule_whose_threshold_its_budget_sets(replay: Replay, threshold: int) -> None:
    place, seen = replay.states
    wanted = np.where(settled(seen), -np.inf, lead(seen))[place]
    stops = replay.stop(RULES["lead"], threshold)
    for order, of_rule in enumerate(stops.asked):
        counts = asked(wanted[order : order + 1], int(of_rule.sum()))[0]
        np.testing.assert_array_equal(counts, of_rule)


def test_a_gain_is_that_of_all_futures() -> None:
    gains = _gains(5)
    state = seen_of(["x", "x", "y"], 5)
    a, b, left = int(state.a[0]), int(state.b[0]), int(state.left[0])
    generator = np.random.default_rng(0)
    shares = generator.beta(a + 1, b + 1, 400_000)
    simulated = []
    for m in range(1, left + 1):
        to_a = generator.binomial(m, shares)
        kept = a + to_a > b + m - to_a
        tied = a + to_a == b + m - to_a
        right = np.where(tied, 0.5, np.where(kept, shares > 0.5, shares < 0.5))
        simulated.append((right.mean() - (shares > 0.5).mean()) / m)
    assert gains[a, b, left] == pytest.approx(max(simulated), abs=0.002)

"""The probabilities that rules use, against simulation, closed forms and sums over all futures."""

import itertools
from math import factorial, prod

import numpy as np
import pytest
from scipy import special

from studies.stopping.chances import leader_is_mode, leader_will_win


@pytest.mark.parametrize(("a", "b"), [(1, 0), (4, 0), (5, 2), (9, 9), (40, 17)])
def test_of_two_answers_the_chance_is_that_of_a_beta_law(a, b):
    exact = special.betainc(b + 1, a + 1, 0.5)
    assert leader_is_mode(np.array([[a, b]]))[0] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("counts", [[3, 2, 1, 0], [2, 2, 2], [8, 5, 5, 1, 1], [1, 0, 0, 0, 0, 0]])
def test_of_more_answers_it_is_the_share_of_dirichlet_draws(counts):
    draws = np.random.default_rng(0).dirichlet(np.array(counts) + 1, 400_000)
    share = (draws.argmax(axis=1) == 0).mean()
    assert leader_is_mode(np.array([counts]))[0] == pytest.approx(share, abs=0.004)  # 5 standard errors


def ascending(start: float, steps: int) -> float:
    return prod(start + i for i in range(steps))


def will_win(counts: tuple[int, ...], left: int, alpha: float) -> float:
    """P(the leader wins), summed over all outcomes of further answers, with all new answers as one."""
    start, total = [*map(float, counts), alpha], 0.0
    for more in itertools.product(range(left + 1), repeat=len(start)):
        ends = [c + x for c, x in zip((*counts, 0), more, strict=True)]
        if sum(more) == left and ends[0] > max(ends[1:]):
            ways = factorial(left) / prod(factorial(x) for x in more)
            total += ways * prod(ascending(c, x) for c, x in zip(start, more, strict=True))
    return total / ascending(sum(start), left)


@pytest.mark.parametrize("counts", [(1, 0), (2, 1), (3, 3), (4, 2, 1), (2, 2, 1, 1)])
@pytest.mark.parametrize("left", [0, 1, 5])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_the_winner_of_the_future_is_a_sum_over_futures(counts, left, alpha):
    seen = tuple(count for count in counts if count)
    found = leader_will_win(np.array([counts]), np.array([left]), alpha)[0]
    assert found == pytest.approx(will_win(seen, left, alpha), rel=1e-10)


def test_without_votes_nobody_wins():
    assert leader_will_win(np.zeros((1, 2), np.int64), np.array([5]), 1.0)[0] == 0.0

"""Odds of one twin for all settings: against one twin each, with rising t, with t proportional to tokens."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from studies.match.exam import STEPS
from studies.match.words import common_odds, common_twin, proportional_odds, rising_odds, rising_words


def test_odds_of_one_twin_for_several_settings():
    """Four candidates with two t each: curves that point to one candidate at different t, or to several."""
    sure = np.full((4, 2), 1e-9)
    early, late, other = sure.copy(), sure.copy(), sure.copy()
    early[1, 0], late[1, 1], other[3, 0] = 1, 1, 1  # candidate 1 at its first and second t, candidate 3
    assert common_odds(np.stack([early, late])) == pytest.approx(np.log10(4), abs=1e-6)
    assert common_odds(np.stack([early, other])) < -7
    even = np.full((4, 2), 1 / 8)
    assert common_odds(np.stack([even, early, even])) == pytest.approx(0, abs=1e-6)


def test_the_one_twin_is_the_likeliest_for_all_settings_together():
    """Candidate 2 is second at each of three settings, but the only one that is likely at all of them."""
    weights = np.full((3, 4, 2), 1e-6)
    weights[[0, 1, 2], [0, 1, 3], 0] = 0.6
    weights[[0, 1, 2], 2, [0, 1, 1]] = 0.3
    likeliest, at = common_twin(weights)
    assert (likeliest, at.tolist()) == (2, [0, 1, 1])


def test_odds_of_rising_steps_are_those_of_every_rising_path():
    """Against an enumeration of all paths; the odds of one twin against one for each are not included."""
    weights = np.random.default_rng(3).dirichlet(np.ones(4 * len(STEPS)), size=3).reshape(3, 4, len(STEPS))
    rising = np.array(list(combinations_with_replacement(range(len(STEPS)), 3)))
    product = np.prod([4 * len(STEPS) * weights[i][:, rising[:, i]] for i in range(3)], axis=0)
    assert rising_odds(weights) == pytest.approx(np.log10(product.mean()))
    single = weights[:, :1] / weights[:, :1].sum(axis=2, keepdims=True)
    assert rising_odds(single) == pytest.approx(rising_odds(single.sum(axis=1, keepdims=True)))


def test_steps_in_proportion_to_tokens_are_told_from_others():
    paths = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 4]])  # t = 1, 2, 4, 8, 16 and 1, 1, 1, 2, 16
    straight, bent = np.full((2, 5, 2, len(STEPS)), 1e-4)
    for weights, path in zip((straight, bent), paths, strict=True):
        weights[np.arange(5), 1, path] = 1
        weights /= weights.sum(axis=(1, 2), keepdims=True)
    tokens = 30 * 2.0 ** np.arange(5)
    assert proportional_odds(straight, tokens) > rising_odds(straight) > rising_odds(bent) - 0.01
    assert proportional_odds(bent, tokens) < rising_odds(bent) - 2
    told = rising_words(bent[::-1], tokens[::-1])  # in any order of the curves
    assert "of 2 of 2 twins are in the order of tokens" in told
    assert "10^1.2 times more" in told  # one of two candidates at each of five lengths: 4 log₁₀ 2

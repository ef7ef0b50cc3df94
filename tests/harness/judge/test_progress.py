"""A judge's numbers: P(yes), single rewards, and the AUC compared with a count of all pairs."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from harness.engines.rewards import single
from harness.judge.progress import auc
from harness.judge.verdicts import p_yes


def by_pairs(groups: list[tuple[list[float], list[bool]]]) -> float | None:
    """The share of (right, wrong) pairs in the right order, by enumerating all pairs."""
    credit = []
    for scores, right in groups:
        above = [score for score, is_right in zip(scores, right, strict=True) if is_right]
        below = [score for score, is_right in zip(scores, right, strict=True) if not is_right]
        credit += [(one > other) + (one == other) / 2 for one, other in product(above, below)]
    return sum(credit) / len(credit) if credit else None


@pytest.mark.parametrize("seed", range(40))
def test_auc_is_the_share_of_pairs(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups = []
    for _ in range(random.integers(1, 5)):
        n = int(random.integers(0, 9))
        groups.append((random.integers(0, 4, n) / 3, random.random(n) < random.random()))
    expected = by_pairs([(scores.tolist(), right.tolist()) for scores, right in groups])
    found = auc(groups)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([("Yes", 0.6), (" yes", 0.1), ("No", 0.3)], 0.7),
        ([("YES", 0.2), ("▁no", 0.1), ("Ġno\n", 0.1), ("Well", 0.6)], 0.5),
        ([("yes", 0.01)], 1.0),
        ([("no", 0.5), ("yesterday", 0.5), ("not", 0.0001)], 0.0),
        ([("Well", 0.9), ("", 0.1)], None),
        ([], None),
    ],
)
def test_p_yes_by_hand(candidates: list[tuple[str, float]], expected: float | None) -> None:
    assert p_yes([(token, math.log(chance)) for token, chance in candidates]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (1.5, 1.5),
        (-3, -3.0),
        ([0.5], 0.5),
        ([[0.5]], 0.5),
        ([[0.1], [0.2], [0.9]], 0.9),
        ([0.1, 0.9], None),
        ([[0.1, 0.9]], None),
        ([[0.1], [0.1, 0.9]], None),
        ([], None),
        (float("nan"), None),
        (float("inf"), None),
        *(("1", None), (["0.5"], None)),
        *((False, None), ([None], None)),
        ({"0": 1.0}, None),
    ],
)
def test_what_is_one_reward(told: Any, expected: float | None) -> None:
    assert single(told) == expected

"""A vote that stops, one answer after the other in plain Python: the reference of the compiled replay."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from results.stopping.replay import EXACT
from results.stopping.rules import Rule
from results.stopping.seen import seen_of
from results.stopping.settled import ahead, settled


class Ended(NamedTuple):
    asked: int
    rounds: int
    right: float
    agreement: float
    tokens: float


def leaders(votes: Sequence[int]) -> set[int]:
    counts = Counter(vote for vote in votes if vote >= 0)
    return {vote for vote in counts if counts[vote] == max(counts.values())}


def played(
    votes: Sequence[int],
    tokens: Sequence[float],
    order: Sequence[int],
    most: int,
    rule: Rule,
    threshold: float,
    block: int | str = 1,
    all_at_once: bool = False,
) -> Ended:
    """One question in one order."""
    drawn = list(order[:most])
    if all_at_once:
        drawn.sort(key=lambda i: tokens[i])
    shown = [None if votes[i] < 0 else votes[i] for i in drawn]

    def step(n: int) -> int:
        if block == EXACT:
            return int(ahead(rule, threshold, seen_of(shown[:n], most))[0])
        return int(block)

    asked, rounds = min(step(0), most), 1
    while asked < most and not settled(rule, threshold, seen_of(shown[:asked], most))[0]:
        asked = min(asked + step(asked), most)
        rounds += 1
    taken, truth = leaders([votes[i] for i in drawn[:asked]]), leaders(votes)
    spent = sum(tokens[i] for i in drawn[:asked])
    if all_at_once:
        spent += (most - asked) * tokens[drawn[asked - 1]]
    right = (0 in taken) / len(taken) if taken else 0.0
    agreement = len(taken & truth) / len(taken) if taken else float(not truth)
    return Ended(asked, rounds, right, agreement, float(np.float64(spent)))

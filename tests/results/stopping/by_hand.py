"""A stopped vote replayed answer by answer in plain Python, as a reference for the compiled replay."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import integrate, special, stats

from results.stopping.arena import thresholds_of
from results.stopping.replay import EXACT, Replay
from results.stopping.rules import Rule, ahead, settled
from results.stopping.votes_so_far import seen_of
from results.votes.permutations import random_orders
from tests.results.stopping.pools import random_pools


class Ended(NamedTuple):
    asked: int
    rounds: int
    right: float
    agreement: float
    tokens: float


def leaders(votes: Sequence[int]) -> set[int]:
    counts = Counter(vote for vote in votes if vote >= 0)
    return {vote for vote in counts if counts[vote] == max(counts.values())}


@cache
def modes(votes: tuple[int, ...]) -> dict[int, float]:
    """The probability that each answer is the mode (has the largest gamma variable), by quadrature."""
    counts = Counter(vote for vote in votes if vote >= 0)

    def density(x: float, vote: int) -> float:
        others = [special.gammainc(count, x) for other, count in counts.items() if other != vote]
        return float(stats.gamma.pdf(x, counts[vote]) * np.prod(others))

    return {vote: integrate.quad(density, 0, np.inf, args=(vote,), epsabs=1e-9)[0] for vote in counts}


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
    """Replay the vote on one question in one order."""
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
    taken, chance = leaders([votes[i] for i in drawn[:asked]]), modes(tuple(sorted(votes)))
    spent = sum(tokens[i] for i in drawn[:asked])
    if all_at_once:
        spent += (most - asked) * tokens[drawn[asked - 1]]
    right = (0 in taken) / len(taken) if taken else 0.0
    agreement = sum(chance[vote] for vote in taken) / len(taken) if taken else float(not chance)
    return Ended(asked, rounds, right, agreement, float(np.float64(spent)))


def ended(rule: Rule, threshold: float, answers: str, most: int = 40) -> bool:
    """Whether a rule ends a vote with these letters as answers so far; a dot is unreadable."""
    return bool(settled(rule, threshold, seen_of(readable(answers), most))[0])


def readable(answers: Iterable[str]) -> list[str | None]:
    return [None if answer == "." else answer for answer in answers]


def check_ends(rule: Rule) -> None:
    """Check that no tie ends the vote, and that it ends where the leader can no longer be caught."""
    eager = min(rule.thresholds) if rule.delta is None else rule.thresholds[0]
    always = replace(rule, stops=lambda seen, _: seen.a >= 0, ahead=None)
    for tie in ("", "ab", "aabb", "...", "ab" * 8):
        assert not ended(rule, eager, tie), tie
        assert not ended(always, eager, tie), tie
    assert ended(rule, rule.usual, "ababaaa", most=9)


def check_blocks(rule: Rule, threshold: float) -> None:
    """Check every short past: no future ends the vote before the block's last answer; one ends it there.

    A block has no more answers than are left.
    """
    most = 9
    for length in range(4):
        for past in itertools.product("ab.", repeat=length):
            shown = readable(past)
            seen = seen_of(shown, most)
            if settled(rule, threshold, seen)[0]:
                continue
            block = int(ahead(rule, threshold, seen)[0])
            sooner = range(1, block) if block < 5 else (1, block - 1)
            for more in sooner:
                for future in itertools.product(["a", "b", "c", None], repeat=min(more, 4)):
                    after = [*shown, *future, *["a"] * (more - len(future))]
                    assert not settled(rule, threshold, seen_of(after, most))[0], (past, future)
    assert ahead(rule, rule.usual, seen_of("abababab", 9))[0] == 1
    assert 1 <= ahead(rule, rule.usual, seen_of("", 3))[0] <= 3


def check_replay(rule: Rule, most: int) -> None:
    """Check the compiled replay of a rule against `played`, for its thresholds and every block size."""
    pools = random_pools(np.random.default_rng(most))
    orders = random_orders(pools, 4, seed=1)
    ways = [(1, False), (4, False), (EXACT, False), (1, True)]
    for threshold, (block, at_once) in itertools.product(thresholds_of(rule)[::3], ways):
        replay = Replay(pools, orders, most, all_at_once=at_once)
        stops = replay.stop(rule, threshold, block)
        outcome = replay.outcome(stops)
        for q, (start, end) in enumerate(itertools.pairwise(pools.starts)):
            votes, tokens = pools.votes[start:end].tolist(), pools.tokens[start:end].tolist()
            ends = [
                played(votes, tokens, order[start:end].tolist(), most, rule, threshold, block, at_once)
                for order in orders
            ]
            assert stops.asked[:, q].tolist() == [end.asked for end in ends], (rule.name, threshold, block)
            assert stops.rounds[:, q].tolist() == [end.rounds for end in ends]
            means = np.mean([(one.tokens, one.right, one.agreement) for one in ends], axis=0)
            got = outcome.tokens[q], outcome.accuracy[q], outcome.agreement[q]
            np.testing.assert_allclose(got, means, rtol=1e-6)

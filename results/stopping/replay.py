"""Stored answers replayed in many orders, so that every rule looks at the same ones.

    replay = Replay(pools, orders, most=40)
    stops = replay.stop(rule, 4, block=1)      stops.asked (orders, questions): where the rule ends each vote
    replay.outcome(stops)                      accuracy, agreement, tokens, … of each question

Votes that stand alike are one state, whatever the order: a rule is asked once for each state, not for each
visit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from results.stopping.rules import Rule, ahead, settled
from results.stopping.seen import Bools, Floats, Ints, Seen
from results.votes.exact import AnswerPools

EXACT = "exact"
"""The block in which a vote asks for the fewest answers that can settle it."""


@dataclass(frozen=True)
class Stops:
    """Where a rule ends the votes, (orders, questions): answers asked for, rounds, and whether it says so.

    The rule says so where it ends the vote itself: not where certainty does, or the last answer.
    """

    asked: Ints
    rounds: Ints
    by_rule: Bools


@dataclass(frozen=True)
class Outcome:
    """What each question came to, the mean over the orders, all (Q,).

    accuracy: a tie for the lead shares the credit; agreement: the chance that the answer taken is one that
    the whole pool gives most often; false_stops: how often the rule said so and that is not the case.
    """

    tokens: Floats
    answers: Floats
    rounds: Floats
    accuracy: Floats
    agreement: Floats
    false_stops: Floats


@dataclass(frozen=True, eq=False)
class Replay:
    """The answers of Q questions in several orders, the first `most` of each.

    orders: (orders, answers), as `results.votes.permutations.random_orders` gives them. all_at_once: all
    `most` answers are asked for together, come in shortest first, and the rest are stopped where they stand.
    """

    pools: AnswerPools
    orders: NDArray[np.int32]
    most: int
    all_at_once: bool = False

    @cached_property
    def costs(self) -> Floats:
        """(answers,) tokens; where some are unknown every answer counts 1."""
        tokens = self.pools.tokens
        return np.ones_like(tokens) if np.isnan(tokens).any() else tokens

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        """(orders, Q, most) the answers in the order in which they are looked at."""
        drawn = self.pools.starts[:-1, None] + np.arange(self.most)
        places = self.pools.starts[:-1, None] + self.orders[:, drawn]
        if self.all_at_once:
            by_length = np.argsort(self.costs[places], axis=2, kind="stable")
            places = np.take_along_axis(places, by_length, axis=2)
        return np.ascontiguousarray(places, np.int32)

    @cached_property
    def _walked(
        self,
    ) -> tuple[NDArray[np.uint64], NDArray[np.int16], NDArray[np.float32], NDArray[np.float32]]:
        """Of every visit, (orders, Q, most): its state's name, the streak, accuracy and agreement."""
        from results.stopping.kernel import walk, whole_votes  # numba takes half a second to import

        votes, starts = self.pools.votes.astype(np.int64), self.pools.starts.astype(np.int64)
        salt = np.random.Generator(np.random.PCG64(0)).integers(0, 2**63, (2, self.most + 1), dtype=np.uint64)
        shape = self._places.shape
        names, streaks = np.empty(shape, np.uint64), np.empty(shape, np.int16)
        right, agree = np.empty(shape, np.float32), np.empty(shape, np.float32)
        walk(votes, starts, self._places, whole_votes(votes, starts), salt, names, streaks, right, agree)
        return names, streaks, right, agree

    @cached_property
    def states(self) -> tuple[NDArray[np.int32], Seen]:
        """The state of every visit, (orders, Q, most), and the states, in which streaks are 0."""
        from results.stopping.kernel import count_votes

        names, first, visits = np.unique(self._walked[0], return_index=True, return_inverse=True)
        places = self._places.reshape(-1, self.most)
        votes = self.pools.votes.astype(np.int64)
        counts = count_votes(votes, places, first // self.most, first % self.most + 1)
        used = max(2, int((counts > 0).any(axis=0).sum()))
        asked = (first % self.most + 1).astype(np.int64)
        seen = Seen(counts[:, :used], asked, np.zeros(len(names), np.int64), self.most)
        return visits.reshape(self._places.shape).astype(np.int32), seen

    @cached_property
    def _states_with_streaks(self) -> tuple[NDArray[np.int32], Seen]:
        states, seen = self.states
        both = states.astype(np.int64) * (self.most + 1) + self._walked[1]
        kinds, visits = np.unique(both, return_inverse=True)
        state, streak = kinds // (self.most + 1), kinds % (self.most + 1)
        seen = Seen(seen.counts[state], seen.asked[state], streak, self.most)
        return visits.reshape(states.shape).astype(np.int32), seen

    def stop(self, rule: Rule, threshold: float, block: int | str = 1) -> Stops:
        """Where the rule ends each vote when answers are asked for `block` at a time, or in EXACT blocks."""
        from results.stopping.kernel import stop_times

        visits, seen = self._states_with_streaks if rule.ordered else self.states
        ends = settled(rule, threshold, seen)
        start = Seen(np.zeros((1, 2), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64), self.most)
        if block == EXACT:
            first, steps = int(ahead(rule, threshold, start)[0]), ahead(rule, threshold, seen)
        else:
            first, steps = int(block), np.full(len(ends), int(block))
        asked, rounds = np.empty(visits.shape[:2], np.int64), np.empty(visits.shape[:2], np.int64)
        stop_times(visits, ends, steps.astype(np.int64), first, asked, rounds)
        own = np.asarray(rule.stops(seen, threshold), np.bool_) & (seen.a > seen.b)
        last = np.take_along_axis(visits, asked[:, :, None] - 1, axis=2)[:, :, 0]
        return Stops(asked, rounds, own[last] & (asked < self.most))

    def outcome(self, stops: Stops) -> Outcome:
        """What votes that end there come to."""
        at = stops.asked[:, :, None] - 1
        right, agree, spent = (
            np.take_along_axis(of, at, axis=2)[:, :, 0] for of in (*self._walked[2:], self._spent)
        )
        means = (spent, stops.asked, stops.rounds, right, agree, stops.by_rule * (1 - agree))
        return Outcome(*(np.asarray(of.mean(axis=0, dtype=np.float64)) for of in means))

    @cached_property
    def agreement(self) -> Floats:
        """(most,) how often a vote over each number of answers gives the whole pool's answer."""
        return np.asarray(self._walked[3].mean(axis=(0, 1), dtype=np.float64))

    @cached_property
    def _spent(self) -> Floats:
        """(orders, Q, most) tokens paid for when a vote ends at each number of answers.

        Of answers that were asked for all at once, those that are stopped have come as far as the last one.
        """
        each = self.costs[self._places]
        spent = np.cumsum(each, axis=2)
        if self.all_at_once:
            spent += (self.most - 1 - np.arange(self.most)) * each
        return np.asarray(spent)

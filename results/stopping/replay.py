"""Stored answers replayed in many orders, the same for every rule.

    replay = Replay(pools, orders, most=40)
    stops = replay.stop(rule, 4, block=1)      stops.asked (orders, questions): where the rule ends each vote
    replay.outcome(stops)                      accuracy, agreement, tokens, … of each question

Votes with the same counts are one state, whatever the order, and a rule is evaluated once per state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from results.stopping.mode import of_answers
from results.stopping.rules import Rule, ahead, settled
from results.stopping.votes_so_far import Bools, Floats, Ints, Seen
from results.votes.exact import AnswerPools

EXACT = "exact"
"""The block size that asks for the fewest answers that can settle the vote."""


@dataclass(frozen=True)
class Stops:
    """Where votes end, (orders, questions): answers asked for, rounds, and whether the rule ended them.

    A vote may also end because its winner is certain, or with the last answer.
    """

    asked: Ints
    rounds: Ints
    by_rule: Bools


@dataclass(frozen=True)
class Outcome:
    """The outcome of each question, averaged over the orders, all (Q,).

    accuracy: answers tied for the lead share the credit; agreement: the chance that the winner is the mode
    of very many answers (`results.stopping.mode`); false_stops: how often the rule ended a vote whose winner
    is not the mode.
    """

    tokens: Floats
    answers: Floats
    rounds: Floats
    accuracy: Floats
    agreement: Floats
    false_stops: Floats


class Walk(NamedTuple):
    """The votes after each answer, all (orders, Q, most).

    state: a hash of the counts (equal for equal counts); streak: how many of the last answers are the same;
    right: the accuracy of the vote; agree: the chance that its winner is the mode.
    """

    state: NDArray[np.uint64]
    streak: NDArray[np.int16]
    right: NDArray[np.float32]
    agree: NDArray[np.float32]


class States(NamedTuple):
    """The distinct states of votes, and the index of each visit's state, (orders, Q, most)."""

    place: NDArray[np.int32]
    seen: Seen


@dataclass(frozen=True, eq=False)
class Replay:
    """The answers of Q questions in several orders, the first `most` of each.

    orders: (orders, answers), from `results.votes.permutations.random_orders`. all_at_once: all `most`
    answers are asked for together and finish shortest first; when a vote ends, the rest are aborted.
    """

    pools: AnswerPools
    orders: NDArray[np.int32]
    most: int
    all_at_once: bool = False

    @cached_property
    def costs(self) -> Floats:
        """(answers,) tokens; if some are unknown, every answer costs 1."""
        tokens = self.pools.tokens
        return np.ones_like(tokens) if np.isnan(tokens).any() else tokens

    @cached_property
    def _votes(self) -> Ints:
        return self.pools.votes.astype(np.int64)

    @cached_property
    def _answers(self) -> NDArray[np.int32]:
        """(orders, Q, most) the answers in the order in which they are used."""
        starts = self.pools.starts[:-1, None]
        answers = starts + self.orders[:, starts + np.arange(self.most)]
        if self.all_at_once:
            by_length = np.argsort(self.costs[answers], axis=2, kind="stable")
            answers = np.take_along_axis(answers, by_length, axis=2)
        return np.ascontiguousarray(answers, np.int32)

    @cached_property
    def _walk(self) -> Walk:
        from results.stopping.replay_kernel import walk  # numba takes half a second to import

        starts = self.pools.starts.astype(np.int64)
        generator = np.random.Generator(np.random.PCG64(0))
        salt = generator.integers(0, 2**63, (2, self.most + 1), dtype=np.uint64)
        shape = self._answers.shape
        visits = Walk(
            state=np.empty(shape, np.uint64),
            streak=np.empty(shape, np.int16),
            right=np.empty(shape, np.float32),
            agree=np.empty(shape, np.float32),
        )
        modes = of_answers(self._votes, starts)
        walk(self._votes, starts, self._answers, modes, salt, *visits)
        return visits

    @cached_property
    def states(self) -> States:
        """The states without streaks, which are set to 0."""
        from results.stopping.replay_kernel import count_votes

        names, first, place = np.unique(self._walk.state, return_index=True, return_inverse=True)
        row, before = first // self.most, first % self.most
        counts = count_votes(self._votes, self._answers.reshape(-1, self.most), row, before + 1)
        classes = max(2, int((counts > 0).any(axis=0).sum()))
        streaks = np.zeros(len(names), np.int64)
        seen = Seen(counts[:, :classes], (before + 1).astype(np.int64), streaks, self.most)
        return States(place.reshape(self._answers.shape).astype(np.int32), seen)

    @cached_property
    def _states_with_streaks(self) -> States:
        place, seen = self.states
        base = self.most + 1  # encodes a state and a streak as one number
        both, visits = np.unique(place.astype(np.int64) * base + self._walk.streak, return_inverse=True)
        state, streak = both // base, both % base
        told_apart = Seen(seen.counts[state], seen.asked[state], streak, self.most)
        return States(visits.reshape(place.shape).astype(np.int32), told_apart)

    def stop(self, rule: Rule, threshold: float, block: int | str = 1) -> Stops:
        """Where the rule ends each vote when answers are asked for `block` at a time, or in EXACT blocks."""
        from results.stopping.replay_kernel import stop_times

        place, seen = self._states_with_streaks if rule.ordered else self.states
        ends = settled(rule, threshold, seen)
        if block == EXACT:
            nothing = np.zeros(1, np.int64)
            start = Seen(np.zeros((1, 2), np.int64), nothing, nothing, self.most)
            first = int(ahead(rule, threshold, start)[0])
            steps = ahead(rule, threshold, seen).astype(np.int64)
        else:
            first, steps = int(block), np.full(len(ends), int(block))
        stopped_at = np.empty(place.shape[:2], np.int64)
        rounds = np.empty(place.shape[:2], np.int64)
        stop_times(place, ends, steps, first, stopped_at, rounds)
        by_rule = np.asarray(rule.stops(seen, threshold), np.bool_) & (seen.a > seen.b)
        last = _where(place, stopped_at)
        return Stops(stopped_at, rounds, by_rule[last] & (stopped_at < self.most))

    def outcome(self, stops: Stops) -> Outcome:
        """The outcome of votes that end at `stops`."""
        agree = _where(self._walk.agree, stops.asked)
        return Outcome(
            tokens=_over_orders(_where(self._spent, stops.asked)),
            answers=_over_orders(stops.asked),
            rounds=_over_orders(stops.rounds),
            accuracy=_over_orders(_where(self._walk.right, stops.asked)),
            agreement=_over_orders(agree),
            false_stops=_over_orders(stops.by_rule * (1 - agree)),
        )

    @cached_property
    def agreement(self) -> Floats:
        """(most,) how often the vote over each number of answers gives the mode."""
        return np.asarray(self._walk.agree.mean(axis=(0, 1), dtype=np.float64))

    @cached_property
    def _spent(self) -> Floats:
        """(orders, Q, most) tokens paid for if a vote ends after each number of answers.

        If all answers are asked for at once, the aborted ones are as long as the last one that finished.
        """
        each = self.costs[self._answers]
        spent = np.cumsum(each, axis=2)
        if self.all_at_once:
            spent += (self.most - 1 - np.arange(self.most)) * each
        return np.asarray(spent)


def _where(values: NDArray[Any], asked: Ints) -> NDArray[Any]:
    """The values, (orders, Q), after `asked` answers, from (orders, Q, most)."""
    return np.take_along_axis(values, asked[:, :, None] - 1, axis=2)[:, :, 0]


def _over_orders(values: NDArray[Any]) -> Floats:
    """The mean over the orders, (Q,)."""
    return np.asarray(values.mean(axis=0, dtype=np.float64))

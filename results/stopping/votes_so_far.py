"""The input of a stopping rule: the votes so far, for many states at once.

    answers so far: 7, 7, unreadable, 5, 7     counts [3, 1], asked 5, streak 1     (one state, S = 1)

Your own rule is a function of these arrays (`results.stopping.rules`).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Seen:
    """S states of votes that may end.

    counts: (S, K) how often each answer was given, in descending order, padded with zeros, K ≥ 2;
    asked: (S,) answers asked for, including those that could not be read;
    streak: (S,) how many of the last answers are the same, 0 after one that could not be read; always 0
    for rules that do not use it (`Rule.ordered`);
    most: the maximum number of answers to a question.
    """

    counts: Ints
    asked: Ints
    streak: Ints
    most: int

    @property
    def a(self) -> Ints:
        """(S,) votes of the leader."""
        return self.counts[:, 0]

    @property
    def b(self) -> Ints:
        """(S,) votes of the runner-up."""
        return self.counts[:, 1]

    @property
    def votes(self) -> Ints:
        """(S,) answers that could be read."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def classes(self) -> Ints:
        """(S,) distinct answers."""
        return np.asarray((self.counts > 0).sum(axis=1))

    @property
    def left(self) -> Ints:
        """(S,) answers that may still be asked for."""
        return self.most - self.asked

    def more(self, answers: int) -> "Seen":
        """The states after this many further answers that are all the leader's."""
        counts = self.counts.copy()
        counts[:, 0] += answers
        return Seen(counts, self.asked + answers, self.streak + answers, self.most)

    def kept(self, states: NDArray[np.bool_]) -> "Seen":
        """Only the marked states."""
        return Seen(self.counts[states], self.asked[states], self.streak[states], self.most)


def seen_of(answers: Sequence[Hashable | None], most: int) -> Seen:
    """One state from the answers to one question, in order; None is an answer that could not be read."""
    readable = [answer for answer in answers if answer is not None]
    counts = sorted((readable.count(answer) for answer in set(readable)), reverse=True)
    streak = 0
    while streak < len(answers) and answers[-1] is not None and answers[-1 - streak] == answers[-1]:
        streak += 1
    row = [*counts, *[0] * max(0, 2 - len(counts))]
    return Seen(np.array([row]), np.array([len(answers)]), np.array([streak]), most)

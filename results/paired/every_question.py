"""Has any question become worse, or does any miss what is wanted of every one? Means hide a single case.

                 a       b       chance by luck
    case0        8 of 8  8 of 8  1
    case9        8 of 8  1 of 8  0.0003            falls: below 0.05 / (number of questions)

Without a run to compare with, each question is to be right always, or, with a margin, that much
less often. Who looks at hundreds of questions will see some fall by luck. So the chances are
held against the level of all questions together (Holm, Scandinavian Journal of Statistics
1979).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from results.votes.exact import AnswerPools, Floats, Ints

OfQuestions = Literal["holds", "fails", "undecided"]

_GRID = 401
"""Common shares of right answers among which the one is sought that luck likes best."""
_NEAR = 1e-9


@dataclass(frozen=True)
class QuestionGate:
    """Q questions with the right answers of a run to each, and, if there is one, of the run before it.

    right, answers: (Q,) of the run; before: the same of the other run; margin: the share of
    right answers by which a question may be worse; level: how often luck alone fails no
    question.
    """

    names: list[str]
    right: Ints
    answers: Ints
    before: tuple[Ints, Ints] | None
    margin: float
    level: float

    @cached_property
    def wanted(self) -> Floats:
        """(Q,) the share of right answers that each question should reach."""
        reference = np.ones(len(self.names)) if self.before is None else self.before[0] / self.before[1]
        return np.asarray(reference - self.margin)

    @cached_property
    def below(self) -> NDArray[np.bool_]:
        """(Q,) which questions are seen to miss it."""
        return np.asarray(self.right / self.answers < self.wanted - _NEAR)

    @cached_property
    def chances(self) -> Floats:
        """(Q,) how often luck alone would show a question so low; 1 where it is not below."""
        chances = np.ones(len(self.names))
        for q in np.flatnonzero(self.below):
            counts = (int(self.right[q]), int(self.answers[q]))
            if self.before is None:
                chances[q] = stats.binom.cdf(*counts, 1 - self.margin)
            else:
                first, of = (int(part[q]) for part in self.before)
                chances[q] = chance_of_fall(first, of, *counts, self.margin)
        return chances

    @cached_property
    def fallen(self) -> NDArray[np.bool_]:
        """(Q,) which questions luck does not explain, all of them looked at together."""
        order = np.argsort(self.chances, kind="stable")
        allowed = (1 - self.level) / np.arange(len(order), 0, -1)
        explained = self.chances[order] > allowed
        fallen = np.zeros(len(order), bool)
        fallen[order[: int(explained.argmax()) if explained.any() else len(order)]] = True
        return fallen

    @property
    def word(self) -> OfQuestions:
        """fails: one question does, beyond luck; undecided: one is seen below, as luck may have it."""
        if self.fallen.any():
            return "fails"
        return "undecided" if self.below.any() else "holds"

    @property
    def at_least(self) -> float:
        """A share of right answers that every question reaches, at the level, for all together."""
        alone = (1 - self.level) / len(self.names)
        lowest = stats.beta.ppf(alone, self.right, self.answers - self.right + 1)
        return float(np.where(self.right > 0, lowest, 0.0).min())

    @property
    def answers_needed(self) -> int | None:
        """How many answers would show that a question fell from always to never, where these cannot.

        Luck shows n of n and then none of n in `by_luck`^n cases, at the share that it likes best.
        """
        alone = (1 - self.level) / len(self.names)
        by_luck = self.margin if self.before is None else ((1 + self.margin) / 2) ** 2  # of one answer each
        needed = ceil(log(alone) / log(by_luck) - _NEAR) if by_luck else 1
        return needed if self.asked.min() < needed else None

    @property
    def asked(self) -> Ints:
        """The answers to each question, of both runs where there are two."""
        return np.concatenate([self.answers, *(self.before or ())[1:]])


def question_gate(b: AnswerPools, a: AnswerPools | None, margin: float, level: float) -> QuestionGate:
    """The gate on the answers `b`, compared with `a` to the same questions, if there are any."""
    before = None if a is None else (_right(a), a.sizes)
    return QuestionGate(b.question_ids, _right(b), b.sizes, before, margin, level)


def _right(pools: AnswerPools) -> Ints:
    """(Q,) right answers to each question."""
    return np.bincount(pools.question[pools.votes == 0], minlength=len(pools.question_ids))


@lru_cache(maxsize=1 << 14)
def chance_of_fall(first: int, of: int, then: int, out_of: int, margin: float = 0.0) -> float:
    """How often a share of right answers is seen to fall so far though it falls by no more than `margin`.

    first of `of`, then `then` of `out_of`. Exact, at the share for which that is most frequent
    (Barnard, Biometrika 1947).
    """
    shares = np.linspace(margin, 1, _GRID)[:, None]
    fall = first / of - then / out_of
    counts = np.arange(of + 1)
    most = np.floor((counts / of - fall) * out_of + _NEAR)
    chance = np.multiply(stats.binom.pmf(counts, of, shares), stats.binom.cdf(most, out_of, shares - margin))
    return float(np.sum(chance, axis=1).max())

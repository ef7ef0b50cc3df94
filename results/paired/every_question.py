"""A test of whether any question became worse or misses its target, which a mean would hide.

                 a       b       chance by luck
    case0        8 of 8  8 of 8  1
    case9        8 of 8  1 of 8  0.0003            falls: below 0.05 / (number of questions)

Without a run to compare with, each question should always be right or, with a margin, that much
less often. Among hundreds of questions, some fall by luck, so the p values are corrected for
their number (Holm, Scandinavian Journal of Statistics 1979).
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
"""Number of true shares of right answers over which the chance is maximised."""
_NEAR = 1e-9


@dataclass(frozen=True)
class QuestionGate:
    """Q questions with a run's right answers to each and, if given, those of an earlier run.

    right, answers: (Q,) counts of the run; before: those of the earlier run; margin: the share
    of right answers by which a question may be worse; level: the chance that luck fails no
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
        """(Q,) whether each question's share is below `wanted`."""
        return np.asarray(self.right / self.answers < self.wanted - _NEAR)

    @cached_property
    def chances(self) -> Floats:
        """(Q,) p values: the chance that luck alone makes a question this low; 1 if it is not below."""
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
        """(Q,) whether a question is below beyond luck, corrected for all questions (Holm)."""
        order = np.argsort(self.chances, kind="stable")
        allowed = (1 - self.level) / np.arange(len(order), 0, -1)
        explained = self.chances[order] > allowed
        fallen = np.zeros(len(order), bool)
        fallen[order[: int(explained.argmax()) if explained.any() else len(order)]] = True
        return fallen

    @property
    def word(self) -> OfQuestions:
        """fails: a question is below beyond luck; undecided: one is below, perhaps by luck; else holds."""
        if self.fallen.any():
            return "fails"
        return "undecided" if self.below.any() else "holds"

    @property
    def at_least(self) -> float:
        """A simultaneous lower bound on every question's share of right answers."""
        alone = (1 - self.level) / len(self.names)
        lowest = stats.beta.ppf(alone, self.right, self.answers - self.right + 1)
        return float(np.where(self.right > 0, lowest, 0.0).min())

    @property
    def answers_needed(self) -> int | None:
        """Answers per question needed to show a fall from always to never right; None if there are enough.

        By luck, n of n and then none of n are right with probability `by_luck`^n at most.
        """
        alone = (1 - self.level) / len(self.names)
        by_luck = self.margin if self.before is None else ((1 + self.margin) / 2) ** 2  # for n = 1
        needed = ceil(log(alone) / log(by_luck) - _NEAR) if by_luck else 1
        return needed if self.asked.min() < needed else None

    @property
    def asked(self) -> Ints:
        """The number of answers to each question, in both runs if there are two."""
        return np.concatenate([self.answers, *(self.before or ())[1:]])


def question_gate(b: AnswerPools, a: AnswerPools | None, margin: float, level: float) -> QuestionGate:
    """The gate on the answers `b`, compared with `a`, if given, on the same questions."""
    before = None if a is None else (_right(a), a.sizes)
    return QuestionGate(b.question_ids, _right(b), b.sizes, before, margin, level)


def _right(pools: AnswerPools) -> Ints:
    """(Q,) number of right answers to each question."""
    return np.bincount(pools.question[pools.votes == 0], minlength=len(pools.question_ids))


@lru_cache(maxsize=1 << 14)
def chance_of_fall(first: int, of: int, then: int, out_of: int, margin: float = 0.0) -> float:
    """The chance that a share of right answers seems to fall this far, but truly falls by at most `margin`.

    It was `first` of `of`, then `then` of `out_of`. Exact, and maximised over the true share
    (Barnard, Biometrika 1947).
    """
    shares = np.linspace(margin, 1, _GRID)[:, None]
    fall = first / of - then / out_of
    counts = np.arange(of + 1)
    most = np.floor((counts / of - fall) * out_of + _NEAR)
    chance = np.multiply(stats.binom.pmf(counts, of, shares), stats.binom.cdf(most, out_of, shares - margin))
    return float(np.sum(chance, axis=1).max())

"""Sequential comparisons, which are checked as questions come in and end as soon as they are decided.

    look = Planned(questions=1000, looks=10).look(differences)     of the first 400 questions
    look.interval, look.word                                       −0.004 … 0.091, "go on"

Looking ten times at an interval made for one look is wrong far more often than its level says.
There are two designs, whose intervals hold at all looks together:

* `Planned`: the maximum number of questions is fixed before the first look. The allowed error is spent as
  questions come in, little at first (Lan and DeMets, Biometrika 1983, in the manner of O'Brien and Fleming,
  Biometrics 1979), so that the last look is nearly as sharp as a single comparison. It also ends for
  futility, when even all planned questions would hardly decide, by the predictive probability under a flat
  prior (Spiegelhalter, Freedman and Blackburn, Controlled Clinical Trials 1986).
* `Open`: no plan. Bets against a value of the mean difference gain only if the value is wrong; if it is
  right, the stake ever grows 2/α-fold with probability at most α/2 (Waudby-Smith and Ramdas, JRSS B 2024).
  Questions may be added for ever, but more of them are needed.

Both need questions in random order.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import optimize, special

from results.normal import LEVEL, Interval
from results.paired.differences import mean_differences
from results.paired.verdict import verdict
from results.votes.exact import Floats

Word = Literal["better", "worse", "undecided", "go on"]

FUTILE = 0.10
"""A comparison ends undecided if the planned questions would decide with less than this probability."""

USUAL_LOOKS = 10
"""The default number of planned looks."""

REPLAYS = 200
"""Random orders in which stored questions are replayed."""

_FURTHEST = 8.0  # standard errors; any plan spends more than the tail beyond
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_STAKES = np.geomspace(0.05, 0.95, 6)


@dataclass(frozen=True)
class Look:
    """The mean difference so far, its interval, which holds at all looks together, and the decision."""

    questions: int
    mean: float
    interval: Interval[float]
    word: Word


@dataclass(frozen=True)
class SequentialReplay:
    """Results of REPLAYS random orders of stored questions: mean questions used, counts of decisions."""

    questions: float
    words: Counter[Word]


@dataclass(frozen=True)
class Planned:
    """A plan for at most `questions` questions, with `looks` looks, including the last one."""

    questions: int
    looks: int = USUAL_LOOKS
    level: float = LEVEL

    def places(self, questions: int) -> list[int]:
        """The planned looks before this many questions, and this one."""
        planned = {self.questions * look // self.looks for look in range(1, self.looks)} - {0}
        return [*sorted(place for place in planned if place < questions), questions]

    def look(self, differences: Floats, margin: float = 0.0) -> Look:
        """The look at these differences, after all planned looks before.

        Its interval is a repeated confidence interval (Jennison and Turnbull, JRSS B 1989): on
        each side as many standard errors as the boundary of this look.
        """
        here = float(special.erf(self._boundary(len(differences)) / np.sqrt(2)))  # the level of this look
        row = mean_differences(differences[:, None], self.level, here)
        low, high = float(row.interval.low[0]), float(row.interval.high[0])
        word: Word = verdict(low, high, margin)
        left = len(differences) < self.questions
        if left and word == "undecided" and self._chance(differences + margin) >= FUTILE:
            word = "go on"
        return Look(len(differences), float(row.mean[0]), Interval(low, high, self.level), word)

    def end(self, differences: Floats, margin: float = 0.0) -> tuple[int, Word]:
        """The number of questions, in this order, at which a look first decides to end, and its word."""
        for place in self.places(len(differences)):
            word = self.look(differences[:place], margin).word
            if word != "go on":
                break
        return place, word

    def _boundary(self, questions: int) -> float:
        shares = tuple(place / self.questions for place in self.places(questions))
        return boundaries(shares, self.level)[-1]

    def _chance(self, differences: Floats) -> float:
        """The predictive probability that the planned questions decide."""
        share = len(differences) / self.questions
        row = mean_differences(differences[:, None])
        standing = float(np.sign(row.mean[0]) * special.ndtri(1 - np.nan_to_num(row.p_value[0], nan=1.0) / 2))
        predicted = standing / np.sqrt(share)
        spread = np.sqrt((1 - share) / share)
        last = self._boundary(self.questions)
        return float(special.ndtr((predicted - last) / spread) + special.ndtr((-predicted - last) / spread))


@dataclass(frozen=True)
class Open:
    """No plan: any number of questions, with looks at any time."""

    level: float = LEVEL

    def look(self, differences: Floats, margin: float = 0.0) -> Look:
        """The look at these differences; its interval has all values that no bet refutes."""
        low, high = self._end(differences), -self._end(-differences)
        word = verdict(low, high, margin)
        mean, interval = float(np.mean(differences)), Interval(low, high, self.level)
        return Look(len(differences), mean, interval, "go on" if word == "undecided" else word)

    def end(self, differences: Floats, margin: float = 0.0) -> tuple[int, Word]:
        """As `Planned.end`, with a look after every question."""
        over = self._surplus(-margin, differences), self._surplus(margin, -differences)
        decided = np.flatnonzero((over[0] >= 0) | (over[1] >= 0))
        if not decided.size:
            return len(differences), "go on"
        first = int(decided[0])
        return first + 1, "better" if over[0][first] >= 0 else "worse"

    def _surplus(self, value: float, differences: Floats) -> Floats:
        """The log gain of bets that the mean is above `value`, minus the log gain needed to refute it, (q,).

        A bet of a share s of the stake returns 1 + s (d + 1)/(value + 1) − s: never negative,
        as d ≥ −1, and 1 on average if the mean difference is `value`. It decreases with
        `value`.
        """
        returns = (differences + 1) / (value + 1) - 1
        gains = np.log1p(_STAKES[:, None] * returns).cumsum(axis=1)
        return np.asarray(special.logsumexp(gains, axis=0) - np.log(_STAKES.size * 2 / (1 - self.level)))

    def _end(self, differences: Floats) -> float:
        """The lower end: all values below it are refuted."""
        least, mean = -1 + 1e-9, float(np.mean(differences))
        if mean <= least or self._surplus(least, differences)[-1] < 0:
            return -1.0
        return float(
            optimize.brentq(lambda value: self._surplus(value, differences)[-1], least, mean, xtol=1e-10)
        )


Way = Planned | Open
"""A design for looking at differences, (q,), as questions come in; margin: how much worse b may be."""


def replayed(differences: Floats, way: Way, margin: float = 0.0) -> SequentialReplay:
    """The outcome of a sequential comparison on stored differences, (Q,), in random orders."""
    rng = np.random.default_rng(0)
    differences = np.sort(differences)  # so that the order of a table's rows makes no difference
    used, words = [], Counter[Word]()
    for _ in range(REPLAYS):
        questions, word = way.end(rng.permutation(differences), margin)
        used.append(questions)
        words[word] += 1
    return SequentialReplay(float(np.mean(used)), words)


@cache
def boundaries(shares: tuple[float, ...], level: float) -> tuple[float, ...]:
    """The boundary at each look, in standard errors; shares: of the planned questions, ascending, ≤ 1.

    By each share, each side has spent 2 − 2 Φ(z/√share), where z is the normal quantile of
    1 − α/4. The distribution of the sum over the looks is integrated numerically (Armitage,
    McPherson and Rowe, JRSS A 1969).
    """
    quantile = -special.ndtri((1 - level) / 4)
    spent = 2 * special.ndtr(-quantile / np.sqrt(shares))
    to_spend = np.diff(spent, prepend=0.0)
    sums, weights, before = np.zeros(1), np.ones(1), 0.0
    looks = []
    for share, spend in zip(shares, to_spend, strict=True):
        step = np.sqrt(share - before)
        furthest = _FURTHEST * np.sqrt(share)

        def left(bound: float) -> float:
            """The error that a bound spends in excess of this look's share."""
            beyond = weights @ special.ndtr((sums - bound) / step)  # noqa: B023
            return float(beyond - spend)  # noqa: B023

        bound = furthest
        if left(furthest) < 0:
            bound = float(optimize.brentq(left, 0.0, furthest, xtol=1e-12))
        inside = _NODES * bound
        moves = (inside[:, None] - sums) / step
        density = np.exp(-(moves**2) / 2) @ weights / (step * np.sqrt(2 * np.pi))
        sums, weights, before = inside, density * _WEIGHTS * bound, share
        looks.append(float(bound / np.sqrt(share)))
    return tuple(looks)

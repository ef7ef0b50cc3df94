"""A comparison that is looked at while it grows, so that it may end as soon as it is decided.

    look = Planned(questions=1000, looks=10).look(differences)     of the first 400 questions
    look.interval, look.word                                       −0.004 … 0.091, "go on"

Who looks ten times at an interval that holds once is wrong far more often than it says. The
intervals of two ways to look hold at all looks together:

* `Planned`: the most questions are fixed before the first look. The error that is allowed is spent as the
  questions come in, little at first (Lan and DeMets, Biometrika 1983, in the manner of O'Brien and Fleming,
  Biometrics 1979), so that the last look is nearly as sharp as a comparison made once. It ends, too, where
  even all the planned questions would hardly decide: futility, by the predictive chance under a flat prior
  (Spiegelhalter, Freedman and Blackburn, Controlled Clinical Trials 1986).
* `Open`: no plan. Bets against a value of the mean difference gain only where it is wrong; where it is right
  the stake grows to 2/α times with a chance of at most α/2, at whatever look (Waudby-Smith and Ramdas,
  JRSS B 2024). Questions may be added for ever, and it takes more of them.

Both need questions that come in a random order.
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
"""With a smaller chance than this that the planned questions decide, a comparison ends undecided."""

USUAL_LOOKS = 10
"""Planned looks, where nothing else is said."""

REPLAYS = 200
"""Random orders in which stored questions are looked at once more."""

_FURTHEST = 8.0  # standard errors; beyond lies less than any plan spends
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_STAKES = np.geomspace(0.05, 0.95, 6)


@dataclass(frozen=True)
class Look:
    """The mean difference of the questions so far, an interval that holds at all looks together, the word."""

    questions: int
    mean: float
    interval: Interval[float]
    word: Word


@dataclass(frozen=True)
class SequentialReplay:
    """Stored questions in REPLAYS random orders: the mean number it took, how often each word came."""

    questions: float
    words: Counter[Word]


@dataclass(frozen=True)
class Planned:
    """At most `questions`, looked at `looks` times on the way, the last one included."""

    questions: int
    looks: int = USUAL_LOOKS
    level: float = LEVEL

    def places(self, questions: int) -> list[int]:
        """The planned looks before so many questions, and these."""
        planned = {self.questions * look // self.looks for look in range(1, self.looks)} - {0}
        return [*sorted(place for place in planned if place < questions), questions]

    def look(self, differences: Floats, margin: float = 0.0) -> Look:
        """The look here, where every planned look before was taken.

        Its interval is a repeated confidence interval (Jennison and Turnbull, JRSS B 1989): to
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
        """After how many questions, in this order, the first look is not to go on, and its word."""
        for place in self.places(len(differences)):
            word = self.look(differences[:place], margin).word
            if word != "go on":
                break
        return place, word

    def _boundary(self, questions: int) -> float:
        shares = tuple(place / self.questions for place in self.places(questions))
        return boundaries(shares, self.level)[-1]

    def _chance(self, differences: Floats) -> float:
        """That all the planned questions decide, as predicted from these."""
        share = len(differences) / self.questions
        row = mean_differences(differences[:, None])
        standing = float(np.sign(row.mean[0]) * special.ndtri(1 - np.nan_to_num(row.p_value[0], nan=1.0) / 2))
        predicted = standing / np.sqrt(share)
        spread = np.sqrt((1 - share) / share)
        last = self._boundary(self.questions)
        return float(special.ndtr((predicted - last) / spread) + special.ndtr((-predicted - last) / spread))


@dataclass(frozen=True)
class Open:
    """No plan: any number of questions, looked at whenever one likes."""

    level: float = LEVEL

    def look(self, differences: Floats, margin: float = 0.0) -> Look:
        """The interval holds every value of the mean difference that no bet has refuted."""
        low, high = self._end(differences), -self._end(-differences)
        word = verdict(low, high, margin)
        mean, interval = float(np.mean(differences)), Interval(low, high, self.level)
        return Look(len(differences), mean, interval, "go on" if word == "undecided" else word)

    def end(self, differences: Floats, margin: float = 0.0) -> tuple[int, Word]:
        """Looked at after every question."""
        over = self._surplus(-margin, differences), self._surplus(margin, -differences)
        decided = np.flatnonzero((over[0] >= 0) | (over[1] >= 0))
        if not decided.size:
            return len(differences), "go on"
        first = int(decided[0])
        return first + 1, "better" if over[0][first] >= 0 else "worse"

    def _surplus(self, value: float, differences: Floats) -> Floats:
        """By how much, in logs, bets that the mean is above `value` have gained more than it takes, (q,).

        A bet of the share s of the stake returns 1 + s (d + 1)/(value + 1) − s: never negative,
        as d ≥ −1, and 1 in the mean where the mean difference is `value`. It falls with
        `value`.
        """
        returns = (differences + 1) / (value + 1) - 1
        gains = np.log1p(_STAKES[:, None] * returns).cumsum(axis=1)
        return np.asarray(special.logsumexp(gains, axis=0) - np.log(_STAKES.size * 2 / (1 - self.level)))

    def _end(self, differences: Floats) -> float:
        """The largest value below which all are refuted."""
        least, mean = -1 + 1e-9, float(np.mean(differences))
        if mean <= least or self._surplus(least, differences)[-1] < 0:
            return -1.0
        return float(
            optimize.brentq(lambda value: self._surplus(value, differences)[-1], least, mean, xtol=1e-10)
        )


Way = Planned | Open
"""How differences, (q,), are looked at while questions come in; margin: b may be worse by so much."""


def replayed(differences: Floats, way: Way, margin: float = 0.0) -> SequentialReplay:
    """Stored differences, (Q,), looked at in random orders: what it would have taken, and said."""
    rng = np.random.default_rng(0)
    differences = np.sort(differences)  # so that the order of the rows of a table makes no difference
    used, words = [], Counter[Word]()
    for _ in range(REPLAYS):
        questions, word = way.end(rng.permutation(differences), margin)
        used.append(questions)
        words[word] += 1
    return SequentialReplay(float(np.mean(used)), words)


@cache
def boundaries(shares: tuple[float, ...], level: float) -> tuple[float, ...]:
    """How many standard errors decide at each look; shares: of the planned questions, rising, the last ≤ 1.

    Each side spends 2 − 2 Φ(z/√share) by that share, z the normal quantile of 1 − α/4. The law
    of the sum on its way through the looks is integrated numerically (Armitage, McPherson and
    Rowe, JRSS A 1969).
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
            """What a bound would spend beyond what this look may."""
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

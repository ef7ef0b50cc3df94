"""Negative and falling gaps: how many questions, how certain, and whether the other half agrees.

kinds(draws)["behind at every length"]     (draws, questions) of bool  ->  counts with 90 % intervals
checks(answers)                            half of the answers picks the questions, the other half checks
"""

from typing import NamedTuple

import numpy as np

from results.normal import FORECAST_TAILS
from studies.bridge.answers import Answers, Bools, Floats
from studies.bridge.posterior import draw_gaps

DROP = 0.1
"""A fall of Δ by less than this between two lengths is not counted; our choice."""
RESAMPLES = 2000
BEHIND, AHEAD = "a wrong answer leads at every length", "the right answer leads at every length"
UP, DOWN = (
    "a wrong answer leads at first, the right one in the end",
    "the right one first, a wrong one in the end",
)
FALLS = f"Δ falls by more than {DROP:g} from one length to a later one"
LATE = "the same within the later half of the lengths"


class Count(NamedTuple):
    """A number of questions, its 90 % interval, and (`of`) all questions."""

    mean: float
    low: float
    high: float
    of: int

    def __str__(self) -> str:
        return f"{self.mean:.0f} ({self.low:.0f} … {self.high:.0f})"


class Check(NamedTuple):
    """What one half picks, what the other half confirms of it, and that half's base rate.

    Of `picked` questions, `expected` are of the kind according to the half that picked, `confirmed` according
    to the other; `base` is the share of all questions that are, by that other half.
    """

    picked: int
    expected: float
    confirmed: float
    low: float
    high: float
    base: float


def likeliest(chance: Floats) -> Bools:
    """Mark the likeliest questions, as many as are expected to be of a kind; `chance` (questions,)."""
    marked = np.zeros(len(chance), bool)
    marked[np.argsort(-chance, kind="stable")[: round(float(chance.sum()))]] = True
    return marked


def kinds(draws: Floats) -> dict[str, Bools]:
    """For each draw (draws, questions, lengths) and question, whether it is of each kind."""
    first, last = draws[:, :, 0], draws[:, :, -1]
    return {
        BEHIND: np.asarray((draws < 0).all(axis=2)),
        UP: (first < 0) & (last > 0),
        AHEAD: np.asarray((draws > 0).all(axis=2)),
        DOWN: (first > 0) & (last < 0),
        FALLS: _fall(draws) > DROP,
        LATE: _fall(draws[:, :, draws.shape[2] // 2 :]) > DROP,
    }


def _fall(draws: Floats) -> Floats:
    """(draws, questions): the largest fall from a length to a later one."""
    return np.asarray((np.maximum.accumulate(draws, axis=2) - draws).max(axis=2))


def counts(draws: Floats, seed: int = 0) -> dict[str, Count]:
    """How many questions are of each kind. The interval is over draws and over the draw of questions."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, of_kind in kinds(draws).items():
        total, questions = of_kind.shape
        drawn = rng.integers(questions, size=(total, questions))
        sums = np.take_along_axis(of_kind, drawn, axis=1).sum(axis=1)
        low, high = np.quantile(sums, FORECAST_TAILS)
        found[name] = Count(float(of_kind.sum(axis=1).mean()), float(low), float(high), questions)
    return found


def checks(answers: Answers, draws: int = 1000, seed: int = 0) -> dict[str, Check]:
    """One half of the answers picks questions and the other confirms them; both ways."""
    halves = [kinds(draw_gaps(half, draws=draws, seed=seed + at)) for at, half in enumerate(answers.halves())]
    rng = np.random.default_rng(seed)
    found = {}
    for name in halves[0]:
        chance = [half[name].mean(axis=0) for half in halves]
        picks = [likeliest(own) for own in chance]
        picked = np.concatenate([picks[0], picks[1]])
        own, other = np.concatenate(chance), np.concatenate(chance[::-1])
        if not picked.any():
            found[name] = Check(0, np.nan, np.nan, np.nan, np.nan, float(other.mean()))
            continue
        drawn = rng.integers(picked.sum(), size=(RESAMPLES, picked.sum()))
        low, high = np.quantile(other[picked][drawn].mean(axis=1), FORECAST_TAILS)
        share = float(own[picked].mean()), float(other[picked].mean())
        found[name] = Check(int(picked.sum()), *share, float(low), float(high), float(other.mean()))
    return found

"""How far the fit is off where that can be seen: cut earlier still, forecast the cap, compare.

    cut where 60 % and 80 % of the ended answers had ended: off by 1.2 and 2.1 standard deviations
    ->  the intervals beyond the cap are √((4 + 1.2² + 2.1²) / (4 + 2)) = 1.3 times as wide

At an earlier cut every later answer is hidden; of those that were unfinished then, the forecast says how many
are right, and how many have ended, by the cap. An interval is never made narrower by this.
"""

from dataclasses import dataclass

import numpy as np

from predict.protocol import Floats
from predict.survival.fit import Fit, Problem, fit
from predict.survival.seen import seen_at
from predict.survival.trend import look_ahead
from results.votes.exact import AnswerPools

ORIGINS = (0.6, 0.8)
"""Shares of the ended answers at which the run is cut again."""

TRUST = 4.0
"""The model's own standard deviation counts for so many of these comparisons."""

DRAWS = 60


@dataclass(frozen=True)
class Widening:
    """Factors of the spread of the forecasts of `accuracy` and of `tokens`, at least 1."""

    accuracy: float
    tokens: float


def widening(answers: AnswerPools, cap: float, start: Fit, seed: int) -> Widening:
    """The factors for a fit, `start`, to `answers` stopped at `cap`."""
    ended = answers.tokens[(answers.tokens <= cap)]
    off = np.array(
        [
            _off(answers, float(np.quantile(ended, share, method="lower")), cap, start, seed)
            for share in ORIGINS
        ]
    )
    accuracy, tokens = np.sqrt((TRUST + (off**2).sum(axis=0)) / (TRUST + len(off)))
    return Widening(max(1.0, float(accuracy)), max(1.0, float(tokens)))


def _off(answers: AnswerPools, early: float, cap: float, start: Fit, seed: int) -> Floats:
    """Standard deviations by which right and ended answers between `early` and `cap` were missed: (2,)."""
    problem, later = Problem(seen_at(answers, early)), seen_at(answers, cap)
    seen = problem.seen
    found = look_ahead(problem, fit(problem, start.theta), [cap], DRAWS, seed)
    misses = []
    counts = ((found.right, later.right, seen.right), (found.ended, later.ended_counts, seen.ended_counts))
    alive = np.maximum(1 - found.ended[:, :, 0], 1e-9)
    for drawn, then, now in counts:
        chance = np.clip((drawn[:, :, 1] - drawn[:, :, 0]) / alive, 0.0, 1.0)
        expected = chance @ seen.unfinished
        noise = (chance * (1 - chance)) @ seen.unfinished
        variance = expected.var() + noise.mean()
        misses.append((then.sum() - now.sum() - expected.mean()) / np.sqrt(variance + 1e-9))
    return np.array(misses)

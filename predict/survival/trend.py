"""How often late answers are right, by a second law: one line through the answers of all questions.

    middle answer by length: logit 1.1; one standard deviation later: −0.4  ->  beyond the cap 38 % are right

Beyond the cap the law of `law.py` goes by which questions are slow, and how often they are right hangs on
parameters that answers within the cap hardly tell. Over all questions together the logit of being right falls
about linearly in the normal score of an answer's rank by length. Each draw keeps the odds between questions
and moves all of them together until late answers are right as often as a draw of the line says.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit, ndtri

from predict.protocol import Floats
from predict.survival.fit import Fit, Problem
from predict.survival.seen import Seen
from predict.survival.simulate import Simulated, simulate

PRIOR_MEAN, PRIOR_SD = np.array([2.0, -1.5]), np.array([2.0, 1.0])
"""Normal prior of the line's level and slope, wide enough for every complete run in docs/along-t.md."""

RANKS = 2000
"""Steps of the integral along the line."""

FARTHEST = 12.0
"""Log odds are moved by at most this."""

HALVINGS = 30


@dataclass(frozen=True)
class Line:
    """Level and slope (2,), and the lower Cholesky factor of their covariance."""

    at: Floats
    spread: Floats


def look_ahead(problem: Problem, fit: Fit, caps: Sequence[float], R: int, seed: int) -> Simulated:
    """R draws at the cap that was seen and then at `caps`, late answers right as the line says."""
    drawn = simulate(problem, fit, [problem.seen.cap, *caps], R, seed)
    return follow(fit_line(problem.seen), drawn, problem.seen.ended_share, seed)


def fit_line(seen: Seen) -> Line:
    """Logistic regression on the ended answers, where questions and not answers are independent.

    The covariance is the sandwich of Liang and Zeger (1986), the prior counting as one more question.
    """
    ended = seen.ended_counts.sum(axis=0)
    score = ndtri((np.cumsum(ended) - ended / 2) / (ended.sum() + seen.unfinished.sum()))
    x = np.stack([np.ones_like(score), score])
    right, other = seen.right.sum(axis=0), seen.other.sum(axis=0)

    def loss(line: Floats) -> tuple[float, Floats]:
        off, at = (line - PRIOR_MEAN) / PRIOR_SD, line @ x
        value = off @ off / 2 - right @ log_expit(at) - other @ log_expit(-at)
        return float(value), off / PRIOR_SD - x @ (right - ended * expit(at))

    line = minimize(loss, PRIOR_MEAN, jac=True, method="BFGS", options={"gtol": 1e-6}).x
    p, prior = expit(line @ x), np.diag(PRIOR_SD**-2.0)
    by_question = (seen.right - seen.ended_counts * p) @ x.T
    bread = np.linalg.inv((x * ended * p * (1 - p)) @ x.T + prior)
    return Line(line, np.linalg.cholesky(bread @ (by_question.T @ by_question + prior) @ bread))


def follow(line: Line, drawn: Simulated, share: float, seed: int) -> Simulated:
    """`drawn`, whose first cap is the one that was seen, with late answers right as often as the line says.

    `share` of the answers had ended by the first cap. Each draw has a line of its own.
    """
    R = len(drawn.right)
    lines = line.at + np.random.default_rng([seed, 2]).standard_normal((R, 2)) @ line.spread.T
    ended = np.diff(drawn.ended, axis=2)
    chance = np.clip(np.diff(drawn.right, axis=2) / np.maximum(ended, 1e-12), 1e-9, 1 - 1e-9)
    reached = share + (drawn.ended - drawn.ended[:, :, :1]).mean(axis=1)
    ranks = (np.arange(RANKS) + 0.5) / RANKS
    by_rank = np.cumsum(expit(lines[:, :1] + lines[:, 1:] * ndtri(ranks)), axis=1) / RANKS
    upto = [np.interp(u, ranks + 0.5 / RANKS, total) for u, total in zip(reached, by_rank, strict=True)]
    late = ended * expit(logit(chance) + _move(chance, ended, np.diff(upto, axis=1))[:, None, :])
    right = np.concatenate([np.zeros_like(late[:, :, :1]), np.cumsum(late, axis=2)], axis=2)
    return Simulated(drawn.right[:, :, :1] + right, drawn.ended, drawn.tokens)


def _move(chance: Floats, ended: Floats, wanted: Floats) -> Floats:
    """The move of all log odds, (R, C), at which the mean of ended × chance over questions is `wanted`."""
    odds = logit(chance)
    low, high = np.full(wanted.shape, -FARTHEST), np.full(wanted.shape, FARTHEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        less = (ended * expit(odds + middle[:, None, :])).mean(axis=1) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.asarray((low + high) / 2)

"""One law of questions for every setting, fitted to all points of all curves at once.

    settings T = 30, 60, 90, N = 1 … 16   ->   a = −1.6 −0.2 0.6,  σ = 1.9,  c = 0.4 (× e^±1.1 in odds),  η = 0.03

Question q is answered right at setting i with probability p, logit p = a_i + σ z_q, z_q normal. Its wrong
answers follow `votes`: logit c normal with mean c₀ and standard deviation τ over questions, η one number. So
Acc(T_i, N) = E_{z,c} V(logistic(a_i + σ z), c, η, N), which keeps the structure of the paper's Algorithm 3
(one answer and a gap give every N) without its approximations: no exponent Δ²/2, no single question.
Settings share σ, c₀, τ and η; only a_i moves with T. For best-of-N, V = 1 − (1 − p)^N.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit, logit

from predict.curves.intervals import SHARED
from predict.curves.question_law import votes
from predict.evidence.points import Floats, Ints, Points

EXACT = 0.005
"""Standard deviation of what the law itself misses at a point."""

UNKNOWN = 0.01
"""Standard error of a point where the table has none."""

PRIOR = np.array([np.log(2.0), -0.5, 0.0, -3.0])
PRIOR_SD = np.array([0.5, 1.0, 0.4, 2.0])
"""Of log σ, c₀, log τ and logit η."""

REACH = 4 * PRIOR_SD
"""They stay so close to `PRIOR`."""

FARTHEST = 9.0
"""Logits a_i stay within ± this."""

STARTS = (-2.0, -0.5, 1.0)
"""c₀ from which the search starts."""


@dataclass(frozen=True)
class QuestionLaw:
    """logits: a_i of the k settings fitted; shared: log σ, c₀, log τ, logit η; method: majority or best_of_n."""

    logits: Floats
    shared: Floats
    method: str

    @property
    def sigma(self) -> float:
        """σ, the standard deviation of logit p over questions."""
        return float(np.exp(self.shared[0]))

    def at(self, logits: Floats, N: Sequence[int] | Ints) -> Floats:
        """Acc, (A, len(N)), of settings whose logits a are `logits` (A,)."""
        places = np.asarray(logits)[:, None] + self.sigma * votes.Z
        asked = np.asarray(N, np.int64)
        if self.method == "best_of_n":
            return votes.best_of_n(places, asked)
        _, centre, log_spread, silent = self.shared
        found = votes.majority(places, asked, centre, float(np.exp(log_spread)), float(expit(silent)))
        found[:, asked == 1] = votes.one_answer(places)[:, None]
        return found

    def logits_of(self, single: Floats) -> Floats:
        """The logit a at which one answer is right as often as `single`, shape as given."""
        grid = np.linspace(-2 * FARTHEST, 2 * FARTHEST, 289)
        rate = votes.one_answer(grid[:, None] + self.sigma * votes.Z)
        return np.asarray(np.interp(logit(np.clip(single, 1e-6, 1 - 1e-6)), logit(rate), grid))


@dataclass(frozen=True)
class Fitted:
    """The likeliest law, and the covariance of (logits, shared) by Laplace's approximation, (k + 4, k + 4)."""

    law: QuestionLaw
    covariance: Floats

    def drawn(self, R: int, rng: np.random.Generator) -> list[QuestionLaw]:
        """R laws that fit about as well."""
        centre = np.concatenate([self.law.logits, self.law.shared])
        k = len(self.law.logits)
        laws = rng.multivariate_normal(centre, self.covariance, size=R, method="cholesky")
        laws[:, :k] = np.clip(laws[:, :k], -FARTHEST, FARTHEST)
        return [replace(self.law, logits=one[:k], shared=_bounded(one[k:])) for one in laws]


def point_noise(stderr: Floats) -> Floats:
    """Standard deviation at each point of what settings and N do not share, and of the law's own error."""
    own = np.sqrt(1 - SHARED) * np.nan_to_num(stderr, nan=UNKNOWN)
    return np.asarray(np.hypot(EXACT, own))


def fit(points: Points, accuracy: Floats, stderr: Floats, method: str) -> Fitted:
    """Fit the law to P points with k settings: k + 4 unknowns by penalised least squares."""
    settings = [name for name, _ in points.settings()]
    k = len(settings)
    place = np.array([settings.index(str(name)) for name in points.setting])
    N, column = np.unique(points.N, return_inverse=True)
    noise = point_noise(stderr)

    def unpacked(x: Floats) -> QuestionLaw:
        return QuestionLaw(x[:k], x[k:], method)

    def missed(x: Floats) -> Floats:
        law = unpacked(x)
        off = (law.at(law.logits, N)[place, column] - accuracy) / noise
        return np.concatenate([off, (x[k:] - PRIOR) / PRIOR_SD, x[:k] / (2 * FARTHEST)])

    limits = np.concatenate([np.full(k, FARTHEST), REACH])
    middle = np.concatenate([np.zeros(k), PRIOR])
    bounds = middle - limits, middle + limits
    first = np.array([accuracy[place == i][np.argmin(points.N[place == i])] for i in range(k)])
    found = []
    for centre in STARTS if method == "majority" else STARTS[:1]:
        shared = np.array([PRIOR[0], centre, *PRIOR[2:]])
        logits = QuestionLaw(np.zeros(k), shared, method).logits_of(first)
        start = np.concatenate([np.clip(logits, -FARTHEST + 0.1, FARTHEST - 0.1), shared])
        found.append(least_squares(missed, start, bounds=bounds, x_scale=np.maximum(limits, 1.0)))
    best = min(found, key=lambda one: float(one.cost))
    covariance = np.linalg.inv(best.jac.T @ best.jac)
    return Fitted(unpacked(best.x), np.asarray((covariance + covariance.T) / 2))


def _bounded(shared: Floats) -> Floats:
    return np.clip(shared, PRIOR - REACH, PRIOR + REACH)

"""One law of questions shared by all settings, fitted to all points of all curves at once.

    settings T = 30, 60, 90, N = 1 … 16   ->   a = −1.6 −0.2 0.6, σ = 1.9, c₀ = −0.4, τ = 1.1, η = 0.03

Question q is answered right at setting i with probability p, logit p = a_i + σ z_q, z_q normal. Its wrong
answers follow `law_votes`: over questions logit c is normal, mean c₀, standard deviation τ; η is constant.
So Acc(T_i, N) = E_{z,c} V(logistic(a_i + σ z), c, η, N), which keeps the structure of the paper’s Algorithm 3
(one answer and a gap give every N) without its approximations: no exponent Δ²/2, no single question.
Settings share σ, c₀, τ and η; only a_i changes with T. For best-of-N, V = 1 − (1 − p)^N.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit, logit, ndtri
from scipy.stats import qmc

from predict.curves import law_votes as votes
from predict.curves.intervals import SHARED
from predict.evidence.points import places_of
from results import BadInput
from results.votes.exact import Floats, Ints

EXACT = 0.005
"""Standard deviation of the law's own error at a point."""

UNKNOWN = 0.01
"""Standard error assumed for a point if the table has none."""

PRIOR = np.array([np.log(2.0), -0.5, 0.0, -3.0])
PRIOR_SD = np.array([0.5, 1.0, 0.4, 2.0])
"""Normal prior of log σ, c₀, log τ and logit η."""

REACH = 4 * PRIOR_SD
"""Largest distance of these parameters from `PRIOR`."""

FARTHEST = 9.0
"""The logits a_i stay within ± this."""

STARTS = (-2.0, -0.5, 1.0)
"""Values of c₀ from which the search starts."""

STEP = np.sqrt(np.finfo(np.float64).eps)
"""Relative step of the numerical derivatives."""

LAWS = 128
"""Number of laws drawn from the posterior."""


@dataclass(frozen=True, eq=False)
class QuestionLaw:
    """The fitted law of k settings.

    settings: their names, shortest first; T: (k,), NaN where unknown; logits: a_i, (k,); shared: log σ, c₀,
    log τ, logit η; covariance: of (logits, shared) by Laplace's approximation, (k + 4, k + 4); method:
    majority or best_of_n.
    """

    settings: tuple[str, ...]
    T: Floats
    logits: Floats
    shared: Floats
    covariance: Floats
    method: str

    @property
    def sigma(self) -> float:
        """σ, the standard deviation of logit p over questions."""
        return float(np.exp(self.shared[0]))

    def at(self, logits: Floats, N: Sequence[int] | Ints) -> Floats:
        """Acc, (A, len(N)), at settings with the logits a given by `logits` (A,)."""
        places = np.asarray(logits)[:, None] + self.sigma * votes.Z
        sizes = np.asarray(N, np.int64)
        if self.method == "best_of_n":
            return votes.best_of_n(places, sizes)
        _, centre, log_spread, silent = self.shared
        values = votes.majority(places, sizes, centre, float(np.exp(log_spread)), float(expit(silent)))
        values[:, sizes == 1] = votes.one_answer(places)[:, None]
        return np.clip(values, 0.0, 1.0)

    def seen(self, N: Sequence[int] | Ints) -> Floats:
        """Acc, (k, len(N)), at the fitted settings."""
        return self.at(self.logits, N)

    def logits_of(self, single: Floats) -> Floats:
        """The logit a at which one answer has accuracy `single`, in the same shape."""
        grid = np.linspace(-2 * FARTHEST, 2 * FARTHEST, 289)
        rate = votes.one_answer(grid[:, None] + self.sigma * votes.Z)
        return np.asarray(np.interp(logit(np.clip(single, 1e-6, 1 - 1e-6)), logit(rate), grid))

    def drawn(self) -> list["QuestionLaw"]:
        """`LAWS` draws of laws that fit about as well: always the same ones, spread evenly (Sobol points)."""
        k = len(self.logits)
        points = qmc.Sobol(k + len(self.shared), seed=0).random(LAWS)
        normal = ndtri(np.clip(points, 1e-9, 1 - 1e-9))
        laws = np.concatenate([self.logits, self.shared]) + normal @ np.linalg.cholesky(self.covariance).T
        logits = np.clip(laws[:, :k], -FARTHEST, FARTHEST)
        shared = np.clip(laws[:, k:], PRIOR - REACH, PRIOR + REACH)
        return [replace(self, logits=a, shared=s) for a, s in zip(logits, shared, strict=True)]


def fit(
    T: Floats, N: Ints, accuracy: Floats, stderr: Floats, setting: np.ndarray, method: str
) -> QuestionLaw:
    """Fit the law to P points, all arguments (P,): k settings, k + 4 unknowns, penalised least squares.

    T: length of one answer, NaN where unknown; stderr: NaN where unknown; the order of the points does not
    matter. Raises BadInput if there is no point, or an accuracy is not a number from 0 to 1.
    """
    if not len(N):
        raise BadInput("question-law: no point of a curve to fit")
    if not ((accuracy >= 0) & (accuracy <= 1)).all():
        raise BadInput("question-law: every accuracy must be a number from 0 to 1")
    noise = np.hypot(EXACT, np.sqrt(1 - SHARED) * np.nan_to_num(stderr, nan=UNKNOWN))
    order = np.lexsort((accuracy, N, places_of(setting.tolist(), T, N, accuracy, noise)))
    columns = (T, N, accuracy, noise, setting.astype(str))
    return _fitted(method, *(tuple(column[order].tolist()) for column in columns))


@lru_cache(maxsize=16)
def _fitted(method: str, *columns: tuple[Any, ...]) -> QuestionLaw:
    """Fit the law; cached, because several predictors use the law of the same points."""
    T, N, accuracy, noise, names = map(np.array, columns)
    settings = tuple(dict.fromkeys(names.tolist()))
    k = len(settings)
    place = np.array([settings.index(name) for name in names])
    asked, column = np.unique(N, return_inverse=True)
    lengths = np.array([T[place == i][0] for i in range(k)])

    def law_of(x: Floats) -> QuestionLaw:
        return QuestionLaw(settings, lengths, x[:k], x[k:], np.eye(k + 4), method)

    def off(x: Floats) -> Floats:
        return np.asarray((law_of(x).seen(asked)[place, column] - accuracy) / noise)

    def missed(x: Floats) -> Floats:
        return np.concatenate([off(x), (x[k:] - PRIOR) / PRIOR_SD, x[:k] / (2 * FARTHEST)])

    def slopes(x: Floats) -> Floats:
        """The derivatives of `missed`. Each point depends on one logit, so all logits are stepped at once."""
        now = off(x)
        step = np.where(x < 0, -STEP, STEP) * np.maximum(1.0, np.abs(x))
        step = np.where(np.abs(x + step - middle) > limits, -step, step)
        sums = np.zeros((len(now), k + 4))
        every_logit = np.where(np.arange(k + 4) < k, step, 0.0)
        sums[np.arange(len(now)), place] = (off(x + every_logit) - now) / step[place]
        for i in range(k, k + 4):
            one = np.where(np.arange(k + 4) == i, step, 0.0)
            sums[:, i] = (off(x + one) - now) / step[i]
        priors = np.hstack([np.zeros((4, k)), np.diag(1 / PRIOR_SD)])
        return np.vstack([sums, priors, np.eye(k, k + 4) / (2 * FARTHEST)])

    limits = np.concatenate([np.full(k, FARTHEST), REACH])
    middle = np.concatenate([np.zeros(k), PRIOR])
    cheapest = np.array([accuracy[place == i][0] for i in range(k)])
    fits = []
    for centre in STARTS if method == "majority" else STARTS[:1]:
        shared = np.array([PRIOR[0], centre, *PRIOR[2:]])
        logits = law_of(np.concatenate([np.zeros(k), shared])).logits_of(cheapest)
        start = np.concatenate([np.clip(logits, 0.1 - FARTHEST, FARTHEST - 0.1), shared])
        bounds = middle - limits, middle + limits
        fits.append(least_squares(missed, start, slopes, bounds, x_scale=np.maximum(limits, 1.0)))
    best = min(fits, key=lambda one: float(one.cost))
    at_best = np.asarray(best.jac, np.float64)
    covariance = np.linalg.inv(at_best.T @ at_best)
    return replace(law_of(best.x), covariance=(covariance + covariance.T) / 2)

"""Which twins explain a curve: a likelihood of the candidates, and their predictions of its rest.

    fit = weigh(curve, twins, fit_max_n=4)                          fit.weights  ->  [0.31, 0.22, …]
    predict(curve, twins, fit.weights, fit.wider, 4).predicted      ->  [0.520, 0.588, 0.631, 0.652]

The model's Q questions count as Q independent draws from the twin's tasks. The mean marks (`exam.marks`) of Q
questions are then close to Gaussian, with the mean and covariance of the twin's own tasks: the synthetic
likelihood of Wood (2010, Nature 466, 1102–1104). The marks at larger N follow from the fitted ones by
conditioning the same Gaussian.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2

from results.normal import FORECAST_TAILS
from studies.match.exam import Point, Twin
from synthetic.model.tasks import Array

TOLERANCE = 0.005
"""Our choice: half a percentage point of any mark is no misfit, since the twin is no language model."""
LEAST_P = 0.01
"""Our choice: a misfit that chance exceeds less often than this is a poor fit."""
DRAWS = 20_000


@dataclass(frozen=True)
class Curve:
    """The measured curve of one model at one setting, over `questions` questions with `pool` answers each.

    `accuracy` (points,) is NaN where it is to be predicted; `square` is the mean square of one
    answer's accuracy, NaN where unknown.
    """

    points: tuple[Point, ...]
    accuracy: Array
    square: float
    questions: int
    pool: int

    @property
    def marks(self) -> Array:
        """`accuracy` and `square`, (points + 1,), in the order of `exam.marks`."""
        return np.append(self.accuracy, self.square)

    def up_to(self, n: int) -> "Curve":
        """The points at N up to `n`."""
        kept = [i for i, point in enumerate(self.points) if point[1] <= n]
        return replace(self, points=tuple(self.points[i] for i in kept), accuracy=self.accuracy[kept])


@dataclass(frozen=True)
class Fit:
    """Which twins explain the marks fitted.

    `weights` (twins,) sum to 1. `misfit` is the likeliest twin's χ² on `fitted` marks; `wider` is their
    ratio, at least 1, by which the likelihood and the intervals are widened.
    """

    weights: Array
    misfit: float
    fitted: int
    wider: float

    @property
    def p_value(self) -> float:
        """The probability of a misfit at least as large."""
        return float(chi2.sf(self.misfit, self.fitted))


@dataclass(frozen=True)
class Prediction:
    """The curve given the fitted points, (points,) each, with a 90 % interval."""

    predicted: Array
    low: Array
    high: Array


def fitted_marks(curve: Curve, fit_max_n: int) -> list[int]:
    """The indices of the marks to fit: N ≤ fit_max_n, and the spread of one answer if known.

    A vote of two is left out, as it equals one answer with ties shared, and so is best-of-one.
    """
    once = {("majority", 2), ("best_of_n", 1)} if ("majority", 1) in curve.points else set()
    places = [i for i, point in enumerate(curve.points) if point[1] <= fit_max_n and point not in once]
    return places + ([len(curve.points)] if np.isfinite(curve.square) else [])


def weigh(curve: Curve, twins: Sequence[Twin], fit_max_n: int) -> Fit:
    """Weigh the twins by the marks at N ≤ fit_max_n, every twin as likely as any other beforehand.

    Where even the likeliest twin misfits, the likelihood is widened until its χ² is as expected
    (quasi-likelihood), so that many twins share the weight instead of the least bad one taking all.
    """
    use = fitted_marks(curve, fit_max_n)
    mean, covariance = _moments(curve, twins)
    residual, own = curve.marks[use] - mean[:, use], covariance[:, use][:, :, use]
    misfit = (residual * np.linalg.solve(own, residual[..., None])[..., 0]).sum(axis=1)
    volume = np.linalg.slogdet(own)[1]
    least = float(misfit[np.argmin(misfit + volume)])
    wider = max(1.0, least / len(use))
    log_weight = -(misfit / wider + volume) / 2
    weights = np.exp(log_weight - log_weight.max())
    return Fit(weights / weights.sum(), least, len(use), wider)


def predict(
    curve: Curve, twins: Sequence[Twin], weights: Array, wider: float, fit_max_n: int, seed: int = 0
) -> Prediction:
    """Predict all of the curve's points given the marks at N ≤ fit_max_n, from twins with these weights."""
    use = fitted_marks(curve, fit_max_n)
    mean, covariance = _moments(curve, twins)
    residual = curve.marks[use] - mean[:, use]
    gain = np.linalg.solve(covariance[:, use][:, :, use], covariance[:, use])  # (twins, used, marks)
    given = mean + np.einsum("gum,gu->gm", gain, residual)
    variance = np.einsum("gmm->gm", covariance) - np.einsum("gum,gum->gm", covariance[:, use], gain)
    deviation = np.sqrt(wider * np.maximum(variance, 0.0))
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(twins), DRAWS, p=weights)
    normals = rng.standard_normal((DRAWS, mean.shape[1]))
    low, high = np.quantile(given[drawn] + deviation[drawn] * normals, FORECAST_TAILS, axis=0)
    points = slice(len(curve.points))
    low, high = np.clip([low[points], high[points]], 0, 1)
    return Prediction((weights @ given)[points], low, high)


def _moments(curve: Curve, twins: Sequence[Twin]) -> tuple[Array, Array]:
    """The mean (twins, marks) and covariance of the marks of as many questions as the curve has."""
    scale = 1 / curve.questions + 1 / len(twins[0].shares)
    covariance = scale * np.stack([twin.covariance for twin in twins])
    mean = np.stack([twin.mean for twin in twins])
    return mean, covariance + TOLERANCE**2 * np.eye(mean.shape[1])

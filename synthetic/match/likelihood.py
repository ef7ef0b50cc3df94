"""Which twins explain a curve: a likelihood over the candidates, and what they say about the rest of it.

    explained = explain(curve, twins, fit_max_n=4)
    explained.weights  ->  [0.31, 0.22, …]      explained.predicted  ->  [0.520, 0.588, 0.631, 0.652]

The model's Q questions count as Q independent draws from the twin's tasks. The mean marks (`exam.marks`) of Q
questions are then close to Gaussian, with the mean and covariance that the twin's own tasks show: the
synthetic likelihood of Wood (2010, Nature 466, 1102–1104). The marks at larger N follow from those fitted by
conditioning the same Gaussian.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from results.tables.status import Status
from synthetic.match.exam import Point, Twin
from synthetic.model.tasks import Array

TOLERANCE = 0.005
"""Our choice: half a percentage point of any mark is no misfit, since the twin is no language model."""
LEAST_P = 0.01
"""Our choice: a misfit that chance exceeds less often than this is a poor fit."""
LARGEST_SPREAD = 0.03
"""Settings that fit but differ by more than this do not pin a forecast down."""
DRAWS = 20_000


@dataclass(frozen=True)
class Curve:
    """What was measured of one model at one setting, over `questions` questions, from `pool` answers each.

    `accuracy` (points,) belongs to `points`; `square` is the mean square of one answer's accuracy, NaN where
    unknown.
    """

    points: tuple[Point, ...]
    accuracy: Array
    square: float
    questions: int
    pool: int


@dataclass(frozen=True)
class Explanation:
    """What the twins say of one curve.

    `weights` (twins,) sum to 1. `misfit` is the likeliest twin's χ² on `fitted` marks, `p_value` its chance.
    `predicted`, `low`, `high` (points,): the curve given the fitted points, with a 90 % interval. `spread`
    (points,): how far (90 %) the twins' predictions lie apart.
    """

    weights: Array
    misfit: float
    fitted: int
    p_value: float
    predicted: Array
    low: Array
    high: Array
    spread: Array

    @property
    def status(self) -> list[str]:
        """The status of each point, in the words of forecast tables."""
        if self.p_value < LEAST_P:
            return [Status.POOR_FIT] * len(self.predicted)
        return [Status.BOUND_HIT if wide else Status.OK for wide in self.spread > LARGEST_SPREAD]


def fitted_marks(curve: Curve, fit_max_n: int) -> list[int]:
    """The places of the marks to fit: N ≤ fit_max_n, and the spread of one answer where it is known.

    A vote of two is one answer, since ties are shared, and so is the best of one.
    """
    once = {("majority", 2), ("best_of_n", 1)} if ("majority", 1) in curve.points else set()
    places = [i for i, point in enumerate(curve.points) if point[1] <= fit_max_n and point not in once]
    return places + ([len(curve.points)] if np.isfinite(curve.square) else [])


def explain(curve: Curve, twins: Sequence[Twin], fit_max_n: int, seed: int = 0) -> Explanation:
    """Weigh the twins by the marks at N ≤ fit_max_n and predict all of the curve's points.

    Where even the likeliest twin misfits, likelihood and intervals are widened until its χ² is as expected
    (quasi-likelihood), so that many twins share the weight instead of the least bad one taking all.
    """
    use = fitted_marks(curve, fit_max_n)
    seen = np.append(curve.accuracy, curve.square)
    mean = np.stack([twin.mean for twin in twins])
    scale = 1 / curve.questions + 1 / len(twins[0].shares)
    covariance = scale * np.stack([twin.covariance for twin in twins]) + TOLERANCE**2 * np.eye(len(seen))
    own = covariance[:, use][:, :, use]
    residual = seen[use] - mean[:, use]
    solved = np.linalg.solve(own, residual[..., None])[..., 0]
    misfit = (residual * solved).sum(axis=1)
    volume = np.linalg.slogdet(own)[1]
    likeliest = int(np.argmin(misfit + volume))
    wider = max(1.0, float(misfit[likeliest]) / len(use))
    log_weight = -(misfit / wider + volume) / 2
    weights = np.exp(log_weight - log_weight.max())
    weights /= weights.sum()

    gain = np.linalg.solve(own, covariance[:, use])  # (twins, used, marks)
    given = mean + np.einsum("gum,gu->gm", gain, residual)
    variance = np.einsum("gmm->gm", covariance) - np.einsum("gum,gum->gm", covariance[:, use], gain)
    deviation = np.sqrt(wider * np.maximum(variance, 0.0))
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(twins), DRAWS, p=weights)
    normals = rng.standard_normal((DRAWS, len(seen)))
    low, high = np.quantile(given[drawn] + deviation[drawn] * normals, [0.05, 0.95], axis=0)
    predicted = weights @ given
    spread = np.sqrt(np.maximum(weights @ given**2 - predicted**2, 0.0))
    points = slice(len(curve.points))
    return Explanation(
        weights=weights,
        misfit=float(misfit[likeliest]),
        fitted=len(use),
        p_value=float(chi2.sf(misfit[likeliest], len(use))),
        predicted=predicted[points],
        low=np.clip(low[points], 0, 1),
        high=np.clip(high[points], 0, 1),
        spread=1.645 * spread[points],
    )

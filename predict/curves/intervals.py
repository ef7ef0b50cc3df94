"""The intervals of all forecasts from a curve's points.

    power-law on 0.50 0.50 0.58 0.63 (± 0.01) at N = 1 2 4 8  ->  N = 64: 0.72, 90 % 0.59 … 0.85

Each replicate of the observed curve is refitted; added to the spread of these forecasts is the error of the
formula itself, estimated from held-out points (`model_error`).

    observed 0.50 0.58 0.63   ->   replicates 0.49 0.56 0.62 / 0.52 0.60 0.64 / ...   (R, P)

With samples, a replicate resamples the questions, or their clusters, with replacement. All settings and
N use the same resample, which keeps the correlation along the curve. A curves table gives
standard errors only: its points share their questions, so `SHARED` of each variance is a common
shift and the rest is independent.

The error of a formula where there are no data is estimated from data held out of its fit.

    power-law on N ≤ 8 of N = 1 … 16 misses N = 16 by 0.010  ->  0.014 per factor e, 0.020 at N = 64

We hold out the points with the largest N (for new settings: the longest settings), fit the
rest and forecast the held-out points. Each error is divided by its distance: the log of the
ratio to the nearest fitted N or T. `USUAL` counts as one more such error, so that the estimate
is sensible even with few points. The residual of the full fit (root mean square) is added.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from predict.estimate import Estimate, Estimator, Options, from_draws
from predict.evidence.points import Evidence, Floats, Points, Pool, Texts
from results.votes.exact import accuracy_by_question

SHARED = 0.9
"""The share of a point's variance common to all points of the curve: the choice of questions.

Bootstrap replicates of real answers (OTIS, bigGSM, AIME, GPQA, multiple choice) have a
correlation along N of 0.94 to 0.99 for votes and 0.78 to 0.96 for best-of-N. At N = 1 the
sampling noise of 8 answers is 0.05 to 0.11 of the variance.
"""


def replicates_of(evidence: Evidence, R: int, seed: int) -> Floats:
    """R replicates of the observed curve, shape (R, P); fewer, or none, if they cannot be made."""
    if evidence.pools:
        return replicate_samples(evidence.points, evidence.pools, evidence.method, R, seed)
    return replicate_curves(evidence.accuracy, evidence.stderr, R, seed)


def replicate_samples(points: Points, pools: tuple[Pool, ...], method: str, R: int, seed: int) -> Floats:
    """R curves (R, P), bootstrapped over questions or clusters; a setting counts only its own questions."""
    cluster_of = dict[str, str]()
    for pool in pools:
        cluster_of |= zip(pool.answers.question_ids, pool.answers.clusters or (), strict=False)
    ids = [pool.answers.question_ids for pool in pools]
    drawn = [[cluster_of.get(name, f"question {name}") for name in own] for own in ids]
    place = {name: i for i, name in enumerate(sorted(set().union(*drawn)))}
    even = np.full(len(place), 1 / len(place))
    weights = np.random.default_rng(seed).multinomial(len(place), even, size=R)
    curves = np.full((R, len(points)), np.nan)
    for pool, names in zip(pools, drawn, strict=True):
        at = points.setting == pool.setting
        values = accuracy_by_question(pool.answers.counts(), method, points.N[at])
        own = weights[:, [place[name] for name in names]].astype(float)
        total = own.sum(axis=1, keepdims=True)
        curves[:, at] = own @ values / np.where(total > 0, total, np.nan)
    return np.asarray(curves[np.isfinite(curves).all(axis=1)])


def replicate_curves(accuracy: Floats, stderr: Floats, R: int, seed: int) -> Floats:
    """R noisy copies of a curve, shape (R, P), clipped to [0, 1]; none if any standard error is unknown."""
    if not np.isfinite(stderr).all():
        return np.empty((0, len(accuracy)))
    rng = np.random.default_rng(seed)
    common, own = rng.standard_normal((R, 1)), rng.standard_normal((R, len(accuracy)))
    noise = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own
    return np.asarray(np.clip(accuracy + stderr * noise, 0.0, 1.0))


USUAL = 0.03
"""Typical error of a formula per factor e."""

CUTS = 2
"""How often points are held out: N above a half or a quarter of the largest; the last one or two settings."""

Fit = Callable[[Points, Floats, Points], Floats]
"""(points, accuracy (P,), targets) -> forecasts (M,), NaN where impossible."""


def model_error(observed: Evidence, targets: Points, fit: Fit) -> Floats:
    """Standard deviation of the formula's error at the targets, shape (M,)."""
    points = observed.points
    lengths = dict(points.settings())
    new, T = ~np.isin(targets.setting, list(lengths)), np.array(list(lengths.values()))
    N, largest = points.N.astype(float), int(points.N.max())
    cuts = range(1, CUTS + 1)
    along_n = _scale([_error(observed, largest / 2**cut >= N, N, fit) for cut in cuts])
    sd = along_n * np.log(np.maximum(targets.N / largest, 1.0))
    if new.any() and np.isfinite(T).all() and (T > 0).all():
        along_t = _scale(
            [_error(observed, T[-1 - cut] >= points.T, points.T, fit) for cut in cuts if cut < len(T)]
        )
        away = np.abs(np.log(np.maximum(targets.T[new], 1e-300))[:, None] - np.log(T)).min(axis=1)
        sd[new] = np.hypot(along_t * away, sd[new])
    else:
        sd[new] = 0.0
    residual = fit(points, observed.accuracy, points) - observed.accuracy
    residual = residual[np.isfinite(residual)]
    return np.asarray(np.hypot(sd, np.sqrt(np.mean(residual**2)) if len(residual) else 0.0))


def luck_share(observed: Evidence) -> float:
    """The share of the variance between replicates due to the answers' noise, not the choice of questions.

    Replicates resample the questions. The part of their variance due to sampling only n answers
    is E[p(1 − p)]/n out of Var[p̂], both at N = 1. For curves without answers it is taken to be
    1 − `SHARED`.
    """
    if not observed.pools:
        return 1 - SHARED
    counts = [pool.answers.counts() for pool in observed.pools]
    rates = [one.correct / one.pools for one in counts]
    luck = [p * (1 - p) / np.maximum(one.pools - 1, 1) for p, one in zip(rates, counts, strict=True)]
    between, within = np.mean([p.var() for p in rates]), np.concatenate(luck).mean()
    return float(min(within / between, 1.0)) if between > 0 else 1.0


def _error(observed: Evidence, kept: np.ndarray, x: Floats, fit: Fit) -> float:
    """Rms error per factor e at the held-out points if only the `kept` ones are fitted; NaN if unknown."""
    points = observed.points
    if not kept.any() or kept.all():
        return np.nan
    left = ~kept
    fitted = fit(points[kept], observed.accuracy[kept], points[left])
    error = (fitted - observed.accuracy[left]) / np.log(x[left] / x[kept].max())
    error = error[np.isfinite(error)]
    return float(np.sqrt(np.mean(error**2))) if len(error) else np.nan


def _scale(errors: list[float]) -> float:
    return float(np.sqrt(np.nanmean(np.square([USUAL, *errors]))))


@dataclass(frozen=True)
class CurveForecast:
    """Forecasts of B curves at M targets: mean (B, M); status and condition (M,) of the first curve."""

    mean: Floats
    status: Texts
    condition: Floats


CurveModel = Callable[[Points, Floats, Points], CurveForecast]
"""(points, accuracies (B, P), targets) -> CurveForecast: row 0 is the data, the others are its replicates."""


def on_curves(model: CurveModel) -> Estimator:
    """Turn a curve model into an estimator."""

    def estimate(evidence: Evidence, targets: Points, options: Options) -> Estimate:
        def read_at(points: Points, accuracy: Floats, at: Points) -> Floats:
            return np.asarray(model(points, accuracy[None], at).mean[0])

        copies = replicates_of(evidence, options.replicates, options.seed)
        fitted = model(evidence.points, np.vstack([evidence.accuracy[None], copies]), targets)
        mean, new = fitted.mean[0], fitted.mean[1:]
        # for these questions, only the answers' noise counts in the spread between replicates
        these = mean + np.sqrt(luck_share(evidence)) * (new - mean)
        if len(new):
            off = model_error(evidence, targets, read_at)
            luck = np.random.default_rng(options.seed).standard_normal((len(new), 1))
            these, new = (_within(draws, draws + off * luck) for draws in (these, new))
        return from_draws(mean, these, new, fitted.status, options.level, fitted.condition)

    return estimate


def _within(before: Floats, draws: Floats) -> Floats:
    """The draws, clipped to [0, 1], or to `before` where that is outside."""
    low = np.fmin(before, 0.0)
    high = np.fmax(before, 1.0)
    return np.clip(draws, low, high)

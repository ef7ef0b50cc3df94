"""Replicates of the observed curve. The curve predictors refit each of them to get their 90 % intervals.

    observed 0.50 0.58 0.63   ->   replicates 0.49 0.56 0.62 / 0.52 0.60 0.64 / ...   (R, P)

From samples, a replicate resamples the questions with replacement. Every setting and N uses the same
resampled questions, which keeps the correlation along the curve. A curves table gives standard errors only:
its points share their questions, so `SHARED` of each variance is a common shift and the rest is independent.
"""

import numpy as np

from predict.evidence.points import Evidence, Floats, Points, Pool
from results.votes.exact import accuracy_by_question

SHARED = 0.9
"""The share of a point's variance that all points of the curve have in common: the choice of questions.

Bootstrap replicates of real answers (OTIS, bigGSM, AIME, GPQA, multiple choice) have a correlation along N of
0.94 to 0.99 for votes and 0.78 to 0.96 for best-of-N. At N = 1 the luck of 8 answers makes 0.05 to 0.11 of
the variance.
"""


def replicates_of(evidence: Evidence, R: int, seed: int) -> Floats:
    """R replicates of the observed curve, shape (R, P); fewer, or none, where they cannot be made."""
    if evidence.pools:
        return replicate_samples(evidence.points, evidence.pools, evidence.method, R, seed)
    return replicate_curves(evidence.accuracy, evidence.stderr, R, seed)


def replicate_samples(points: Points, pools: tuple[Pool, ...], method: str, R: int, seed: int) -> Floats:
    """R bootstrap curves over questions, shape (R, P); a setting counts the questions it has."""
    names = sorted({name for pool in pools for name in pool.answers.question_ids})
    place = {name: i for i, name in enumerate(names)}
    weights = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), size=R)
    curves = np.full((R, len(points)), np.nan)
    for pool in pools:
        at = points.setting == pool.setting
        values = accuracy_by_question(pool.answers.counts(), method, points.N[at])
        own = weights[:, [place[name] for name in pool.answers.question_ids]].astype(float)
        total = own.sum(axis=1, keepdims=True)
        curves[:, at] = own @ values / np.where(total > 0, total, np.nan)
    return np.asarray(curves[np.isfinite(curves).all(axis=1)])


def replicate_curves(accuracy: Floats, stderr: Floats, R: int, seed: int) -> Floats:
    """R noisy copies of a curve, shape (R, P), kept within [0, 1]; none where a standard error is unknown."""
    if not np.isfinite(stderr).all():
        return np.empty((0, len(accuracy)))
    rng = np.random.default_rng(seed)
    common, own = rng.standard_normal((R, 1)), rng.standard_normal((R, len(accuracy)))
    noise = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own
    return np.asarray(np.clip(accuracy + stderr * noise, 0.0, 1.0))

"""The mean of an expensive measurement over few questions, sharpened by a cheap one over many more.

    expensive, 50 questions                 0.553 ± 0.099
    cheap, the same 50 and 500 others       0.548 ± 0.060      as good as 2.7 times as many questions

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 2023),
with the slope λ of the expensive measurement y on the cheap one f that minimises the variance
(PPI++, arXiv:2311.01453, section 6): the mean of y − λ (f − mean of f over the other
questions). Its variance comes from y − λ f over the n questions, and from λ f over the N
others. Three additions are ours, since n may be ten:

* The λ of a question is fitted to the others (cross-fitting: Zrnic and Candès, PNAS 2024), so that the mean
  stays unbiased if the n questions are a random part of all, whatever λ is.
* Of several cheap measurements, the one with the largest correlation over the same others is taken. The
  cost of this choice is part of the spread that gives the interval.
* λ is shrunk by r² / (r² + 2 (1 − r²)/n), is never negative, and uses at least the variance of f over all
  questions: neither a useless f costs much, nor one that happens to be constant over the n.

If questions come in clusters, all sums are over clusters, which are left out as a whole; a
cluster with questions in both parts counts once (`results.votes.clusters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from results.normal import LEVEL, Interval
from results.paired.differences import least_stderr
from results.votes.clusters import cluster_places, cluster_sizes, cluster_sums, equal_draws, standard_error
from results.votes.exact import DIGITS, Floats, Ints

FEWEST = 10
"""The fewest questions (or clusters) in each part: with fewer, no slope can be fitted."""

_NOTHING = 1e-9


@dataclass(frozen=True)
class Powered:
    """A mean with its standard error, interval and gain, and the slopes on the cheap measurements.

    gain: the variance without the cheap measurement divided by that with it, as if there were so
    many times as many questions; NaN if the standard error is 0. slopes: (J,) on each cheap
    measurement, the mean over the questions.
    """

    mean: float
    stderr: float
    interval: Interval[float]
    gain: float
    slopes: Floats


def powered(
    dear: Floats,
    cheap: Floats,
    further: Floats,
    draws: Sequence[str],
    further_draws: Sequence[str],
    level: float = LEVEL,
) -> Powered:
    """The mean of `dear`, (Q,), with J cheap measurements of the same questions (Q, J) and of others (F, J).

    NaN: not measured. draws, further_draws: each question's name or, if any, its cluster's.
    Every cheap measurement needs FEWEST draws of both kinds.
    """
    spread = np.nanvar(np.concatenate([cheap, further]), axis=0)
    slope, taken = _slopes(dear, cheap, spread, draws)
    others = (~np.isnan(further)).sum(axis=0)
    slope = slope / (1 + (~np.isnan(cheap)).sum(axis=0)[taken] / others[taken])
    place = cluster_places(draws)
    beyond = np.nan_to_num(cheap - np.nanmean(further, axis=0))[np.arange(len(dear)), taken[place]]
    by_question = dear - slope[place] * beyond
    used = ~np.isnan(cheap) & (taken[place][:, None] == np.arange(len(others)))
    slopes = (slope[place][:, None] * used).mean(axis=0)

    errors = np.zeros((len(dear) + len(further), 2))  # of each of the two means
    errors[: len(dear), 0] = (by_question - by_question.mean()) / len(dear)
    errors[len(dear) :, 1] = np.nan_to_num(further - np.nanmean(further, axis=0)) @ (slopes / others)
    sizes = cluster_sizes(len(dear), draws)
    counts = np.array([len(sizes), len(set(further_draws))])
    parts = cluster_sums(errors, [*draws, *further_draws]) * np.sqrt(counts / (counts - 1))
    stderr = float(np.sqrt((parts.sum(axis=1) ** 2).sum()).round(DIGITS))
    alone = float(standard_error(dear[:, None], draws)[0])

    mean, variances = float(by_question.mean().round(DIGITS)), (parts**2).sum(axis=0)
    least = float(least_stderr(len(dear), int(sizes.max())))
    freedom = np.array([equal_draws(sizes), counts[1]]) - 1
    welch = variances.sum() ** 2 / (variances**2 / freedom).sum() if stderr > least else freedom[0]
    half = float(stdtrit(welch, (1 + level) / 2)) * max(stderr, least)
    interval = Interval(max(mean - half, 0.0), min(mean + half, 1.0), level)
    return Powered(mean, stderr, interval, (alone / stderr) ** 2 if stderr else np.nan, slopes)


def _slopes(dear: Floats, cheap: Floats, spread: Floats, draws: Sequence[str]) -> tuple[Floats, Ints]:
    """For each draw, from all others: the shrunk slope on the best measurement, and its index, (C,).

    spread: the variance of each measurement over all questions, (J,).
    """
    known = ~np.isnan(cheap)
    size, y, f = (
        cluster_sums(part, draws)
        for part in (known.astype(np.float64), dear[:, None] * known, np.nan_to_num(cheap))
    )

    def others(values: Floats) -> Floats:
        """For each draw, the sum over the other draws."""
        return np.asarray(values.sum(axis=0) - values)

    def product(a: Floats, b: Floats) -> Floats:
        """For each draw, the sum over the others of products of deviations from the others' means."""
        mean_a, mean_b = others(a) / others(size), others(b) / others(size)
        crossed = others(a * b) - mean_a * others(size * b) - mean_b * others(size * a)
        return np.asarray(crossed + mean_a * mean_b * others(size * size))

    together, of_y = product(y, f), product(y, y)
    of_f = np.maximum(product(f, f), spread * others(size))
    varies = (of_y > _NOTHING) & (of_f > _NOTHING) & (together > 0)
    slope = np.divide(together, of_f, out=np.zeros_like(together), where=varies)
    explained = np.divide(slope * together, of_y, out=np.zeros_like(together), where=varies)
    taken = explained.round(DIGITS).argmax(axis=1)
    slope, explained = slope[np.arange(len(taken)), taken], explained[np.arange(len(taken)), taken]
    left = 2 * (1 - explained) / (len(taken) - 1)
    return slope * explained / (explained + left), taken

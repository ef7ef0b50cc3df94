"""The mean of a dear measurement over few questions, with a cheap one of these and of many more.

    dear, 50 questions                      0.553 ± 0.099
    cheap, the same 50 and 500 others       0.548 ± 0.060      as good as 2.7 times as many questions

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 2023),
with the slope λ of the dear measurement y on the cheap one f that makes the variance least
(PPI++, arXiv:2311.01453, section 6): the mean of y − λ (f − mean of f over the other
questions). Its variance is that of y − λ f over the n questions, and λ² times that of f over
the N others. Three things are ours, since n may be ten:

* λ of a question is fitted to the others (cross-fitting: Zrnic and Candès, PNAS 2024), so that the mean
  stays unbiased where the n questions are a random part of all, whatever λ is.
* There may be several cheap measurements: the one that has the largest correlation is taken, by the same
  others. The price of the choice is then in the spread that the interval goes by.
* λ is shrunk by r² / (r² + 2 (1 − r²)/n), never negative, and goes by no smaller variance of f than that
  over all questions: neither a useless f costs much, nor one that happens to be all alike in the n.

Questions in clusters: all sums are over clusters, each of which is left out as a whole; one
that has questions on both sides counts once (`results.votes.clusters`).
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
"""Questions, or clusters of them, that both sides need: of fewer no slope is learnt."""

_NOTHING = 1e-9


@dataclass(frozen=True)
class Powered:
    """A mean, its standard error and interval; what it is worth; and which cheap measurement it goes by.

    gain: the variance of the dear measurement alone over that with the cheap one, so many times
    as many questions; NaN where all questions are alike. slopes: of each cheap measurement, the
    mean over the questions (J,).
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

    NaN: not measured. draws, further_draws: each question's name, or that of its cluster. Every
    cheap measurement needs FEWEST draws of both kinds.
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

    errors = np.zeros((len(dear) + len(further), 2))  # of the two means
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
    """By all draws but each: the shrunk slope on the measurement most alike, and which that is, (C,).

    spread: the variance of each measurement over all questions, (J,).
    """
    known = ~np.isnan(cheap)
    size, y, f = (
        cluster_sums(part, draws)
        for part in (known.astype(np.float64), dear[:, None] * known, np.nan_to_num(cheap))
    )

    def others(values: Floats) -> Floats:
        """Their sum over the other draws."""
        return np.asarray(values.sum(axis=0) - values)

    def product(a: Floats, b: Floats) -> Floats:
        """The same of the products of their errors, a question's error being that from the others' mean."""
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

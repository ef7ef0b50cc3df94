"""Shrinkage: the expected value of each choice given all, as the best of many noisy values is too good.

    setting  alone         expected      20 settings that are equally good, each known to ± 5 points:
    s07      0.93 ± 0.05   0.85 ± 0.02   the best of them is the luckiest of them
    s11      0.79 ± 0.05   0.84 ± 0.02

Each value is unbiased on its own, but the largest of many is too large, so a choice needs the
expectation of each given all. At one N, the true accuracies of the settings are assumed to
scatter around their mean with standard deviation τ, whose prior is uniform up to one half, the
maximum for numbers from 0 to 1. The values differ from the true ones by the luck of their
answers, which is independent between settings. The expectation given all values shrinks each
towards their mean, as far as luck explains the scatter (Rubin 1981, Journal of Educational
Statistics 6; Efron and Morris 1975, JASA 70). If settings differ by more than luck, they hardly
change; a single setting is left unchanged.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from results.normal import z_of
from results.votes.exact import DIGITS, Floats

TAU = (np.arange(200) + 0.5) / 400
"""Grid of standard deviations of true accuracies between settings: 0 to one half, equally likely."""


def with_expected(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """The table with columns expected, expected_low and expected_high, method by method and N by N.

    It needs columns method, N, predicted, low, high and `luck`, the standard error of a value
    due to its finite answers; a value without luck (NaN) is left unchanged. Settings have
    separate answers; methods share them.
    """
    reach = z_of(level)
    ends = table[["predicted", "low", "high"]].to_numpy(np.float64, copy=True)
    for _, rows in table.groupby(["method", "N"]):
        known = rows[rows["luck"].notna()]
        if len(known) > 1:
            place = table.index.get_indexer(known.index)
            mean, sd = given_all(known["predicted"].to_numpy(), known["luck"].to_numpy())
            drawn = np.column_stack([mean, mean - reach * sd, mean + reach * sd])
            ends[place] = np.clip(drawn, 0, 1).round(DIGITS)
    return table.assign(expected=ends[:, 0], expected_low=ends[:, 1], expected_high=ends[:, 2])


def given_all(values: Floats, luck: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each true value, given `values` with standard errors `luck`, (S,).

    The mean square of `luck` decides how much values shrink, since of equal settings the
    luckiest also looks the most certain. As far as settings differ, each keeps its own.
    """
    pooled, mean = float(np.mean(luck**2)), float(values.mean())
    total = TAU**2 + pooled
    weight = scatter_likelihood(values, total)
    kept = TAU**2 / total
    share = float(weight @ kept)
    own = share * luck**2 + (1 - share) * pooled
    of_mean = float(weight @ ((1 - kept) ** 2 * total)) / len(values)
    of_share = float(weight @ kept**2) - share**2
    variance = share * own + of_mean + of_share * (values - mean) ** 2
    return mean + share * (values - mean), np.sqrt(np.maximum(variance, 0))


def scatter_likelihood(values: Floats, variance: Floats) -> Floats:
    """The likelihood of each variance, for normal values with unknown mean, scaled to sum to 1."""
    squares = float(((values - values.mean()) ** 2).sum())
    log = -(len(values) - 1) / 2 * np.log(np.maximum(variance, 1e-300)) - squares / (2 * variance)
    likelihood = np.exp(log - log.max())
    return np.asarray(likelihood / likelihood.sum())

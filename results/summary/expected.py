"""What is to be expected of each choice given all of them: the best of many noisy values is too good.

    setting  alone         expected      20 settings that are equally good, each known to ± 5 points:
    s07      0.93 ± 0.05   0.85 ± 0.02   the best of them is the luckiest of them
    s11      0.79 ± 0.05   0.84 ± 0.02

Each value is right by itself, and the largest of many is too large. Whoever chooses needs what
each is worth given all of them. At one N the settings' true accuracies are taken to scatter
about their mean by τ, of which nothing is known beforehand but that it is at most one half, as
it is for all numbers from 0 to 1; the values differ from the true ones by the luck of their
answers, which is independent between settings. The expectation given all values draws each to
their mean, by as much as luck explains the scatter (Rubin 1981, Journal of Educational
Statistics 6; Efron and Morris 1975, JASA 70). Where settings differ by more than luck, nothing
moves; of one setting nothing is known beside itself, and it stays as it is.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from results.normal import z_of
from results.votes.exact import DIGITS, Floats

TAU = (np.arange(200) + 0.5) / 400
"""The standard deviations that true accuracies may have between settings: 0 to one half, equally likely."""


def with_expected(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """The table with columns expected, expected_low and expected_high, method by method and N by N.

    Its columns method, N, predicted, low, high; and `luck`, the standard error that a value
    owes to its finite answers, NaN where it has no interval: such a value stays as it is.
    Settings have answers of their own, methods have not.
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

    What is drawn to the mean is decided by the mean square of `luck`: of equal settings the
    luckiest looks the most certain, too. As far as settings do differ, each keeps its own.
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
    """The likelihood of each common variance of normal values whose mean is not known; its sum is 1."""
    squares = float(((values - values.mean()) ** 2).sum())
    log = -(len(values) - 1) / 2 * np.log(np.maximum(variance, 1e-300)) - squares / (2 * variance)
    likelihood = np.exp(log - log.max())
    return np.asarray(likelihood / likelihood.sum())

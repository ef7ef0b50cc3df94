"""The plug-in forecast: each question's observed answer frequencies taken for the truth.

    3 right, wrong [2, 1] of 6   ->   N fresh answers from the frequencies 1/2, 1/3, 1/6

Fresh answers are drawn with replacement from those seen; the accuracy of their vote is exact. Biased where
the pool is small; the plainest use of the answers.
"""

import numpy as np

from predict.estimate import Estimate, Options, Status, from_draws
from predict.evidence.points import Evidence, Floats, Ints, Points
from results.votes.exact import VoteCounts


def plug_in(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecasts at the observed settings from samples; intervals by drawing the questions again."""
    M = len(targets)
    mean = np.full(M, np.nan)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE))
    draws = np.full((options.replicates, M), np.nan)
    rng = np.random.default_rng(options.seed)
    for pool in observed.pools:
        here = np.flatnonzero(targets.setting == pool.setting)
        if not len(here):
            continue
        wanted, place = np.unique(targets.N[here], return_inverse=True)
        values = frequencies_vote(pool.answers.counts(), wanted, observed.method)[:, place]
        mean[here], status[here] = values.mean(axis=0), Status.OK
        Q = len(values)
        weights = rng.multinomial(Q, np.full(Q, 1 / Q), size=options.replicates)
        draws[:, here] = weights @ values / Q
    return from_draws(mean, draws, draws, status, options.level, np.ones(M))


def frequencies_vote(counts: VoteCounts, N: Ints, method: str) -> Floats:
    """Accuracy of N answers drawn from each question's own frequencies, shape (Q, len(N)); every N ≥ 1."""
    from results.votes.multinomial import best_of_n_accuracy, vote_accuracy  # numba takes half a second

    if method == "best_of_n":
        return best_of_n_accuracy(counts.correct / counts.pools, N)
    kinds = np.diff(counts.starts)
    question = np.repeat(np.arange(len(kinds)), kinds)
    frequencies = np.zeros((len(kinds), 1 + kinds.max(initial=0)))
    frequencies[:, 0] = counts.correct
    frequencies[question, 1 + np.arange(len(question)) - counts.starts[question]] = counts.wrong
    return vote_accuracy(frequencies / counts.pools[:, None], np.zeros(len(kinds), np.int64), N)

"""The plug-in forecast: each question's observed answer frequencies taken for the truth.

    3 right, wrong [2, 1] of 6   ->   N fresh answers from the frequencies 1/2, 1/3, 1/6

Fresh answers are drawn with replacement from those seen. That is close to a subset of N of very many
copies of the pool, whose vote is known exactly. Biased where the pool is small; the plainest use of the
answers.
"""

import numpy as np

from predict.protocol import Floats, Observed, Options, Points, Prediction, Status, finished
from results.votes import VoteCounts, majority_accuracy

COPIES = 24
"""The pool is copied until it holds this many times N answers, or about 1,000: then the difference between
drawing with and without replacement is below 0.01 in the vote."""


def plug_in(observed: Observed, targets: Points, options: Options) -> Prediction:
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
    return finished(mean, draws, status, np.ones(M), options.level)


def frequencies_vote(counts: VoteCounts, N: np.ndarray, method: str) -> Floats:
    """Accuracy of N answers drawn from each question's own frequencies, shape (Q, len(N))."""
    if method == "best_of_n":
        return np.asarray(1 - (1 - (counts.correct / counts.pools)[:, None]) ** N[None, :])
    enough = min(COPIES * int(N.max()), max(1000, 4 * int(N.max())))
    copies = max(1, int(np.ceil(enough / counts.pools.min())))
    many = VoteCounts(counts.correct * copies, counts.wrong * copies, counts.starts, counts.nulls * copies)
    return majority_accuracy(many, N)

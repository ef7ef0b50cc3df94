"""The plug-in forecast: each question's observed answer frequencies are taken as the truth.

    3 right, wrong [2, 1] of 6   ->   N fresh answers from the frequencies 1/2, 1/3, 1/6

Fresh answers are drawn with replacement from those seen; the accuracy of their vote is exact. This simplest
use of the answers is biased for small pools. Its interval for these questions covers the luck of the pool's
remaining answers, that for new ones the draw of questions.
"""

import numpy as np

from predict.answers.rest import pool_sizes, vote_of
from predict.estimate import Estimate, Options, Status, from_draws
from predict.evidence.points import Evidence, Floats, Ints, Points, Pool
from results.votes.exact import VoteCounts, best_of_n

COMPLETED = 64
"""The number of completions of each pool; every draw takes one."""


def plug_in(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecasts at the observed settings from samples."""
    R, M = options.replicates, len(targets)
    mean, draws = np.full(M, np.nan), np.full((2, R, M), np.nan)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE))
    rng = np.random.default_rng(options.seed)
    for pool in observed.pools:
        here = np.flatnonzero(targets.setting == pool.setting)
        if not len(here):
            continue
        N, place = np.unique(targets.N[here], return_inverse=True)
        values = frequencies_vote(pool.answers.counts(), N, observed.method)
        mean[here], status[here] = values.mean(axis=0)[place], Status.OK
        Q = len(values)
        weights = rng.multinomial(Q, np.full(Q, 1 / Q), size=R)
        completed = _completed(pool, N, values, observed.method, rng)
        picked = rng.integers(COMPLETED, size=(R, Q))
        luck = np.empty((R, len(N)))
        for r, one in enumerate(picked):
            luck[r] = (completed[np.arange(Q), one] - completed.mean(axis=1) + values).mean(axis=0)
        draws[:, :, here] = np.stack([luck, weights @ values / Q])[:, :, place]
    these, new = draws
    return from_draws(mean, these, new, status, options.level, np.ones(M))


def _completed(pool: Pool, N: Ints, values: Floats, method: str, rng: np.random.Generator) -> Floats:
    """The accuracy at N of pools completed from each question's frequencies, (Q, COMPLETED, M)."""
    counts = pool.answers.counts()
    sizes = pool_sizes(counts.pools, pool.sizes, N)
    found = np.repeat(values[:, None], COMPLETED, axis=1)
    seen = np.column_stack([_table(counts), counts.nulls])
    for j in np.flatnonzero(np.isfinite(sizes).all(axis=0)):
        more = sizes[:, j].astype(np.int64) - counts.pools
        shares = seen / counts.pools[:, None]
        rest = rng.multinomial(np.repeat(more[:, None], COMPLETED, axis=1), shares[:, None])
        whole = seen[:, None] + rest
        if method == "best_of_n":
            found[:, :, j] = best_of_n(whole.sum(axis=2), whole[:, :, 0], N[j])
            continue
        flat = whole.reshape(-1, whole.shape[2])
        none_alone = np.zeros((len(flat), 1), np.int64)
        ordered = np.column_stack([flat[:, 0], flat[:, -1], flat[:, 1:-1], none_alone])
        found[:, :, j] = vote_of(ordered, int(N[j])).reshape(whole.shape[:2])
    return found


def frequencies_vote(counts: VoteCounts, N: Ints, method: str) -> Floats:
    """Accuracy of N answers drawn from each question's own frequencies, shape (Q, len(N)); every N ≥ 1."""
    from results.votes.multinomial import best_of_n_accuracy, vote_accuracy  # numba takes half a second

    if method == "best_of_n":
        return best_of_n_accuracy(counts.correct / counts.pools, N)
    kinds = _table(counts)
    return vote_accuracy(kinds / counts.pools[:, None], np.zeros(len(kinds), np.int64), N)


def _table(counts: VoteCounts) -> Ints:
    """(Q, 1 + kinds): how often the right answer was given to each question, and each wrong one."""
    kinds = np.diff(counts.starts)
    question = np.repeat(np.arange(len(kinds)), kinds)
    table = np.zeros((len(kinds), 1 + kinds.max(initial=0)), np.int64)
    table[:, 0] = counts.correct
    table[question, 1 + np.arange(len(question)) - counts.starts[question]] = counts.wrong
    return table

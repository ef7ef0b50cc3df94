"""The default forecaster: each question's posterior over atoms, under a prior learnt from all questions.

    1,319 questions × 8 answers   ->   vote at N = 64: 0.83, 90 % 0.81 … 0.85

The forecast at N is the mean over questions of  Σ_k P(atom k | counts of q) · f_N(k),  where f_N(k) is the
accuracy of the vote of N answers from atom k (`population`, `atom_votes`). So a vote curve is a mixture of
very different curves, not a single exponential. Each question has its own rate of unreadable answers,
and the number of votes cast among N answers is beta-binomial: some questions are hardly ever answered. A
question's posterior at one setting also uses its answers at the other settings (`shared_difficulty`).
Best-of-N needs only the chance of a right answer and its law over questions (`best_of_n`).

The interval for these questions covers uncertainty about the population's law (drawn) and each
question's place in it, and the sampling noise of the pool's unseen answers (`rest`); that for
new questions covers the draw of the questions instead of the pool's noise. Both allow for error
in the form of the law (`COMMON_ERROR`).

Settings without answers are forecast from those with answers by the law along T
(`curves.law_along_t`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
from scipy.special import ndtri
from scipy.stats import betabinom

from predict.answers.allowed import allowed
from predict.answers.atom_votes import vote_table, votes_cast
from predict.answers.atoms import P
from predict.answers.best_of_n import RATES, fit_rates
from predict.answers.population import Population, fit_population, learning_set, share_between
from predict.answers.rest import bests_of_pools, pool_sizes, votes_of_pools
from predict.answers.unread import Unread
from predict.curves.law_along_t import Carried, answers_luck, other_settings
from predict.estimate import Estimate, Options, Status, everywhere, from_draws, more_severe
from predict.evidence.points import Evidence, Floats, Ints, Points, Pool
from results import BadInput
from results.normal import Interval
from results.votes.clusters import redrawn
from results.votes.exact import VoteCounts
from results.votes.multinomial import best_of_n_accuracy
from results.votes.unnamed import contents

POOR_FIT = 2.0
"""Residuals of more standard errors make a poor fit: a law that describes the answers seen misses by much
less (`tests/predict/answers/test_poor_fit.py`)."""

FEWEST_VOTES = 2.0
"""With fewer readable answers per question, nothing is known about how questions differ."""

OPEN = 0.08
"""If the answers alone allow a range of accuracy wider by this than the draw of the questions explains, the
forecast comes from the prior, not from them."""

IMAGINED, FEWEST = 2**15, 16
"""Simulated completions in all, and the fewest per question."""

COMMON_ERROR = 0.04
"""The law is never quite true, and errors of two questions are correlated by the square of this. Without it,
only 87 of 100 intervals of 90 % cover for votes, and 84 for best-of-N. studies/forecasts/common_error.py
finds 0.04 best for votes; for best-of-N 0.055, or 0.015 if each forecast counts the same."""

SCATTER = 400
"""Draws that estimate the variance at a setting from which others are forecast."""


def mixture(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecast every target from the answers; BadInput if there are none."""
    if not observed.pools:
        raise BadInput("mixture: needs the answers to each question, not only curves: take default")
    return from_answers(observed, targets, options, populations(observed))


def from_answers(
    observed: Evidence, targets: Points, options: Options, fitted: Sequence[Population]
) -> Estimate:
    """Forecast the targets at each sampled setting from its population, and the others along T."""
    M = len(targets)
    mean, draws = np.full(M, np.nan), np.full((2, options.replicates, M), np.nan)
    status = everywhere(Status.NOT_IDENTIFIABLE, M)
    beyond = np.flatnonzero(~np.isin(targets.setting, [pool.setting for pool in observed.pools]))
    grid = np.unique(targets.N)
    carried: list[Carried] = []
    ends = np.full((2, M), np.nan)
    for pool, population in zip(observed.pools, fitted, strict=True):
        here = np.flatnonzero(targets.setting == pool.setting)
        if len(here):
            N, column = np.unique(targets.N[here], return_inverse=True)
            drawn = accuracies(pool, population, N, pool.sizes, observed.method, options)
            mean[here], draws[:, :, here] = drawn.mean[column], drawn.draws[:, :, column]
            status[here] = fit_status(observed, pool, population)
            if options.allowed and observed.method == "majority":
                alone = _answers_alone(pool, population, N, options.level)
                ends[:, here] = alone[:2, column]
                wide = alone[2, column] > OPEN
                status[here] = more_severe(status[here], np.where(wide, Status.BOUND_HIT, Status.OK))
        if len(beyond):
            fresh = np.full(len(pool.sizes), np.inf)
            steady = replace(options, replicates=SCATTER)  # a forecast must not depend on options.replicates
            drawn = accuracies(pool, population, grid, fresh, observed.method, steady)
            own, new = drawn.draws.var(axis=1)
            luck = answers_luck(pool, grid, observed.method)
            carried.append(Carried(pool.T, drawn.mean, own, luck, np.maximum(new - own, 0.0)))
    if len(beyond):
        along = other_settings(carried, grid, targets[beyond], options)
        mean[beyond], status[beyond], draws[:, :, beyond] = along
    these, new = np.clip(draws, 0.0, 1.0)
    allowed_ends = Interval(ends[0], ends[1], options.level) if options.allowed else None
    return replace(from_draws(mean, these, new, status, options.level), allowed=allowed_ends)


def _answers_alone(pool: Pool, population: Population, N: Ints, level: float) -> Floats:
    """The vote accuracies at `N` (M,) that the answers alone allow: least, largest, and excess width, (3, M).

    The excess is over the width at the number of answers seen, which is due to the draw of the
    questions. For N up to that number the vote is known, and all three are NaN.
    """
    answers = int(pool.answers.sizes.min())
    rows, times = learning_set(population.pattern)
    likelihood, unread = population.likelihood[rows], population.unread

    def ends(n: int) -> tuple[float, float]:
        vote = _partly_read(n, unread.unread, unread.read) if unread else vote_table(n)
        low, high = allowed(likelihood, times, vote, level)
        return round(low, 2), round(high, 2)  # as accurate as the search

    ends_of = np.full((3, len(N)), np.nan)
    if (answers < N).any():
        low, high = ends(answers)
        for i in np.flatnonzero(answers < N):
            ends_of[:2, i] = ends(int(N[i]))
        ends_of[2] = ends_of[1] - ends_of[0] - (high - low)
    return ends_of


def populations(observed: Evidence) -> list[Population]:
    """The population of each sampled setting; for votes, also informed by the answers at other settings."""
    answers = [pool.answers for pool in observed.pools]
    if observed.method == "best_of_n":
        return [fit_rates(one.counts()) for one in answers]
    return share_between([fit_population(one.counts()) for one in answers], answers)


@dataclass(frozen=True)
class Accuracies:
    """Accuracy at one setting at M values of N: mean (M,); draws (2, R, M) for these and for new questions;
    scatter (M,), the variance within a question, averaged over questions."""

    mean: Floats
    draws: Floats
    scatter: Floats


def accuracies(
    pool: Pool, population: Population, N: Ints, whole: Floats, method: str, options: Options
) -> Accuracies:
    """The accuracy at `N` (M,) of pools of `whole` (Q,) answers, which include those of `pool`.

    Every question is completed many times (`rest`). Each draw takes a law of the population and,
    for each question, one of its completions, with the weight that the law gives its atom.
    """
    counts, seed = pool.answers.counts(), [options.seed, crc32(b"".join(contents(pool.answers)))]
    Q, rng = len(counts.pools), np.random.default_rng(seed)
    mass = population.posterior()
    atom = drawn_atoms(mass, max(FEWEST, IMAGINED // Q), rng)
    values, which = accuracy_by_atom(counts, N, method, population.unread)
    fresh = values[which[:, None], atom]
    value = fresh.copy()
    sizes = pool_sizes(counts.pools, whole, N)
    ask = np.isfinite(sizes).all(axis=0)
    if ask.any():
        pools, draw = sizes[:, ask].astype(np.int64), int(rng.integers(2**31))
        if method == "majority":
            value[:, :, ask] = votes_of_pools(counts, N[ask], pools, atom, population.unread, draw)
        else:
            value[:, :, ask] = bests_of_pools(counts, N[ask], pools, atom, draw)
    exact = np.empty((Q, len(N)))
    for i, of_kind in enumerate(values):
        exact[which == i] = mass[which == i] @ of_kind
    # control variate: the drawn atoms' error on fresh answers is known
    mean = np.clip((value.mean(axis=1) - fresh.mean(axis=1) + exact).mean(axis=0), 0.0, 1.0)
    law = np.empty((options.replicates, len(N)))
    draws = np.empty((2, options.replicates, len(N)))
    for r, weights in enumerate(population.fit.draw_weights(options.replicates, rng)):
        chances = (weights / np.maximum(population.fit.weights, 1e-300))[atom]
        (anew,) = redrawn((1, Q), pool.answers.clusters, rng)
        law[r], draws[:, r] = _one_draw(chances, value, fresh, anew, rng)
    scatter = value.var(axis=1).mean(axis=0)
    if options.replicates:
        draws += mean - law.mean(axis=0)
        off = ndtri((rng.permutation(options.replicates) + 0.5) / options.replicates)
        draws += COMMON_ERROR * np.sqrt(scatter) * off[:, None]
    return Accuracies(mean, draws, scatter)


def drawn_atoms(mass: Floats, S: int, rng: np.random.Generator) -> Ints:
    """S atoms for each question by systematic sampling from its posterior `mass` (Q, K): (Q, S)."""
    return drawn_at(mass, (np.arange(S) + rng.random((len(mass), 1))) / S)


def drawn_at(weights: Floats, u: Floats) -> Ints:
    """Inverse-CDF draws from each row of `weights` (Q, K) at `u` (Q, S) from 0 to 1: indices (Q, S)."""
    steps = np.cumsum(weights, axis=1)
    places = [np.searchsorted(row, at * row[-1], side="right") for row, at in zip(steps, u, strict=True)]
    return np.asarray(np.minimum(places, weights.shape[1] - 1), dtype=np.int64)


def _one_draw(
    chances: Floats, value: Floats, fresh: Floats, anew: Ints, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The mean (M,) of `value` (Q, S, M) over questions, their completions weighted by `chances` (Q, S), and
    two draws of it (2, M): of `value` for these questions, and of `fresh` for the questions `anew`
    (Q,)."""
    Q, S = chances.shape
    chances = np.where(chances.any(axis=1, keepdims=True), chances, 1.0)  # the law excludes all its atoms
    total = chances.sum(axis=1, keepdims=True)
    mean = np.einsum("qs,qsm->m", chances / total, value) / Q
    steps = np.cumsum(chances / total, axis=1) + np.arange(Q)[:, None]  # increasing across questions
    picks = []
    for question in (np.arange(Q), anew):
        place = np.searchsorted(steps.ravel(), question + rng.random(Q))
        picks.append(np.clip(place - question * S, 0, S - 1))
    these = value[np.arange(Q), picks[0]].mean(axis=0)
    return mean, np.stack([these, fresh[anew, picks[1]].mean(axis=0)])


def accuracy_by_atom(
    counts: VoteCounts, N: Ints, method: str = "majority", unread: Unread | None = None
) -> tuple[Floats, Ints]:
    """Accuracy at `N` (M,) by atom for each of B kinds of question (B, K, M), and each question's kind (Q,).

    Questions with equally many answers, and unreadable ones, are one kind. If every answer is
    readable, or for best-of-N, which counts unreadable ones as wrong, there is only one.
    """
    alike = np.zeros(len(counts.pools), np.int64)
    if method == "best_of_n":
        return best_of_n_accuracy(RATES, N)[None], alike
    if unread is None:
        return np.stack([vote_table(int(n)) for n in N], axis=1)[None], alike
    pairs, which = np.unique(np.stack([counts.nulls, counts.pools]), axis=1, return_inverse=True)
    nulls = unread.unread + pairs[0][:, None]
    read = unread.read + (pairs[1] - pairs[0])[:, None]
    return np.stack([_partly_read(int(n), nulls, read) for n in N], axis=2), which.ravel()


def _partly_read(n: int, unread: Floats, read: Floats) -> Floats:
    """Accuracy of the vote of n answers by atom, (..., K); the share of unreadable ones at each p follows
    Beta(unread, read), both (..., P)."""
    tables, weights = votes_cast(n)
    cast = betabinom.pmf(np.arange(n + 1), n, read[..., None], unread[..., None])
    of_p = tables.reshape(len(P), -1, tables.shape[1])
    vote = np.einsum("prt,...pt->...pr", of_p, cast @ weights)
    return np.asarray(vote.reshape(*unread.shape[:-1], -1))


def fit_status(observed: Evidence, pool: Pool, population: Population) -> Status:
    """The status: poor_fit if the population implies an accuracy far from that observed at the largest N.

    The number of votes that each question cast is taken as given: the fit to unreadable answers is
    not judged. bound_hit with fewer votes than `FEWEST_VOTES`.
    """
    counts = pool.answers.counts()
    if (counts.pools - counts.nulls * (observed.method == "majority")).mean() < FEWEST_VOTES:
        return Status.BOUND_HIT
    last = np.flatnonzero(observed.points.setting == pool.setting)[-1]
    N = int(observed.points.N[last])
    if observed.method == "best_of_n":
        implied = float(population.fit.weights @ best_of_n_accuracy(RATES, np.array([N]))[:, 0])
    else:
        tables, weights = votes_cast(N)
        votes = np.rint(N * (1 - counts.nulls / counts.pools)).astype(np.int64)
        law = population.given_unread(counts)
        implied = float((weights[votes] * (law @ tables)).sum(axis=1).mean())
    noise = np.fmax(observed.stderr[last], 0.5 / len(counts.pools))
    far = abs(observed.accuracy[last] - implied) > POOR_FIT * noise
    return Status.POOR_FIT if far else Status.OK

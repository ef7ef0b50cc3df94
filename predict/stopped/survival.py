"""Forecast larger caps from a run stopped at one: accuracy at every N, tokens per answer, intervals.

60 questions × 8 answers stopped at 8000 tokens
-> cap 16000, vote of 8: 0.61, 90 % 0.55 … 0.67;   9,700 tokens an answer, 9,200 … 10,300

In the vote, answers are right, wrong or missing with known probabilities. How the wrong mass is split
among wrong answers follows the atoms of the mixture (`predict.answers.atoms`): each question's
wrong answers so far, with a prior learnt from all questions.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import interpn
from scipy.stats import binom

from predict.answers.atom_votes import votes_cast
from predict.answers.atoms import P, log_likelihood, patterns
from predict.answers.population import fit_population
from predict.estimate import Estimate, Lengths, Options, Status, everywhere, from_draws, middle
from predict.evidence.points import Evidence, Floats, Ints, Points, Run, stopped
from predict.pool_luck import luck_of_pool
from predict.stopped.fit import FEW_ANSWERS, Problem, fit
from predict.stopped.observed import SeenLengths, seen_at, thinned
from predict.stopped.pace import fit_line, follow, paces
from predict.stopped.simulate import Simulated, simulate
from results.normal import Interval
from results.votes.clusters import redrawn
from results.votes.exact import VoteCounts

CAST = np.linspace(0, 1, 25) ** 2
"""Grid of the probability of a vote being cast, finer near 0."""

PULL = 4.0
"""Weight of the shared rate of unreadable answers in each question's own rate, in answers."""

SPARE = 1e-12
"""Prior weight that keeps the split of wrong answers defined at a p where the population has no questions."""


@dataclass(frozen=True)
class WrongAnswers:
    """What is known about the wrong answers.

    `split`: (U, len(P), atoms of one p) weights of the atoms if a vote is right with probability p; `of`:
    (Q,) each question's row; `unreadable`: (Q,) the share of answers, of those not right, that cast no vote.
    """

    split: Floats
    of: Ints
    unreadable: Floats


def wrong_answers(counts: VoteCounts) -> WrongAnswers:
    """Learn the split of wrong answers from the counts of the answers that ended."""
    prior = fit_population(counts).fit.weights.reshape(len(P), -1)
    prior = prior + SPARE * (prior.mean(axis=0) + 1 / prior.size)
    kinds = patterns(replace(counts, correct=np.zeros_like(counts.correct)))
    logs = log_likelihood(kinds).reshape(len(kinds.times), len(P), -1)[:, :1]  # at p = 0: only the split
    split = prior * np.exp(logs - logs.max(axis=2, keepdims=True))
    split /= split.sum(axis=2, keepdims=True)
    others = counts.pools - counts.correct
    shared = (counts.nulls.sum() + 0.1) / (others.sum() + 1.0)
    return WrongAnswers(split, kinds.pattern, (counts.nulls + PULL * shared) / (others + PULL))


def vote_accuracy(wrong: WrongAnswers, right: Floats, other: Floats, N: int) -> Floats:
    """Accuracy of a vote of N answers, right with probability `right`, wrong or unreadable with `other`.

    Both have shape (R, Q), as does the result; the remaining probability casts no vote. A table is
    interpolated, by the probability that a vote is cast and that a cast vote is right.
    """
    tables, spread = votes_cast(N)
    by_votes = np.einsum(
        "upk,pkt->upt", wrong.split, tables.reshape(len(P), -1, tables.shape[1]), optimize=True
    )
    mixed = binom.pmf(np.arange(N + 1), N, CAST[:, None]) @ spread
    table = by_votes @ mixed.T  # (U, P, CAST)
    cast = right + other * (1 - wrong.unreadable)
    at = np.stack([np.broadcast_to(wrong.of, cast.shape), right / np.maximum(cast, 1e-300), cast], axis=-1)
    return np.asarray(interpn((np.arange(len(table)), P, CAST), table, np.minimum(at, [np.inf, 1.0, 1.0])))


DRAWS = 200
"""Draws for the mean if no interval is asked for."""

LEARN_FROM = 300
"""The parameters are fitted to at most this many questions, with at most `FEW_ANSWERS` answers each."""

FEWEST = 30
"""Nothing is forecast from fewer ended answers."""

SMALLEST_SHARE = 0.05
"""Nothing is forecast if a smaller share of the answers has ended."""

MISSED = 3.0
"""If earlier cuts missed by more standard deviations, the law does not fit."""

ENDLESS = 0.05
"""If a larger share is expected never to end, the forecast is undetermined: ending soon fits as well."""


@dataclass(frozen=True)
class Ahead:
    """Draws at all caps of a run, including its own, and how far they can be trusted."""

    seen: SeenLengths
    simulated: Simulated
    status: Status


def survival(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecast accuracy and tokens per answer at the targets, whose settings are caps of `observed.run`.

    For these questions, it is the accuracy of the run's whole pool, or of N answers if it has fewer,
    including those seen. All NaN if too few answers ended within the cap.
    """
    run, unknown = observed.run, np.full(len(targets), np.nan)
    R = options.replicates
    ahead = ahead_of(run, R, options.seed) if run else None
    if run is None or ahead is None:
        none = np.empty((0, len(targets)))
        made = from_draws(unknown, none, none, everywhere(Status.OK, len(targets)), options.level)
        return replace(made, lengths=Lengths(unknown, Interval(unknown, unknown, options.level)))
    cap = np.searchsorted(list(run.caps.values()), [run.caps[name] for name in targets.setting])
    these, new = _accuracies(ahead, run, cap, targets.N, observed.method, options.seed)
    shown, status = slice(None if R else 0), everywhere(ahead.status, len(targets))
    made = from_draws(these.mean(axis=0), these[shown], new[shown], status, options.level, unknown)
    tokens = ahead.simulated.tokens.mean(axis=1)[:, cap]
    low, high = middle(tokens, options.level)
    return replace(made, lengths=Lengths(tokens.mean(axis=0), Interval(low, high, options.level)))


def ahead_of(run: Run, replicates: int, seed: int) -> Ahead | None:
    """Simulate all caps of a run from its answers stopped at its cap; None if too few ended within it."""
    answers, cap = stopped(run.answers, run.cap), run.cap
    ended = int((answers.tokens <= cap).sum())
    if ended < FEWEST or ended < SMALLEST_SHARE * len(answers.tokens):
        return None
    few = thinned(answers, LEARN_FROM, FEW_ANSWERS)
    learnt, lengths = Problem(seen_at(few, cap)), seen_at(answers, cap)
    fitted = fit(learnt)
    sooner, missed = paces(few, cap, fitted, replicates or DRAWS, seed)
    drawn = simulate(Problem(lengths), fitted, list(run.caps.values()), sooner, seed)
    drawn = follow(fit_line(lengths), drawn, lengths.ended_share, seed)
    status = Status.BOUND_HIT if learnt.endless(fitted.theta) > ENDLESS else Status.OK
    return Ahead(lengths, drawn, Status.POOR_FIT if missed > MISSED else status)


def _accuracies(ahead: Ahead, run: Run, cap: Ints, N: Ints, method: str, seed: int) -> Floats:
    """Draws of the accuracy at each target, for these and for new questions: (2, R, M); `cap` are indices."""
    simulated, seen = ahead.simulated, ahead.seen
    R, Q, _ = simulated.right.shape
    rng = np.random.default_rng([seed, 1])
    answers = (seen.votes.pools + seen.unfinished).astype(np.int64)
    others = redrawn((R, Q), run.answers.clusters, rng)
    noise = np.random.default_rng([seed, 1]).standard_normal(R)
    wrong = wrong_answers(seen.votes) if method == "majority" else None
    these, new = np.empty((2, R, len(N)))
    for i, (c, n) in enumerate(zip(cap, N, strict=True)):
        right = simulated.right[:, :, c]
        other = simulated.ended[:, :, c] - right
        one = vote_accuracy(wrong, right, other, int(n)) if wrong else 1 - (1 - right) ** n
        pool = np.maximum(np.maximum(n, run.whole), answers)
        luck = np.sqrt(luck_of_pool(one, int(n), pool, method, answers).mean(axis=1) / Q)
        these[:, i] = one.mean(axis=1) + luck * noise
        new[:, i] = np.take_along_axis(one, others, axis=1).mean(axis=1)
    return np.stack([these, new])

"""What dearer caps will show, from a run stopped at one: accuracy at every N, tokens per answer, intervals.

60 questions × 8 answers stopped at 8000 tokens
-> cap 16000, vote of 8: 0.61, 90 % 0.55 … 0.67;   9,700 tokens an answer, 9,200 … 10,300

The vote is that of answers right, wrong or missing with known chances. How the wrong mass is split
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
"""Chances of a vote at which tables are made, closer together near 0."""

PULL = 4.0
"""Answers that the shared rate of unreadable ones counts for in each question's own."""

SPARE = 1e-12
"""Where the population has no question, the split of wrong answers is that of all its questions."""


@dataclass(frozen=True)
class WrongAnswers:
    """What is known of the wrong answers.

    `split`: (U, len(P), atoms of one p) weights of the atoms given that a vote is right with chance p; `of`:
    (Q,) each question's row; `unreadable`: (Q,) the share of the answers not right that cast no vote.
    """

    split: Floats
    of: Ints
    unreadable: Floats


def wrong_answers(counts: VoteCounts) -> WrongAnswers:
    """Learn the split of wrong answers from the counts of the answers that ended."""
    prior = fit_population(counts).fit.weights.reshape(len(P), -1)
    prior = prior + SPARE * (prior.mean(axis=0) + 1 / prior.size)
    kinds = patterns(replace(counts, correct=np.zeros_like(counts.correct)))
    logs = log_likelihood(kinds).reshape(len(kinds.times), len(P), -1)[:, :1]  # at p = 0: the split alone
    split = prior * np.exp(logs - logs.max(axis=2, keepdims=True))
    split /= split.sum(axis=2, keepdims=True)
    others = counts.pools - counts.correct
    shared = (counts.nulls.sum() + 0.1) / (others.sum() + 1.0)
    return WrongAnswers(split, kinds.pattern, (counts.nulls + PULL * shared) / (others + PULL))


def vote_accuracy(wrong: WrongAnswers, right: Floats, other: Floats, N: int) -> Floats:
    """Accuracy of a vote of N answers, right with chance `right` and wrong or unreadable with `other`.

    Both of shape (R, Q), as is the result; what is left over casts no vote. It is read off between the points
    of a table by the chance of a vote and the chance that a vote is right.
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
"""Draws where no interval is asked for."""

LEARN_FROM = 300
"""The parameters are learnt from at most so many questions, with at most `FEW_ANSWERS` answers to each."""

FEWEST = 30
"""Ended answers below which nothing is forecast."""

SMALLEST_SHARE = 0.05
"""Share of ended answers below which nothing is forecast."""

MISSED = 3.0
"""Earlier cuts further off than so many standard deviations say that the law fails."""

ENDLESS = 0.05
"""A larger share taken never to end leaves the forecast open: to end soon fits what was seen as well."""


@dataclass(frozen=True)
class Ahead:
    """Draws at all caps of a run, its own too, and how far they can be trusted."""

    seen: SeenLengths
    simulated: Simulated
    status: Status


def survival(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """The accuracy at the targets, whose settings are caps of `observed.run`, and the tokens of an answer.

    These questions: that of the run's whole pool, or of N answers where it has fewer, the seen ones among
    them. None where too few answers ended within the cap.
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
    """From the answers of a run stopped at its cap to all its caps; None where too few ended within it."""
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
    """Draws of the accuracy at each target, its cap by number, of these questions and new ones: (2, R, M)."""
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

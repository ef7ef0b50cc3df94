"""What dearer caps will show, from a run stopped at one: accuracy at every N, tokens per answer, intervals.

60 questions × 8 answers stopped at 8000 tokens
-> cap 16000, vote of 8: 0.61, 90 % 0.55 … 0.67;   9,700 tokens an answer, 9,200 … 10,300
"""

from dataclasses import dataclass, replace

import numpy as np

from predict.estimate import Estimate, Lengths, Options, Status, everywhere, from_draws, middle
from predict.evidence.cuts import stopped
from predict.evidence.points import Evidence, Floats, Ints, Points, Run
from predict.pool_luck import luck_of_pool
from predict.stopped.fit import FEW_ANSWERS, Problem, fit
from predict.stopped.pace import paces
from predict.stopped.seen import Seen, seen_at, thinned
from predict.stopped.simulate import Simulated, simulate
from predict.stopped.trend import fit_line, follow
from predict.stopped.votes import vote_accuracy, wrong_answers
from results.normal import Interval

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


@dataclass(frozen=True)
class Ahead:
    """Draws at all caps of a run, its own too; `missed`: standard deviations earlier cuts were off by."""

    seen: Seen
    simulated: Simulated
    missed: float


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
        found = from_draws(unknown, none, none, everywhere(Status.OK, len(targets)), options.level)
        return replace(found, lengths=Lengths(unknown, Interval(unknown, unknown, options.level)))
    cap = np.searchsorted(list(run.caps.values()), [run.caps[name] for name in targets.setting])
    these, new = _accuracies(ahead, run, cap, targets.N, observed.method, options.seed)
    status = everywhere(Status.POOR_FIT if ahead.missed > MISSED else Status.OK, len(targets))
    shown = slice(None if R else 0)
    found = from_draws(these.mean(axis=0), these[shown], new[shown], status, options.level, unknown)
    tokens = ahead.simulated.tokens.mean(axis=1)[:, cap]
    low, high = middle(tokens, options.level)
    return replace(found, lengths=Lengths(tokens.mean(axis=0), Interval(low, high, options.level)))


def ahead_of(run: Run, replicates: int, seed: int) -> Ahead | None:
    """Look ahead from the answers of the run, which are stopped at its cap, to all its caps.

    None where too few answers ended within the cap to say anything.
    """
    answers, cap = stopped(run.answers, run.cap), run.cap
    ended = int((answers.tokens <= cap).sum())
    if ended < FEWEST or ended < SMALLEST_SHARE * len(answers.tokens):
        return None
    few = thinned(answers, LEARN_FROM, FEW_ANSWERS)
    found = fit(Problem(seen_at(few, cap)))
    seen = seen_at(answers, cap)
    sooner, missed = paces(few, cap, found, replicates or DRAWS, seed)
    drawn = simulate(Problem(seen), found, list(run.caps.values()), sooner, seed)
    return Ahead(seen, follow(fit_line(seen), drawn, seen.ended_share, seed), missed)


def _accuracies(ahead: Ahead, run: Run, cap: Ints, N: Ints, method: str, seed: int) -> Floats:
    """Draws of the accuracy at each target, its cap by number, of these questions and new ones: (2, R, M)."""
    simulated, seen = ahead.simulated, ahead.seen
    R, Q, _ = simulated.right.shape
    rng = np.random.default_rng([seed, 1])
    answers = (seen.votes.pools + seen.unfinished).astype(np.int64)
    others = rng.integers(Q, size=(R, Q))
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

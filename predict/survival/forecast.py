"""What dearer caps will show, from a run stopped at one: accuracy at every N, tokens per answer, intervals.

60 questions × 8 answers stopped at 8000 tokens
-> cap 16000, vote of 8: 0.61, 90 % 0.55 … 0.67;   9,700 tokens an answer, 9,200 … 10,300
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from predict.protocol import (
    ENDS,
    Floats,
    Ints,
    Observed,
    Options,
    Points,
    Prediction,
    Run,
    Status,
    Texts,
    everywhere,
    with_interval,
)
from predict.survival.fit import FEW_ANSWERS, Problem, fit
from predict.survival.pace import paces
from predict.survival.seen import Seen, seen_at, stopped, thinned
from predict.survival.simulate import Simulated, simulate
from predict.survival.trend import fit_line, follow
from predict.survival.votes import vote_accuracy, wrong_answers

DRAWS = 200
"""At most so many draws of the parameters; a quarter above `MANY` questions, whose own draws add up."""

MANY = 500

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


def survival(observed: Observed, targets: Points, options: Options) -> Prediction:
    """The accuracy at the targets, whose settings are caps of `observed.run`.

    It is that of a pool of `options.pool` answers to each question, the seen ones among them, or with the
    target "population" that of new questions. None where too few answers ended within the cap.
    """
    run, unknown = observed.run, np.full(len(targets), np.nan)
    ahead = ahead_of(run, options.replicates, options.seed) if run else None
    if run is None or ahead is None:
        return with_interval(unknown, unknown[None], everywhere(Status.OK, len(targets)), unknown)
    cap = np.searchsorted(list(run.caps.values()), [run.caps[name] for name in targets.setting])
    draws = _accuracies(ahead, cap, targets.N, observed.method, options)
    status = everywhere(Status.POOR_FIT if ahead.missed > MISSED else Status.OK, len(targets))
    shown = draws if options.replicates else draws[:0]
    return with_interval(draws.mean(axis=0), shown, status, unknown)


def lengths_ahead(run: Run, settings: Texts, options: Options) -> tuple[Floats, Floats, Floats]:
    """Mean tokens of an answer at each of the `settings`, caps of the run, and the ends of their interval."""
    ahead = ahead_of(run, options.replicates, options.seed)
    if ahead is None:
        return (np.full(len(settings), np.nan),) * 3
    caps = np.array([run.caps[name] for name in settings], dtype=float)
    draws = ahead.simulated.tokens.mean(axis=1)[:, np.searchsorted(list(run.caps.values()), caps)]
    return (draws.mean(axis=0), *np.percentile(draws, ENDS, axis=0))


@lru_cache(maxsize=1)
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
    draws = min(replicates or DRAWS, DRAWS if seen.questions <= MANY else DRAWS // 4)
    sooner, missed = paces(few, cap, found, draws, seed)
    drawn = simulate(Problem(seen), found, list(run.caps.values()), sooner, seed)
    return Ahead(seen, follow(fit_line(seen), drawn, seen.ended_share, seed), missed)


def _accuracies(ahead: Ahead, cap: Ints, N: Ints, method: str, options: Options) -> Floats:
    """Draws of the accuracy in the pool at each target, its cap by number, shape (R, targets)."""
    simulated, seen = ahead.simulated, ahead.seen
    R, Q, _ = simulated.right.shape
    rng = np.random.default_rng([options.seed, 1])
    answers = seen.votes.pools + seen.unfinished
    population = options.target == "population"
    asked = rng.integers(Q, size=(R, Q)) if population else np.tile(np.arange(Q), (R, 1))
    noise = rng.standard_normal(R)
    wrong = wrong_answers(seen.votes) if method == "majority" else None
    accuracy = np.empty((R, len(N)))
    for i, (c, n) in enumerate(zip(cap, N, strict=True)):
        right = simulated.right[:, :, c]
        other = simulated.ended[:, :, c] - right
        one = vote_accuracy(wrong, right, other, int(n)) if wrong else 1 - (1 - right) ** n
        one = np.take_along_axis(one, asked, axis=1)
        accuracy[:, i] = one.mean(axis=1)
        if not population:  # the luck of the pool; two subsets of N of its answers share N² / pool of them
            pool = np.maximum(answers, max(options.pool or 0, n))
            shared = 2 / np.pi * np.arcsin(n / pool) * (1 - answers / pool)
            accuracy[:, i] += np.sqrt((one * (1 - one) * shared).mean(axis=1) / Q) * noise
    return accuracy

"""What dearer caps will show, from a run stopped at one: accuracy at every N, tokens per answer, intervals.

60 questions × 8 answers stopped at 8000 tokens
-> cap 16000, vote of 8: 0.61, 90 % 0.55 … 0.67;   9,700 tokens an answer, 9,200 … 10,300
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from predict.protocol import Floats, Options, Prediction, Status, with_interval
from predict.survival.calibration import Widening, widening
from predict.survival.fit import FEW_ANSWERS, Problem, fit
from predict.survival.seen import Seen, seen_at, stopped, thinned
from predict.survival.simulate import Simulated
from predict.survival.trend import look_ahead
from predict.survival.votes import vote_accuracy, wrong_answers
from results.votes.exact import AnswerPools

DRAWS = 200
"""At most so many draws of the parameters; a quarter above `MANY` questions, whose own draws add up."""

MANY = 500

LEARN_FROM = 300
"""The parameters are learnt from at most so many questions, with at most `FEW_ANSWERS` answers to each."""

FEWEST = 30
"""Ended answers below which nothing is forecast."""

SMALLEST_SHARE = 0.05
"""Share of ended answers below which nothing is forecast."""

WIDE = 0.3
"""An interval wider than this says that the data leave the forecast open."""

MISSED = 3.0
"""A widening beyond this says that the law fails on the answers that were seen."""


@dataclass(frozen=True)
class Ahead:
    """Draws of what lies ahead of a run stopped at a cap, at C dearer `caps`."""

    seen: Seen
    caps: Floats
    simulated: Simulated
    wider: Widening

    def accuracy(self, N: Sequence[int], method: str, options: Options) -> Prediction:
        """The accuracy at every (cap, N), caps first.

        It is that of a pool of `options.pool` answers to each question, the seen ones among them, or with the
        target "population" that of new questions.
        """
        draws = _accuracies(self.simulated, self.seen, N, method, options)
        mean = draws.mean(axis=0)
        draws = mean + self.wider.accuracy * (draws - mean)
        status = np.full(len(mean), str(Status.OK), dtype="<U20")
        if options.replicates:
            low, high = _ends(np.clip(draws, 0, 1), options.level)
            status[high - low > WIDE] = str(Status.BOUND_HIT)
        if self.wider.accuracy > MISSED:
            status[:] = str(Status.POOR_FIT)
        shown = draws if options.replicates else draws[:0]
        return with_interval(mean, shown, status, np.full(len(mean), np.nan), options.level)

    def tokens(self, level: float) -> tuple[Floats, Floats, Floats]:
        """Mean tokens per answer at each cap, and the ends of their interval: (C,) each."""
        draws = self.simulated.tokens.mean(axis=1)
        mean = draws.mean(axis=0)
        low, high = _ends(mean + self.wider.tokens * (draws - mean), level)
        return mean, np.clip(low, 0.0, self.caps), np.clip(high, 0.0, self.caps)


def ahead_of(answers: AnswerPools, cap: float, caps: Sequence[float], options: Options) -> Ahead | None:
    """Look ahead to rising `caps` above `cap` from what a run stopped at `cap` shows.

    None where too few answers ended within the cap to say anything.
    """
    answers = stopped(answers, cap)
    ended = int((answers.tokens <= cap).sum())
    if ended < FEWEST or ended < SMALLEST_SHARE * len(answers.tokens):
        return None
    few = thinned(answers, LEARN_FROM, FEW_ANSWERS)
    found = fit(Problem(seen_at(few, cap)))
    seen = seen_at(answers, cap)
    draws = min(options.replicates or DRAWS, DRAWS if seen.questions <= MANY else DRAWS // 4)
    simulated = look_ahead(Problem(seen), found, caps, draws, options.seed).beyond()
    wider = widening(few, cap, found, options.seed) if options.replicates else Widening(1.0, 1.0)
    return Ahead(seen, np.array(caps, dtype=float), simulated, wider)


def _accuracies(simulated: Simulated, seen: Seen, N: Sequence[int], method: str, options: Options) -> Floats:
    """Draws of the accuracy in the pool at each (cap, N), shape (R, C · N)."""
    R, Q, C = simulated.right.shape
    rng = np.random.default_rng([options.seed, 1])
    answers = seen.votes.pools + seen.unfinished
    pool = max(options.pool or 0, *N, answers.max())
    population = options.target == "population"
    asked = rng.integers(Q, size=(R, Q)) if population else np.tile(np.arange(Q), (R, 1))
    noise = rng.standard_normal(R)
    wrong = wrong_answers(seen.votes) if method == "majority" else None
    accuracy = np.empty((R, C, len(N)))
    for c in range(C):
        right = simulated.right[:, :, c]
        other = simulated.ended[:, :, c] - right
        for j, n in enumerate(N):
            one = vote_accuracy(wrong, right, other, n) if wrong else 1 - (1 - right) ** n
            one = np.take_along_axis(one, asked, axis=1)
            accuracy[:, c, j] = one.mean(axis=1)
            if (
                not population
            ):  # the luck of the pool; two subsets of N of its answers share N² / pool of them
                shared = 2 / np.pi * np.arcsin(n / pool) * (1 - answers / pool)
                accuracy[:, c, j] += np.sqrt((one * (1 - one) * shared).mean(axis=1) / Q) * noise
    return accuracy.reshape(R, -1)


def _ends(draws: Floats, level: float) -> tuple[Floats, Floats]:
    tail = 50 * (1 - level)
    low, high = np.percentile(draws, [tail, 100 - tail], axis=0)
    return np.asarray(low), np.asarray(high)

"""Simulate the questions at larger caps, given what a run stopped at a cap showed.

    caps 8000, 16000  ->  200 draws × 60 questions: chance to be right by the cap, to have ended, mean tokens

Each draw takes parameters from the fit and then, for every question, one (m, a, scale) from its posterior.
The spread of the draws reflects the uncertainty of both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri
from scipy.stats.qmc import Sobol

from predict.answers.mixture import drawn_at
from predict.evidence.points import Floats, Ints
from predict.stopped.answer_law import Law
from predict.stopped.fit import Fit, Problem
from predict.stopped.observed import SeenLengths

WIDTH = 0.08
"""Width of the bins of log tokens beyond the cap."""

MANY, LAWS = 500, 32
"""With more questions than `MANY`, only `LAWS` laws are drawn."""

TOGETHER = 32
"""Questions processed at a time, so that their posteriors stay in the processor's cache."""

FARTHEST = 12.0
"""`move_to` shifts log odds by at most this."""

HALVINGS = 30


@dataclass(frozen=True)
class Simulated:
    """R draws of Q questions at C caps: the probability that an answer has ended and is `right`, that it has
    `ended`, and its mean `tokens`, each of shape (R, Q, C)."""

    right: Floats
    ended: Floats
    tokens: Floats


def simulate(problem: Problem, fit: Fit, caps: Sequence[float], sooner: Floats, seed: int) -> Simulated:
    """One draw per row of `sooner` (R, 2), the shifts of the log odds that an unfinished answer has ended.

    The first number shifts them everywhere beyond the cap; the second in proportion to log tokens beyond it,
    in spreads of the questions' modes. The `caps` ascend; none is below the one that was seen.
    """
    edges, middles, last = bins_to(problem.seen, caps)
    rng = np.random.default_rng(seed)
    Q, bins = problem.seen.questions, len(problem.seen.middles)
    right, ended, tokens = (np.empty((len(sooner), Q, len(caps))) for _ in range(3))
    for r, (law, mode, level, scale) in enumerate(_worlds(problem, fit, len(sooner), rng)):
        pace, growth = sooner[r]
        by = np.cumsum(law.times(edges).ends[:, mode, scale], axis=0)
        alive = 1 - by[bins - 1]
        late = np.clip((by[bins:] - by[bins - 1]) / alive, 1e-12, 1 - 1e-12)
        moved = pace + growth * (edges[bins + 1 :, None] - edges[bins]) / law.spread
        by[bins:] = 1 - alive * expit(-np.maximum.accumulate(logit(late) + moved))  # must not fall with time
        ends = np.diff(by, axis=0, prepend=0.0)
        logits = law.grades(middles).logits[:, mode, level]
        ended[r] = by[last].T
        right[r] = np.cumsum(ends * expit(logits), axis=0)[last].T
        spent = np.cumsum(ends * np.exp(middles)[:, None], axis=0)[last].T
        tokens[r] = spent + (1 - ended[r]) * np.asarray(caps, dtype=float)
    return Simulated(right, ended, tokens)


World = tuple[Law, Ints, Ints, Ints]
"""A law, and the indices of m, a and scale of every question, (Q,) each."""


def _worlds(problem: Problem, fit: Fit, R: int, rng: np.random.Generator) -> Iterator[World]:
    """R draws of a law and of the questions' nodes under it.

    With many questions, whose posteriors are slow, `LAWS` evenly spread laws (Sobol points) are used in turn.
    """
    Q = problem.seen.questions
    if Q <= MANY or R <= LAWS:
        for _ in range(R):
            theta = fit.draw(rng)
            law = problem.law(theta)
            yield law, *_question_nodes(problem, law, rng.random((1, 2, Q)))[0]
        return
    even = ndtri(np.clip(Sobol(len(fit.theta), rng=rng).random(LAWS), 1e-9, 1 - 1e-9))
    laws = [problem.law(fit.theta + fit.spread @ z) for z in even]
    times = -(-R // LAWS)
    nodes = [_question_nodes(problem, law, rng.random((times, 2, Q))) for law in laws]
    for r in range(R):
        yield laws[r % LAWS], *nodes[r % LAWS][r // LAWS]


def _question_nodes(problem: Problem, law: Law, uniform: Floats) -> Ints:
    """The indices of m, a and scale drawn for every question, (D, 3, Q), from uniform numbers (D, 2, Q)."""
    D, _, questions = uniform.shape
    drawn = np.empty((D, 3, questions), np.int64)
    tables = problem.tables(law)
    for start in range(0, questions, TOGETHER):
        rows = slice(start, start + TOGETHER)
        chances = problem.posterior(*tables, rows)
        Q, _, columns = chances.nodes.shape
        mode, level = np.divmod(drawn_at(chances.nodes.reshape(Q, -1), uniform[:, 0, rows].T).T, columns)
        scales = np.cumsum(chances.scales, axis=2)[np.arange(Q), mode]
        at = uniform[:, 1, rows, None] * scales[:, :, -1:]
        drawn[:, 0, rows], drawn[:, 1, rows] = mode, level
        drawn[:, 2, rows] = np.minimum((scales <= at).sum(axis=2), scales.shape[2] - 1)
    return drawn


def bins_to(seen: SeenLengths, caps: Sequence[float]) -> tuple[Floats, Floats, Ints]:
    """The seen bins and new ones up to each cap: edges, middles, and the index of each cap's last bin."""
    edges, middles, last = [seen.edges], [seen.middles], []
    at, count = float(seen.edges[-1]), len(seen.middles)
    for end in np.log(caps):
        new = max(int(np.ceil((end - at) / WIDTH - 1e-9)), 0)
        cuts = np.linspace(at, end, new + 1)
        edges.append(cuts[1:])
        middles.append((cuts[1:] + cuts[:-1]) / 2)
        at, count = float(cuts[-1]), count + new
        last.append(count - 1)
    return np.concatenate(edges), np.concatenate(middles), np.array(last)


def move_to(chance: Floats, weight: Floats, wanted: Floats) -> Floats:
    """The shift of all questions' log odds, (R, C), at which the mean of weight × chance is `wanted` (R, C).

    `chance` and `weight` have shape (R, Q, C), or broadcast to it.
    """
    odds = logit(chance)
    low, high = np.full(wanted.shape, -FARTHEST), np.full(wanted.shape, FARTHEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        less = (weight * expit(odds + middle[:, None, :])).mean(axis=1) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.asarray((low + high) / 2)

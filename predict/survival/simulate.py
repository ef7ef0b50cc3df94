"""Draws of what the questions do at dearer caps, given what a run stopped at a cap showed.

    caps 8000, 16000  ->  200 draws × 60 questions: chance to be right by the cap, to have ended, mean tokens

Each draw takes parameters from the fit and then, for every question, one (m, a, scale) from its posterior.
The spread of the draws is the uncertainty of both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from predict.protocol import Floats, Ints
from predict.survival.fit import Fit, Problem
from predict.survival.law import Law
from predict.survival.seen import Seen

WIDTH = 0.08
"""Width of the bins of log tokens beyond the cap."""

TOGETHER = 32
"""Questions worked on at a time, so that their posteriors stay in the processor's cache."""

FARTHEST = 12.0
"""`move_to` moves log odds by at most this."""

HALVINGS = 30


@dataclass(frozen=True)
class Simulated:
    """R draws of Q questions at C caps: chances that one answer has ended and is right, `right`, that it has
    ended, `ended`, and its mean `tokens`, each of shape (R, Q, C)."""

    right: Floats
    ended: Floats
    tokens: Floats


def simulate(problem: Problem, fit: Fit, caps: Sequence[float], sooner: Floats, seed: int) -> Simulated:
    """A draw for each of `sooner` (R, 2): what the log odds are moved by that an unfinished answer has ended.

    They are moved by the first number everywhere beyond the cap, and by the second number for each spread of
    the questions' modes that log tokens lie beyond it. The `caps` rise; none is below the one that was seen.
    """
    edges, middles, last = bins_to(problem.seen, caps)
    rng = np.random.default_rng(seed)
    Q, bins = problem.seen.questions, len(problem.seen.middles)
    right, ended, tokens = (np.empty((len(sooner), Q, len(caps))) for _ in range(3))
    for r, (pace, growth) in enumerate(sooner):
        theta, (u, v) = fit.draw(rng), rng.random((2, Q))
        law = problem.law(theta)
        mode, level, scale = _question_nodes(problem, law, u, v)
        by = np.cumsum(law.times(edges).ends[:, mode, scale], axis=0)
        alive = 1 - by[bins - 1]
        late = np.clip((by[bins:] - by[bins - 1]) / alive, 1e-12, 1 - 1e-12)
        moved = pace + growth * (edges[bins + 1 :, None] - edges[bins]) / law.spread
        by[bins:] = 1 - alive * expit(-np.maximum.accumulate(logit(late) + moved))  # what ended has ended
        ends = np.diff(by, axis=0, prepend=0.0)
        logits = law.grades(middles).logits[:, mode, level]
        ended[r] = by[last].T
        right[r] = np.cumsum(ends * expit(logits), axis=0)[last].T
        spent = np.cumsum(ends * np.exp(middles)[:, None], axis=0)[last].T
        tokens[r] = spent + (1 - ended[r]) * np.asarray(caps, dtype=float)
    return Simulated(right, ended, tokens)


def _question_nodes(problem: Problem, law: Law, u: Floats, v: Floats) -> tuple[Ints, Ints, Ints]:
    """The indices of m, a and scale drawn for every question, by its uniform numbers u and v (Q,)."""
    drawn = np.empty((3, len(u)), np.int64)
    tables = problem.tables(law)
    for start in range(0, len(u), TOGETHER):
        rows = slice(start, start + TOGETHER)
        found = problem.posterior(*tables, rows)
        Q, _, columns = found.nodes.shape
        mode, level = np.divmod(_drawn(found.nodes.reshape(Q, -1), u[rows]), columns)
        drawn[:, rows] = mode, level, _drawn(found.scales[np.arange(Q), mode], v[rows])
    return drawn[0], drawn[1], drawn[2]


def bins_to(seen: Seen, caps: Sequence[float]) -> tuple[Floats, Floats, Ints]:
    """The seen bins and new ones up to each cap: edges, middles, and the last bin below each cap."""
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


def _drawn(weights: Floats, u: Floats) -> Ints:
    """For each row of `weights` (Q, n) the index that the uniform number of u (Q,) falls on."""
    steps = np.cumsum(weights, axis=1)
    return np.asarray(np.minimum((steps <= (u * steps[:, -1])[:, None]).sum(axis=1), weights.shape[1] - 1))


def move_to(chance: Floats, weight: Floats, wanted: Floats) -> Floats:
    """The move of all questions' log odds, (R, C), at which the mean of weight × chance is `wanted` (R, C).

    `chance` and `weight` have shape (R, Q, C), or broadcast to it.
    """
    odds = logit(chance)
    low, high = np.full(wanted.shape, -FARTHEST), np.full(wanted.shape, FARTHEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        less = (weight * expit(odds + middle[:, None, :])).mean(axis=1) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.asarray((low + high) / 2)

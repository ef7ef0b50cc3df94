"""Fit the law to all questions: marginal likelihood on a grid, the maximum, and draws around it.

    60 questions × 8 answers, 49 % ended  ->  16 parameters with their joint uncertainty, in a second

The likelihood of a question is a sum over the nodes (m, a, scale) of products of a table's entries, one for
each of its answers; the maximum is that of likelihood × prior, and the draws follow the normal law with the
curvature at the maximum (Laplace's approximation).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import expit, log_expit

from predict.evidence.points import Floats
from predict.stopped.answer_law import PARAMETERS, PRIOR_MEAN, PRIOR_SD, Grades, Grid, Law, Times, make_grid
from predict.stopped.observed import SeenLengths

STARTS = PRIOR_MEAN, np.where(np.array(list(PARAMETERS)) == "never_ends", -0.5, PRIOR_MEAN)
"""Where the search starts. If many answers have not ended, there are often two maxima: these end late, or
never. From the prior mean the search finds the first even where the second is far higher."""

TOLERANCE = 1e-4
"""The search stops when no element of the gradient is larger: log likelihood per prior sd of a parameter."""

HIGHER = 0.01
"""A maximum that is higher by less, in log likelihood, is the same one, or as good."""

OUTERMOST = 8.0
"""The search evaluates no parameter farther from its prior mean, in prior standard deviations: the law
overflows there, and no data outweigh such a prior."""

STEP = 1e-4
"""Step of the differences of the gradient, in prior standard deviations."""

VAGUEST = 2.0
"""Largest standard deviation of the posterior in any direction, in prior standard deviations."""

FEW_ANSWERS = 16
"""With up to this many answers per question, the coarse grid of modes is fine enough."""

COARSE, FINE = 81, 161


@dataclass(frozen=True)
class Posterior:
    """log_evidence (Q,); nodes (Q, I, J + 1), the weights of (m, a); scales (Q, I, S), those of the scale
    given m. Weights sum to 1 over nodes, and over scales."""

    log_evidence: Floats
    nodes: Floats
    scales: Floats


@dataclass(frozen=True)
class Problem:
    """The likelihood of what was `seen`, on a grid fine enough for it; modes are measured from log cap."""

    seen: SeenLengths

    @cached_property
    def grid(self) -> Grid:
        """The nodes over questions."""
        most = (self.seen.ended_counts.sum(axis=1) + self.seen.unfinished).max()
        return make_grid(COARSE if most <= FEW_ANSWERS else FINE)

    def law(self, theta: Floats) -> Law:
        """The law for `theta`."""
        return Law(theta, self.grid, origin=float(np.log(self.seen.cap)))

    def tables(self, law: Law) -> tuple[Times, Grades]:
        """The tables of `law` at the seen bins."""
        return law.times(self.seen.edges), law.grades(self.seen.middles)

    def posterior(self, time: Times, grade: Grades, rows: slice = slice(None)) -> Posterior:
        """The posterior of m, a and scale given the answers, for all questions or some `rows`."""
        seen, ended = self.seen, self.seen.ended_counts[rows]
        Q, K = ended.shape
        when = ended @ np.log(time.ends).reshape(K, -1)
        when += seen.unfinished[rows, None] * np.log(time.lives).reshape(-1)
        when = when.reshape(Q, *time.lives.shape) + np.log(self.grid.scale_weights)
        by_scale, scales = _normalised(when, (2,))
        flat = grade.logits.reshape(K, -1)
        graded = ended @ log_expit(flat) - seen.other[rows] @ flat  # log (1 − p) = log p − logit p
        logs = by_scale + graded.reshape(Q, *grade.weights.shape) + np.log(grade.weights)
        evidence, nodes = _normalised(logs, (1, 2))
        return Posterior(evidence[:, 0, 0], nodes, scales)

    def endless(self, theta: Floats) -> float:
        """The share of all answers that the law expects never to end, all of them among the unfinished."""
        law, seen = self.law(theta), self.seen
        time, grade = self.tables(law)
        chances = self.posterior(time, grade)
        given = chances.nodes.sum(axis=2)[:, :, None] * chances.scales
        never = (given * (law.never / time.lives)).sum(axis=(1, 2))
        return float(never @ seen.unfinished / (seen.ended_counts.sum() + seen.unfinished.sum()))

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        """−log (likelihood × prior) and its gradient, by the chain rule from the tables to theta."""
        seen, law = self.seen, self.law(theta)
        time, grade = self.tables(law)
        chances = self.posterior(time, grade)
        Q = seen.questions
        timed = (chances.nodes.sum(axis=2)[:, :, None] * chances.scales).reshape(Q, -1)
        d_ends = (seen.ended_counts.T @ timed).reshape(time.ends.shape) / time.ends
        d_lives = (seen.unfinished @ timed).reshape(time.lives.shape) / time.lives
        flat, right = chances.nodes.reshape(Q, -1), expit(grade.logits)
        d_logits = (seen.right.T @ flat).reshape(right.shape) * (1 - right)
        d_logits -= (seen.other.T @ flat).reshape(right.shape) * right
        d_weights = chances.nodes.sum(axis=0) / grade.weights
        gradient = law.times_slope(seen.edges, d_ends, d_lives)
        gradient += law.grades_slope(seen.middles, d_logits, d_weights)
        off = (theta - PRIOR_MEAN) / PRIOR_SD
        return float(off @ off / 2 - chances.log_evidence.sum()), off / PRIOR_SD - gradient


def _normalised(logs: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """log Σ exp over `axes` (kept with length 1), and exp divided by that sum."""
    top = logs.max(axis=axes, keepdims=True)
    weights = np.exp(logs - top)
    total = weights.sum(axis=axes, keepdims=True)
    return np.log(total) + top, weights / total


@dataclass(frozen=True)
class Fit:
    """The maximum `theta` (P,), and the lower Cholesky factor `spread` (P, P) of the covariance there."""

    theta: Floats
    spread: Floats

    def draw(self, rng: np.random.Generator) -> Floats:
        """Draw one set of parameters."""
        return np.asarray(self.theta + self.spread @ rng.standard_normal(len(self.theta)))


def fit(problem: Problem, starts: Sequence[Floats] = STARTS) -> Fit:
    """The highest maximum found by BFGS from `starts`, refined by Newton steps, and the spread around it."""

    def loss(z: Floats) -> tuple[float, Floats]:
        """`problem.loss` in prior standard deviations from the prior mean; beyond `OUTERMOST`, a parabola."""
        inside = np.clip(z, -OUTERMOST, OUTERMOST)
        value, slope = problem.loss(PRIOR_MEAN + PRIOR_SD * inside)
        beyond = z - inside
        return value + float(beyond @ beyond) / 2, np.where(beyond == 0, slope * PRIOR_SD, beyond)

    def search(start: Floats) -> OptimizeResult:
        first = (start - PRIOR_MEAN) / PRIOR_SD
        return minimize(loss, first, jac=True, method="BFGS", options={"gtol": TOLERANCE})

    best, *others = map(search, starts)
    for other in others:
        best = other if other.fun < best.fun - HIGHER else best
    z = best.x
    for _ in range(3):
        value, slope = loss(z)
        curvature = _curvature(loss, z, slope)
        if np.abs(slope).max() < TOLERANCE:
            break
        trial = z - np.linalg.solve(curvature, slope)
        if loss(trial)[0] > value:
            break
        z = trial
    spread = np.linalg.cholesky(np.linalg.inv(curvature))
    return Fit(PRIOR_MEAN + PRIOR_SD * z, PRIOR_SD[:, None] * spread)


def _curvature(loss: Callable[[Floats], tuple[float, Floats]], z: Floats, slope: Floats) -> Floats:
    """The Hessian of the loss by differences from the `slope` at z, its eigenvalues at least `VAGUEST`⁻²."""
    rows = [(loss(z + one)[1] - slope) / STEP for one in STEP * np.eye(len(z))]
    hessian = (np.array(rows) + np.array(rows).T) / 2
    values, vectors = np.linalg.eigh(hessian)
    return np.asarray((vectors * np.maximum(values, VAGUEST**-2)) @ vectors.T)

"""The law fitted to all questions: marginal likelihood on a grid, its maximum, draws about it.

    60 questions × 8 answers, 49 % ended  ->  14 parameters with their joint uncertainty, in a second

The likelihood of a question is a sum over the nodes (m, a, scale) of products of a table's entries, one for
each of its answers; the maximum is that of likelihood × prior, the draws follow the normal law that has its
curvature there (Laplace's approximation).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from predict.protocol import Floats
from predict.survival.law import PRIOR_MEAN, PRIOR_SD, Grades, Grid, Times, grades, make_grid, times
from predict.survival.seen import Seen

TOLERANCE = 1e-4
"""Largest element of the gradient at which the search stops: log likelihood per unit of a parameter."""

STEP = 1e-5
"""Step of the central differences of the tables."""

VAGUEST = 2.0
"""No direction of the posterior is wider than so many standard deviations of the prior."""

FEW_ANSWERS = 16
"""Up to so many answers a question the coarse grid of modes is fine enough."""

COARSE, FINE = 81, 161


@dataclass(frozen=True)
class Posterior:
    """log_evidence (Q,); nodes (Q, I, J + 1), the weights of (m, a); scales (Q, I, S), those of the scale
    at each m. Weights sum to 1 over nodes, and over scales."""

    log_evidence: Floats
    nodes: Floats
    scales: Floats


@dataclass(frozen=True)
class Problem:
    """The likelihood of what is `seen`, on a grid fine enough for it; modes are counted from log cap."""

    seen: Seen

    @cached_property
    def grid(self) -> Grid:
        """The nodes."""
        most = (self._ended.sum(axis=1) + self.seen.unfinished).max()
        return make_grid(COARSE if most <= FEW_ANSWERS else FINE)

    @property
    def origin(self) -> float:
        """log cap."""
        return float(np.log(self.seen.cap))

    @cached_property
    def _ended(self) -> Floats:
        return self.seen.right + self.seen.other

    def tables(self, theta: Floats) -> tuple[Times, Grades]:
        """The law of the seen bins."""
        seen = self.seen
        return (
            times(theta, self.grid, seen.edges, self.origin),
            grades(theta, self.grid, seen.middles, self.origin),
        )

    def posterior(self, time: Times, grade: Grades, rows: slice = slice(None)) -> Posterior:
        """What their answers say of the m, a and scale of all questions, or of some `rows`."""
        seen, ended = self.seen, self._ended[rows]
        Q, K = ended.shape
        when = ended @ np.log(time.ends).reshape(K, -1)
        when += seen.unfinished[rows, None] * np.log(time.lives).reshape(-1)
        when = when.reshape(Q, *time.lives.shape) + np.log(self.grid.scale_weights)
        by_scale, scales = _normalised(when, (2,))
        flat = grade.logits.reshape(K, -1)
        graded = seen.right[rows] @ log_expit(flat) + seen.other[rows] @ log_expit(-flat)
        logs = by_scale + graded.reshape(Q, *grade.weights.shape) + np.log(grade.weights)
        evidence, nodes = _normalised(logs, (1, 2))
        return Posterior(evidence[:, 0, 0], nodes, scales)

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        """−log (likelihood × prior) and its gradient.

        The gradient goes through the tables: the posterior expectation of d log likelihood / d table, times
        d table / d theta by central differences.
        """
        seen = self.seen
        time, grade = self.tables(theta)
        found = self.posterior(time, grade)
        Q = seen.questions
        timed = (found.nodes.sum(axis=2)[:, :, None] * found.scales).reshape(Q, -1)
        d_ends = (self._ended.T @ timed).reshape(time.ends.shape) / time.ends
        d_lives = (seen.unfinished @ timed).reshape(time.lives.shape) / time.lives
        flat, right = found.nodes.reshape(Q, -1), expit(grade.logits)
        d_logits = (seen.right.T @ flat).reshape(right.shape) * (1 - right)
        d_logits -= (seen.other.T @ flat).reshape(right.shape) * right
        d_weights = found.nodes.sum(axis=0) / grade.weights
        gradient = np.empty(len(theta))
        for k, step in enumerate(STEP * np.eye(len(theta))):
            (late, good), (early, bad) = self.tables(theta + step), self.tables(theta - step)
            change = np.vdot(d_ends, late.ends - early.ends) + np.vdot(d_lives, late.lives - early.lives)
            change += np.vdot(d_logits, good.logits - bad.logits)
            change += np.vdot(d_weights, good.weights - bad.weights)
            gradient[k] = change / (2 * STEP)
        off = (theta - PRIOR_MEAN) / PRIOR_SD
        return float(off @ off / 2 - found.log_evidence.sum()), off / PRIOR_SD - gradient


def _normalised(logs: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """log Σ exp over `axes` (kept, of length 1), and exp divided by that sum."""
    top = logs.max(axis=axes, keepdims=True)
    weights = np.exp(logs - top)
    total = weights.sum(axis=axes, keepdims=True)
    return np.log(total) + top, weights / total


@dataclass(frozen=True)
class Fit:
    """The maximum `theta` (P,) and the lower Cholesky factor `spread` (P, P) of the covariance there."""

    theta: Floats
    spread: Floats

    def draw(self, rng: np.random.Generator) -> Floats:
        """One set of parameters."""
        return np.asarray(self.theta + self.spread @ rng.standard_normal(len(self.theta)))


def fit(problem: Problem, start: Floats = PRIOR_MEAN) -> Fit:
    """The maximum near `start`, found by BFGS and finished with Newton steps, and the spread about it."""
    theta = minimize(problem.loss, start, jac=True, method="BFGS", options={"gtol": TOLERANCE}).x
    for _ in range(3):
        curvature = _curvature(problem, theta)
        gradient = problem.loss(theta)[1]
        if np.abs(gradient).max() < TOLERANCE:
            break
        trial = theta - np.linalg.solve(curvature, gradient)
        if problem.loss(trial)[0] > problem.loss(theta)[0]:
            break
        theta = trial
    return Fit(theta, np.linalg.cholesky(np.linalg.inv(curvature)))


def _curvature(problem: Problem, theta: Floats) -> Floats:
    """The Hessian of the loss, by central differences; made positive as far as `VAGUEST` says."""
    step = 100 * STEP
    rows = [
        (problem.loss(theta + one)[1] - problem.loss(theta - one)[1]) / (2 * step)
        for one in step * np.eye(len(theta))
    ]
    hessian = (np.array(rows) + np.array(rows).T) / 2
    values, vectors = np.linalg.eigh(PRIOR_SD[:, None] * hessian * PRIOR_SD)
    positive = (vectors * np.maximum(values, VAGUEST**-2)) @ vectors.T
    return np.asarray(positive / PRIOR_SD[:, None] / PRIOR_SD)

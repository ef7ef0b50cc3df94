"""Exact best-of-N by a reward that is quadratic in w, with or without Gaussian noise.

A reward R = −q(w) + τ ξ with q(w) = wᵀAw − 2aᵀw picks the least q of N. An answer is w = E[w] + L z with
L Lᵀ its covariance and z standard normal. In the eigenbasis of LᵀAL, with eigenvalues c_j,

    q = Σ_j (√c_j z_j + b_j)² + const,      ‖w − w*‖²_H = zᵀPz + 2hᵀz + e,

a generalised χ² and a quadratic form of the same z. Under the weight e^{iuq} each z_j is still Gaussian, of
variance v_j = 1/(1 − 2iuc_j) and mean μ_j = 2iu √c_j b_j v_j, so that

    φ(u) = E[e^{iuq}] = Π_j √v_j e^{iu b_j² v_j},
    ψ(u) = E[‖w − w*‖²_H e^{iuq}] = φ(u) (Σ_j P_jj v_j + μᵀPμ + 2hᵀμ + e),

and noise multiplies both by e^{−τ²u²/2}. Their inverses are F(r) = P(q ≤ r) and the density g(r) of the error
spread over r (Gil-Pelaez 1951, discretised as in Davies 1973), and

    E[‖w − w*‖²_H of the best of N] = ∫ N (1 − F(r))^{N−1} g(r) dr.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from results import BadInput
from synthetic.continuous.moments import Moments
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, Tasks

POINTS = 8192
"""Points of the grid for q. The trapezoidal rule on it and the sums over frequencies are nearly exact."""
_NEGLIGIBLE = 1e-15
ROUGH = 1e-6
"""|φ| at the last frequency above which the sums have not converged: q has too few directions."""


@dataclass(frozen=True)
class Answers:
    """The law of the answers to some tasks at each t: Gaussian, with these moments."""

    tasks: Tasks
    setting: ContinuousSetting
    moments: Moments


@dataclass(frozen=True)
class Quadratic:
    """q(w) = wᵀAw − 2aᵀw for each task: `matrix` A (tasks, d, d), `vector` a (tasks, d)."""

    matrix: Array
    vector: Array


@dataclass(frozen=True)
class Joint:
    """q and the squared error of one answer to one task at one t, as functions of the same z, (d,)."""

    scales: Array
    """The c_j."""
    offsets: Array
    """The b_j; 0 where c_j is 0."""
    matrix: Array
    """P, (d, d)."""
    vector: Array
    """h."""
    constant: float
    """e, the squared error of the mean answer."""

    @property
    def mean(self) -> float:
        """E[q]."""
        return float((self.scales + self.offsets**2).sum())

    @property
    def deviation(self) -> float:
        """The standard deviation of q."""
        return float(np.sqrt((2 * self.scales**2 + 4 * self.scales * self.offsets**2).sum()))

    @property
    def error(self) -> float:
        """E‖w − w*‖²_H of one answer."""
        return float(np.trace(self.matrix)) + self.constant

    @property
    def limit(self) -> float:
        """The limit of the error of the best of N as N → ∞, without noise on the reward.

        The z_j that q depends on go to its minimum; the law of the others does not change.
        """
        depends = self.scales > 0
        z = np.divide(-self.offsets, np.sqrt(self.scales), out=np.zeros_like(self.scales), where=depends)
        left = float(np.diag(self.matrix)[~depends].sum())
        return float(z @ self.matrix @ z + 2 * self.vector @ z) + left + self.constant

    def transforms(self, u: Array, spread: float) -> tuple[Array, Array]:
        """φ and ψ at each frequency, for noise of deviation `spread` (τ) on q."""
        variance = 1 / (1 - 2j * np.outer(u, self.scales))
        mean = 2j * u[:, None] * np.sqrt(self.scales) * self.offsets * variance
        exponent = 0.5 * np.log(variance) + 1j * u[:, None] * self.offsets**2 * variance
        phi = np.exp(exponent.sum(axis=1) - (spread * u) ** 2 / 2)
        error = variance @ np.diag(self.matrix) + ((mean @ self.matrix) * mean).sum(axis=1)
        return phi, phi * (error + 2 * mean @ self.vector + self.constant)

    def error_up_to(self, limit: float) -> tuple[float, float]:
        """P(q ≤ limit), and the contribution of these answers to the expected error."""
        low, high = self.reach(0.0)
        index, phi, psi = self._frequencies(low, high, 0.0)
        wave = np.exp(-1j * index * 2 * np.pi / (high - low) * limit) / (np.pi * index)
        return float(0.5 - (wave @ phi).imag), float(self.error / 2 - (wave @ psi).imag)

    def on_grid(self, spread: float) -> tuple[float, Array, Array]:
        """The law of q + τ ξ at POINTS equidistant points: their spacing, F and the error's density g."""
        low, high = self.reach(spread)
        index, phi, psi = self._frequencies(low, high, spread)
        start = np.exp(-1j * index * 2 * np.pi / (high - low) * low)
        turn = np.exp(-1j * np.pi * np.arange(POINTS) / POINTS)  # the half in each index
        below = 0.5 - (turn * np.fft.fft(start * phi / (np.pi * index), POINTS)).imag
        density = 2 / (high - low) * (turn * np.fft.fft(start * psi, POINTS)).real
        return (high - low) / POINTS, np.clip(below, 0.0, 1.0), density

    def _frequencies(self, low: float, high: float, spread: float) -> tuple[Array, Array, Array]:
        """k + ½, and φ and ψ at (k + ½) 2π/(high − low), up to where they vanish.

        Raises BadInput if they do not vanish: too few directions have noise.
        """
        spacing, count = 2 * np.pi / (high - low), 64
        while (end := abs(self.transforms(np.array([count * spacing]), spread)[0][0])) > _NEGLIGIBLE:
            if 2 * count > POINTS // 2:
                break
            count *= 2
        if end > ROUGH:
            few = int((self.scales > 0).sum())
            raise BadInput(
                f"best-of-N by a reward that sees {few} of the directions of w is not solved here: give more "
                "examples, n"
            )
        index = np.arange(count, dtype=np.float64) + 0.5
        return (index, *self.transforms(index * spacing, spread))

    def reach(self, spread: float) -> tuple[float, float]:
        """An interval that holds all but ~1e-15 of the law of q with noise."""
        # The left tail is at least Gaussian-thin and ends at 0; the right one is exponential.
        low = max(0.0, self.mean - 12 * self.deviation) - 9 * spread
        return low, self.mean + 10 * self.deviation + 60 * float(self.scales.max()) + 9 * spread


def best_by_quadratic(
    answers: Answers,
    quadratic: Quadratic,
    votes: Sequence[int],
    spread: Callable[[Joint], float] = lambda _: 0.0,
) -> Array:
    """E‖w − w*‖²_H of the answer with the least q + τ ξ of N, (tasks, steps, votes); `spread` gives τ."""

    def one(joint: Joint) -> Array:
        return _least_of_n(joint, spread(joint), np.asarray(votes, np.float64))

    return over_joints(answers, quadratic, one)


def over_joints(answers: Answers, quadratic: Quadratic, solve: Callable[[Joint], Array]) -> Array:
    """`solve` of the joint law of q and error of each task and t, (tasks, steps, …)."""
    found = [
        [
            solve(joint_law(matrix, vector, mean, covariance, target, answers.moments.weights))
            for mean, covariance in zip(means, covariances, strict=True)
        ]
        for matrix, vector, means, covariances, target in zip(
            quadratic.matrix,
            quadratic.vector,
            answers.moments.error + answers.tasks.w_star[:, None],
            answers.moments.covariance,
            answers.tasks.w_star,
            strict=True,
        )
    ]
    return np.array(found)


def joint_law(
    matrix: Array, vector: Array, mean: Array, covariance: Array, target: Array, weights: Array
) -> Joint:
    """The joint law of q(w) = wᵀ`matrix`w − 2 `vector`ᵀw and ‖w − `target`‖²_H, H = diag(`weights`)."""
    variances, axes = np.linalg.eigh(covariance)
    root = axes * np.sqrt(np.maximum(variances, 0.0))
    scales, turn = np.linalg.eigh(root.T @ matrix @ root)
    scales[scales <= 1e-12 * max(scales.max(), 1e-300)] = 0.0  # A is at least 0
    root = root @ turn
    slope = root.T @ (matrix @ mean - vector)
    offsets = np.divide(slope, np.sqrt(scales), out=np.zeros_like(slope), where=scales > 0)
    off = mean - target
    weighted = weights[:, None] * root
    return Joint(scales, offsets, root.T @ weighted, weighted.T @ off, float(off**2 @ weights))


def _least_of_n(joint: Joint, spread: float, votes: Array) -> Array:
    if not joint.scales.any():  # q is constant
        return np.full(len(votes), joint.error)
    spacing, below, density = joint.on_grid(spread)
    chosen = votes[:, None] * (1 - below) ** (votes[:, None] - 1)
    return np.asarray(chosen @ density * spacing)

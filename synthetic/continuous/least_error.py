"""Best-of-N under constant noise: the exact expected least squared error of N independent paths.

    best_of_n_risk(moments, votes=(1, 256))[task, step]  ->  [169.70, 80.87]

Given the task, w_t is Gaussian, so ‖w_t − w*‖²_H = Σ c_i (z_i + δ_i)² is a generalised χ². Its distribution
function comes from inverting its characteristic function φ (Gil-Pelaez 1951, Imhof 1961, discretised as in
Davies 1973: the sum's error is the probability beyond 2π/Δ, made negligible), and

    E[min of N] = ∫₀^∞ P(X > x)^N dx.
"""

import numpy as np
from scipy.integrate import fixed_quad

from synthetic.continuous.moments import Moments
from synthetic.model.tasks import Array

MAX_FREQUENCIES = 4096
QUADRATURE_POINTS = 400
_SMALLEST = 1e-15


def best_of_n_risk(moments: Moments, votes: tuple[int, ...]) -> Array:
    """E[min over N paths of ‖w_t − w*‖²_H], (tasks, steps, votes), for Gaussian w_t with these moments."""
    d, root = len(moments.weights), np.sqrt(moments.weights)
    scales, axes = np.linalg.eigh(root[:, None] * moments.covariance * root)
    offsets = ((moments.error * root)[:, :, None] @ axes)[:, :, 0]
    risks = [
        least_of_n(*one, votes)
        for one in zip(np.maximum(scales, 0.0).reshape(-1, d), offsets.reshape(-1, d), strict=True)
    ]
    return np.reshape(risks, (*moments.error.shape[:2], len(votes)))


def least_of_n(scales: Array, offsets: Array, votes: tuple[int, ...]) -> Array:
    """E[min of N] of X = Σ (√scales_i z_i + offsets_i)², z standard normal, for each N; (len(votes),).

    Directions without noise (scale 0) add a constant.
    """
    noisy = scales > 1e-14 * max(scales.max(), 1e-300)
    constant = float((offsets[~noisy] ** 2).sum())
    c, b = scales[noisy], offsets[noisy]
    if len(c) == 0:
        return np.full(len(votes), constant)
    mean = (c + b**2).sum()
    deviation = np.sqrt((2 * c**2 + 4 * c * b**2).sum())
    # The left tail is at least as thin as a Gaussian's and ends at 0; the right decays at rate 1/(2 c).
    low = max(0.0, mean - 12 * deviation)
    high = mean + 10 * deviation + 60 * c.max()

    def survival(x: Array) -> Array:
        """P(the minimum exceeds x), (votes, x)."""
        above = np.clip(1 - distribution(c, b, x, high), 0.0, 1.0)
        return np.asarray(above ** np.array(votes)[:, None])

    return np.asarray(constant + low + fixed_quad(survival, low, high, n=QUADRATURE_POINTS)[0])


def distribution(c: Array, b: Array, x: Array, high: float) -> Array:
    """P(Σ (√c_i z_i + b_i)² ≤ x) for each x in [0, high]; `high` has ~1e-15 of the mass beyond it."""
    spacing = 2 * np.pi / high
    count = 64
    while count < MAX_FREQUENCIES and abs(_characteristic(c, b, np.full(1, count * spacing)))[0] > _SMALLEST:
        count *= 2
    index = np.arange(count, dtype=np.float64) + 0.5
    frequency = index * spacing
    phi = _characteristic(c, b, frequency)
    kept = abs(phi) > _SMALLEST
    waves = np.exp(-1j * np.outer(x, frequency[kept]))
    return np.asarray(0.5 - ((waves * phi[kept]).imag / (np.pi * index[kept])).sum(axis=1))


def _characteristic(c: Array, b: Array, u: Array) -> Array:
    """E[e^{iuX}], complex, for each u."""
    factor = 1 - 2j * np.outer(u, c)
    return np.asarray(np.exp((-0.5 * np.log(factor) + 1j * u[:, None] * b**2 / factor).sum(axis=1)))

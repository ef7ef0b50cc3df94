"""The moment recursions against the same expectations taken over ξ by Gauss–Hermite quadrature.

It shares nothing with the code under test: no eigenbasis, no formula for E[ξξᵀAξξᵀ]. The second moment
after a step has degree 4 in ξ, so three nodes a coordinate integrate it exactly.
"""

from itertools import product

import numpy as np
import pytest

from synthetic.continuous.moments import path_moments
from synthetic.model.noise import LINEAR, NOISE_LAWS, NoiseLaw, linear_noise
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 2, 6)


def gauss_hermite(d, variance):
    """Nodes (3^d, d) and weights (3^d,) for ξ ~ N(0, variance · I)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(3)
    grid = np.array(list(product(nodes, repeat=d))) * np.sqrt(variance)
    return grid, np.prod(np.array(list(product(weights / weights.sum(), repeat=d))), axis=1)


@pytest.fixture(autouse=True)
def sum_of_both_laws(monkeypatch):
    """φ_ξ(w̃) = ξ ± ξξᵀw̃, a law of one's own; the odd moments of ξ are 0, so the covariances add up."""

    def moments(s, sign):
        return LINEAR.moments(s, sign)._replace(added=s)

    both = NoiseLaw("both", lambda w, xi, sign: linear_noise(w, xi, sign) + xi, moments)
    monkeypatch.setitem(NOISE_LAWS, "both", both)


def moments_by_quadrature(x, y, setting):
    """Mean (d,) and second moment (d, d) of w_t for t = 1, 2, …"""
    d = x.shape[1]
    xi, weight = gauss_hermite(d, setting.noise_variance)
    grows, shifts = setting.noise in ("linear", "both"), setting.noise in ("constant", "both")
    change = np.eye(d) + grows * setting.linear_sign * xi[:, :, None] * xi[:, None, :]
    shift = shifts * xi
    move, push = np.eye(d) - setting.step * x.T @ x, setting.step * x.T @ y
    mean, second = np.zeros(d), np.zeros((d, d))
    while True:
        moved = move @ mean + push
        cross = np.outer(move @ mean, push)
        second = move @ second @ move.T + cross + cross.T + np.outer(push, push)
        grown = change @ moved
        cross = np.einsum("q,qi,qj->ij", weight, grown, shift)
        second = np.einsum("q,qij,jk,qlk->il", weight, change, second, change) + cross + cross.T
        second += np.einsum("q,qi,qj->ij", weight, shift, shift)
        mean = weight @ (grown + shift)
        yield mean, second


@pytest.mark.parametrize("s", [0.5, 1.0])
def test_erratum_second_moment_of_linear_noise(s):
    """It is (1−2s+2s²)A + s² tr(A) I; the paper's tr(A)I + diag(A) loses what is off the diagonal."""
    a = np.array([[2.0, 1.0, 0.5], [1.0, 1.0, -0.7], [0.5, -0.7, 3.0]])
    xi, weight = gauss_hermite(3, s)
    change = np.eye(3) - xi[:, :, None] * xi[:, None, :]
    ours = (1 - 2 * s + 2 * s**2) * a + s**2 * np.trace(a) * np.eye(3)
    np.testing.assert_allclose(np.einsum("q,qij,jk,qkl->il", weight, change, a, change), ours, atol=1e-12)


@pytest.mark.parametrize("decay", [None, 1.0])
@pytest.mark.parametrize(("noise", "sign"), [("constant", -1), ("linear", -1), ("linear", 1), ("both", -1)])
@pytest.mark.parametrize("noise_scale", ["raw", "eta", "eta2"])
def test_moments_of_a_path(decay, noise, sign, noise_scale):
    setting = ContinuousSetting(
        n=2,
        d=3,
        eta=0.3,
        sigma_eps=0.5,
        sigma=0.8,
        noise=noise,
        noise_scale=noise_scale,
        linear_sign=sign,
        decay=decay,
        step_rule="eta/n",
    )
    tasks = draw_tasks(setting, task_keys(1, 2), seed=3)
    found = path_moments(tasks, setting, STEPS)
    metric = np.array([1.0, 1.0, 1.0]) if decay is None else np.array([1.0, 1 / 4, 1 / 9])
    for task in range(2):
        walk = moments_by_quadrature(tasks.x[task], tasks.y[task], setting)
        by_step = dict(zip(range(1, STEPS[-1] + 1), walk, strict=False))
        for at, t in enumerate(STEPS):
            mean, second = by_step[t]
            assert found.bias[task, at] == pytest.approx(metric @ (mean - tasks.w_star[task]) ** 2, rel=1e-10)
            assert found.variance[task, at] == pytest.approx(metric @ np.diag(second - np.outer(mean, mean)))
            ensemble = found.ensemble_risk((1, 5))[task, at]
            assert ensemble == pytest.approx(found.bias[task, at] + found.variance[task, at] / [1, 5])

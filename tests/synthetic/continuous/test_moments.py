"""Exact moments against quadrature, the sampler against the literal transformer, and refusals.

The moment recursions are compared with the same expectations taken over ξ by Gauss–Hermite quadrature, which
shares nothing with the code under test: no eigenbasis, no formula for E[ξξᵀAξξᵀ]. The second moment after a
step has degree 4 in ξ, so three nodes per coordinate integrate it exactly.
"""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from results import BadInput
from synthetic.continuous.descent import SampledPaths, least_weights, sample_paths
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import transformer_paths
from synthetic.model.noise import LINEAR, NOISE_LAWS, NoiseLaw, linear_noise
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 7, 40)
VOTES = (1, 3, 10)


def small(**changes):
    given = {"n": 5, "d": 8, "eta": 0.02, "sigma_eps": 0.7, "sigma": 1.5}
    return ContinuousSetting(**{**given, **changes})


SAME_EXAMPLES = [
    small(),
    small(noise="linear", sigma_eps=0.1, omega=2.0),
    small(noise="linear", linear_sign=1, eta=0.01),
    small(noise="linear", noise_scale="eta2", step_rule="eta/n", eta=0.1),
]
OTHERS = [small(decay=1.0), small(noise="linear", decay=1.0), small(n=4)]


@pytest.mark.parametrize(
    "settings",
    [SAME_EXAMPLES, SAME_EXAMPLES[1:2] + OTHERS, [small(omega=0.0), OTHERS[0]]],
    ids=["same", "others", "scaled"],
)
def test_sampler_and_literal_transformer_walk_the_same_paths(settings):
    """Settings with the same examples are sampled together, others separately."""
    lines = [(draw_tasks(setting, task_keys(2, 1), seed=2), setting) for setting in settings]
    for line, fast in zip(lines, sample_paths(lines, 6, STEPS), strict=True):
        slow = transformer_paths(*line, 6, STEPS)
        np.testing.assert_allclose(fast.errors, slow.errors, rtol=1e-8)
        np.testing.assert_allclose(fast.mean_error, slow.mean_error, rtol=1e-8)


@pytest.mark.parametrize("paths", [2, 5])
def test_sampled_variance_is_that_between_paths(paths):
    """The bias is then the mean product of two different paths, which is unbiased."""
    w = np.random.default_rng(10).standard_normal((paths, 4))
    drawn = SampledPaths((w**2).sum(axis=1)[None, None], np.full((1, 1), (w.mean(axis=0) ** 2).sum()))
    products = w @ w.T
    bias = products[~np.eye(paths, dtype=bool)].mean()
    expected = bias + w.var(axis=0, ddof=1).sum() / np.array(VOTES)
    np.testing.assert_allclose(drawn.ensemble_risk(VOTES)[0, 0], expected)


def test_weights_of_the_least_of_n_are_the_mean_over_subsets():
    errors = np.array([0.3, 1.0, 2.0, 2.5, 7.0])
    for n in range(1, 6):
        exact = np.mean([min(subset) for subset in combinations(errors, n)])
        assert errors @ least_weights(5, n) == pytest.approx(exact)
        assert least_weights(5, n).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"eta": 1.0}, r"eigenvalue of XᵀX is \d+.*, not below 2 .* eta=1\)"),
        (
            {"noise": "linear", "noise_scale": "raw", "sigma": 3.0},
            r"variance 9 in 8 .*about 2/\(d\+2\) = 0.2 ",
        ),
        ({"noise": "linear", "noise_scale": "raw", "sigma": 1.0}, r"about 2/\(d\+2\)"),  # its mean does not
    ],
)
def test_divergence_of_any_task_is_refused_and_says_when(changes, limit):
    tasks, setting, steps = draw_tasks(small(), task_keys(1, 2), seed=8), small(**changes), (1, 400, 500)
    tasks = replace(tasks, x=tasks.x * [[[1.0]], [[0.01]]])  # with η = 1 the second task's paths stay
    for solve in (path_moments, lambda *given: sample_paths([given[:2]], 4, given[2])):
        with pytest.raises(BadInput, match=r"diverges by step 400: .*" + limit):
            solve(tasks, setting, steps)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 0}, "n=0"),
        ({"d": 1}, "d=1"),
        ({"d": 2237}, "more than"),  # squared
        ({"n": 700_000}, "more than"),
        ({"eta": float("nan")}, "eta=nan"),
        ({"eta": -0.1}, "eta=-0.1"),
        ({"eta": 0}, "eta=0"),
        ({"sigma": 1e51}, "sigma="),
        ({"omega": -1}, "omega=-1"),
        ({"noise_scale": "n"}, "noise_scale='n'"),
        ({"sigma_eps": float("inf")}, "sigma_eps=inf"),
        ({"noise": "cubic"}, "noise='cubic'"),
        ({"linear_sign": 0}, "linear_sign=0"),
        ({"decay": -1.0}, "decay=-1"),
        ({"step_rule": "n"}, "step_rule='n'"),
    ],
)
def test_senseless_settings_are_refused(changes, message):
    with pytest.raises(BadInput, match=message):
        small(**changes)


def gauss_hermite(d, variance):
    """Nodes (3^d, d) and weights (3^d,) for ξ ~ N(0, variance · I)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(3)
    grid = np.array(list(product(nodes, repeat=d))) * np.sqrt(variance)
    return grid, np.prod(np.array(list(product(weights / weights.sum(), repeat=d))), axis=1)


@pytest.fixture
def sum_of_both_laws(monkeypatch):
    """A user-defined law φ_ξ(w̃) = ξ ± ξξᵀw̃; the odd moments of ξ are 0, so the covariances add up."""

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
    """It is (1−2s+2s²)A + s² tr(A) I; the paper's tr(A)I + diag(A) loses the off-diagonal entries."""
    a = np.array([[2.0, 1.0, 0.5], [1.0, 1.0, -0.7], [0.5, -0.7, 3.0]])
    xi, weight = gauss_hermite(3, s)
    change = np.eye(3) - xi[:, :, None] * xi[:, None, :]
    ours = (1 - 2 * s + 2 * s**2) * a + s**2 * np.trace(a) * np.eye(3)
    np.testing.assert_allclose(np.einsum("q,qij,jk,qkl->il", weight, change, a, change), ours, atol=1e-12)


@pytest.mark.parametrize("decay", [None, 1.0])
@pytest.mark.parametrize(("noise", "sign"), [("constant", -1), ("linear", -1), ("linear", 1), ("both", -1)])
@pytest.mark.parametrize("noise_scale", ["raw", "eta", "eta2"])
@pytest.mark.usefixtures("sum_of_both_laws")
def test_moments_of_a_path(decay, noise, sign, noise_scale):
    settings = {"noise": noise, "noise_scale": noise_scale, "linear_sign": sign, "decay": decay}
    setting = small(n=2, d=3, eta=0.3, sigma_eps=0.5, sigma=0.8, step_rule="eta/n", **settings)
    tasks = draw_tasks(setting, task_keys(1, 2), seed=3)
    found = path_moments(tasks, setting, (1, 2, 6))
    metric = np.array([1.0, 1.0, 1.0]) if decay is None else np.array([1.0, 1 / 4, 1 / 9])
    for task in range(2):
        walk = moments_by_quadrature(tasks.x[task], tasks.y[task], setting)
        by_step = dict(zip(range(1, 7), walk, strict=False))
        for at, t in enumerate((1, 2, 6)):
            mean, second = by_step[t]
            assert found.bias[task, at] == pytest.approx(metric @ (mean - tasks.w_star[task]) ** 2, rel=1e-10)
            assert found.variance[task, at] == pytest.approx(metric @ np.diag(second - np.outer(mean, mean)))
            ensemble = found.ensemble_risk((1, 5))[task, at]
            assert ensemble == pytest.approx(found.bias[task, at] + found.variance[task, at] / [1, 5])

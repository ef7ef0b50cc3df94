"""Exact moments against simulation, closed forms against the literal transformer, and the paper's erratum."""

import numpy as np
import pytest

from results import BadInput
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import transformer_paths
from synthetic.continuous.sampler import SampledPaths, least_weights, sample_paths
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 7, 40)
VOTES = (1, 3, 10)


def small(**changes):
    given = {"n": 5, "d": 8, "eta": 0.02, "sigma_eps": 0.7, "sigma": 1.5}
    return ContinuousSetting(**{**given, **changes})


SETTINGS = [
    small(),
    small(noise="linear"),
    small(noise="linear", linear_sign=1),
    small(decay=1.0),
    small(noise="linear", decay=1.0),
    small(noise="linear", noise_scale="eta2", step_rule="eta/n", eta=0.1),
]


def walked(tasks, setting, paths, steps=STEPS):
    return sample_paths([(tasks, setting)], paths, steps)[0]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_sampler_and_literal_transformer_walk_the_same_paths(setting):
    tasks = draw_tasks(setting, task_keys(2, 1), seed=2)
    fast = walked(tasks, setting, 6)
    slow = transformer_paths(tasks, setting, 6, STEPS)
    np.testing.assert_allclose(fast.errors, slow.errors, rtol=1e-8)
    np.testing.assert_allclose(fast.mean_error, slow.mean_error, rtol=1e-8)


@pytest.mark.parametrize("paths", [2, 5])
def test_sampled_variance_is_that_between_paths(paths):
    """The bias is then the mean product of two different paths, which has no error of its own on average."""
    w = np.random.default_rng(10).standard_normal((paths, 4))
    drawn = SampledPaths((w**2).sum(axis=1)[None, None], np.full((1, 1), (w.mean(axis=0) ** 2).sum()))
    products = w @ w.T
    bias = products[~np.eye(paths, dtype=bool)].mean()
    expected = bias + w.var(axis=0, ddof=1).sum() / np.array(VOTES)
    np.testing.assert_allclose(drawn.ensemble_risk(VOTES)[0, 0], expected)


def test_weights_of_the_least_of_n_are_the_mean_over_subsets():
    from itertools import combinations

    errors = np.array([0.3, 1.0, 2.0, 2.5, 7.0])
    for n in range(1, 6):
        exact = np.mean([min(subset) for subset in combinations(errors, n)])
        assert errors @ least_weights(5, n) == pytest.approx(exact)
        assert least_weights(5, n).sum() == pytest.approx(1)


@pytest.mark.parametrize("s", [0.5, 1.0])
def test_erratum_second_moment_of_linear_noise(s):
    """It is (1−2s+2s²)A + s² tr(A) I; the paper's tr(A)I + diag(A) loses what is off the diagonal."""
    rng = np.random.default_rng(7)
    a = np.array([[2.0, 1.0, 0.5], [1.0, 1.0, -0.7], [0.5, -0.7, 3.0]])
    xi = np.sqrt(s) * rng.standard_normal((400_000, 3))
    left = a - xi[:, :, None] * (xi @ a)[:, None, :]
    drawn = left - np.einsum("pij,pj,pk->pik", left, xi, xi)
    stderr = drawn.std(axis=0) / np.sqrt(len(xi))
    ours = (1 - 2 * s + 2 * s**2) * a + s**2 * np.trace(a) * np.eye(3)
    assert np.all(abs(drawn.mean(axis=0) - ours) < 4.5 * stderr)
    paper = np.trace(a) * np.eye(3) + np.diag(np.diag(a))
    assert abs(drawn.mean(axis=0) - paper).max() > 20 * stderr.max()


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"eta": 1.0}, r"not below 2 "),
        ({"noise": "linear", "noise_scale": "raw", "sigma": 3.0}, r"about 2/\(d\+2\)"),
        ({"noise": "linear", "noise_scale": "raw", "sigma": 1.0}, r"about 2/\(d\+2\)"),  # its mean does not
    ],
)
def test_divergence_is_refused_and_says_when(changes, limit):
    tasks, setting = draw_tasks(small(), task_keys(1, 1), seed=8), small(**changes)
    for solve in (
        lambda: path_moments(tasks, setting, (400,)),
        lambda: walked(tasks, setting, 4, (400,)),
    ):
        with pytest.raises(BadInput, match=r"diverges by step 400: .* " + limit):
            solve()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 0}, "n=0"),
        ({"d": 1}, "d=1"),
        ({"d": 10**6}, "more than"),
        ({"eta": float("nan")}, "eta=nan"),
        ({"eta": -0.1}, "eta=-0.1"),
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

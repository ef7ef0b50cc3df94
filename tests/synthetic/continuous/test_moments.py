"""Exact moments against simulation and the sampler against the literal transformer."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from results import BadInput
from synthetic.continuous.descent import SampledPaths, least_weights, sample_paths
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import transformer_paths
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


@pytest.mark.parametrize("settings", [SAME_EXAMPLES, SAME_EXAMPLES[1:2] + OTHERS], ids=["same", "others"])
def test_sampler_and_literal_transformer_walk_the_same_paths(settings):
    """Settings of the same examples walk together, those of others apart."""
    lines = [(draw_tasks(setting, task_keys(2, 1), seed=2), setting) for setting in settings]
    for line, fast in zip(lines, sample_paths(lines, 6, STEPS), strict=True):
        slow = transformer_paths(*line, 6, STEPS)
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

"""Best-of-N under constant noise: the generalised χ² integral against SciPy, closed forms and simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from synthetic.continuous.descent import sample_paths
from synthetic.continuous.least_error import best_of_n_risk, distribution, least_of_n
from synthetic.continuous.moments import path_moments
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys


@pytest.mark.parametrize("degrees", [3, 10, 72])
def test_distribution_of_equal_scales_is_the_noncentral_chi_square(degrees):
    offsets = np.linspace(-1, 2, degrees)
    x = np.linspace(0.5, 3 * (degrees + (offsets**2).sum()), 40)
    expected = stats.ncx2.cdf(x / 0.7, degrees, (offsets**2).sum() / 0.7)
    high = 0.7 * stats.ncx2.isf(1e-16, degrees, (offsets**2).sum() / 0.7)
    found = distribution(np.full(degrees, 0.7), offsets, x, max(high, x[-1]))
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("n", [1, 4, 64])
def test_least_of_n_equals_the_integral_of_the_chi_square_tail(n):
    expected = integrate.quad(lambda x: stats.chi2.sf(x, 12) ** n, 0, 120, limit=400)[0]
    assert least_of_n(np.ones(12), np.zeros(12), (n,))[0] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("far", [1, 100])
def test_least_of_one_is_the_mean(far):
    """This includes a distribution with almost no mass near 0, where the integral starts higher."""
    scales, offsets = np.array([2.0, 0.5, 0.1, 1.0, 3.0]), far * np.array([0.0, 1.0, -2.0, 0.3, 4.0])
    found = least_of_n(scales, offsets, (1,))[0]
    assert found == pytest.approx((scales + offsets**2).sum(), rel=1e-7)


def test_directions_without_noise_add_their_error():
    noisy = least_of_n(np.array([1.0, 2.0, 1.5, 1.0, 3.0]), np.arange(5.0), (3,))[0]
    both = least_of_n(np.array([1.0, 2.0, 1.5, 1.0, 3.0, 0.0]), np.array([0.0, 1, 2, 3, 4, 1e3]), (3,))[0]
    assert both - 1e6 == pytest.approx(noisy)
    assert least_of_n(np.zeros(2), np.array([1.0, 2.0]), (1, 8)).tolist() == [5, 5]


@pytest.mark.parametrize("decay", [None, 1.0])
def test_exact_best_of_n_agrees_with_sampled_paths(decay):
    setting = ContinuousSetting(n=6, d=10, eta=0.02, sigma_eps=0.5, sigma=1.0, decay=decay)
    tasks = draw_tasks(setting, task_keys(1, 3), seed=2)
    votes = (1, 2, 8, 32)
    exact = best_of_n_risk(path_moments(tasks, setting, (5, 40)), votes)
    blocks = 400
    errors = sample_paths([(tasks, setting)], blocks * 32, (5, 40))[0].errors.reshape(3, 2, blocks, 32)
    for column, n in enumerate(votes):
        least = errors[..., :n].min(axis=3)
        stderr = least.std(axis=2) / np.sqrt(blocks)
        assert np.all(abs(exact[..., column] - least.mean(axis=2)) < 4.5 * stderr)


def test_least_of_n_agrees_with_simulation_for_unequal_scales():
    rng = np.random.default_rng(0)
    scales, offsets = np.array([4.0, 1.0, 0.25, 0.01, 2.0, 0.5]), np.array([1.0, -2.0, 0.5, 3.0, 0.0, 1.0])
    draws = ((np.sqrt(scales) * rng.standard_normal((60_000, 16, 6)) + offsets) ** 2).sum(axis=2)
    for n in (2, 16):
        least = draws[:, :n].min(axis=1)
        found = least_of_n(scales, offsets, (n,))[0]
        assert abs(found - least.mean()) < 4 * least.std() / np.sqrt(len(least))

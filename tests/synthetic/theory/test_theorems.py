"""Errata of the theorems, each shown by a number, and what the one on many examples promises."""

import numpy as np
import pytest

from synthetic.binary.chain import law_of_paths
from synthetic.binary.greedy import greedy_correct
from synthetic.continuous.moments import path_moments
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import covariance_eigenvalues, draw_tasks, task_keys
from synthetic.theory import theorems as theory


def test_erratum_steps_needed_with_few_examples():
    """ζ > 0 makes log(1 − ζ) < 0, so the paper's 2 log 2 / log(1 − ζ) is negative."""
    setting = BinarySetting(n=1, d=5, eta=1.0, sigma_eps=0.0)
    tasks = draw_tasks(setting, task_keys(1, 60), seed=3)
    checked = 0
    for task in range(len(tasks)):
        zeta = min(_reach_in_two(tasks.x[task], tasks.w_star[task]))
        if zeta < 1e-3:
            continue
        assert 2 * np.log(2) / np.log(1 - zeta) < 0
        # P(w_t = w*) > 1/2 once t = 2q+1 with q > log 2 / −log(1 − ζ), as the proof counts
        t = int(np.ceil(2 * np.log(2) / -np.log1p(-zeta))) + 3
        one = draw_tasks(setting, [tasks.keys[task]], seed=3)
        assert law_of_paths(one, setting, (t,)).correct[0, 0] > 0.5
        checked += 1
    assert checked > 20


def _reach_in_two(x, w_star):
    """P(w_{t+2} = w* | w_t = w) for every w, from the definition (n = k = 1, step 1)."""
    d = len(w_star)
    matrix = np.zeros((d, d))
    for start in range(d):
        w = np.eye(d)[start]
        scores = np.maximum(w - x[0] * (x[0] @ w - x[0] @ w_star), 0)
        matrix[start] = scores / scores.sum() if scores.any() else 1 / d
    return (matrix @ matrix)[:, int(w_star.argmax())]


@pytest.mark.parametrize(("n", "k", "d", "sigma_eps"), [(1500, 1, 5, 0.05), (25_000, 2, 5, 0.1)])
def test_with_enough_examples_the_gap_is_positive_and_greedy_is_right(n, k, d, sigma_eps):
    """The theorem on sufficient examples, from n = (6k + 3σ_ε)⁴ on."""
    assert n >= (6 * k + 3 * sigma_eps) ** 4
    setting, steps = BinarySetting(n=n, d=d, k=k, eta=1 / n, sigma_eps=sigma_eps), (2, 5, 40)
    tasks = draw_tasks(setting, task_keys(1, 4), seed=1)
    assert (law_of_paths(tasks, setting, steps).gap > 0).all()
    assert (greedy_correct(tasks, setting, steps) == 1).all()


def test_erratum_bernstein_inequalities_are_reversed():
    """P{|B_il| ≤ n^{3/4}} is near 1, not small, as the appendix's inequality (≤ inside P) would have it."""
    rng = np.random.default_rng(4)
    n = 400
    x = rng.standard_normal((2000, n, 2))
    products = abs((x[:, :, 0] * x[:, :, 1]).sum(axis=1))
    assert (products <= n**0.75).mean() > 0.99
    assert (products >= n**0.75).mean() < 0.01


def test_erratum_constant_noise_theorem_lacks_the_label_noise():
    """Without the prior (ω = 0) the theorem's bound tends to 0 as N → ∞; the risk does not."""
    setting = ContinuousSetting(
        n=60, d=40, eta=0.5, sigma_eps=1, sigma=0.1, omega=0, step_rule="eta/n", decay=1.0
    )
    tasks = draw_tasks(setting, task_keys(1, 20), seed=5)
    limit = path_moments(tasks, setting, (100,)).bias.mean() / 2
    eigenvalues = covariance_eigenvalues(setting)
    bound = theory.constant_noise_bound(eigenvalues, 60, 0.5, 100, 0, 1, setting.noise_variance)
    as_printed = bound.bias + bound.sampling / 10**9
    assert as_printed < 1e-6 < limit
    assert limit < bound.total(votes=10**9)

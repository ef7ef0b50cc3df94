"""Each bound holds where the paper says it does, against exact values; each erratum is shown."""

import numpy as np
import pytest

from results.votes.multinomial import vote_accuracy, vote_limit
from synthetic.binary.chain import all_supports, law_of_paths
from synthetic.binary.greedy import greedy_correct
from synthetic.continuous.moments import gradient_descent_risk, path_moments, spectrum
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import covariance_eigenvalues, draw_tasks, task_keys
from synthetic.theory import theorems as theory


def test_hoeffding_bound_is_below_the_exact_vote():
    setting = BinarySetting(n=5, d=10, eta=1 / 5, sigma_eps=0.1)
    law = law_of_paths(draw_tasks(setting, task_keys(1, 40), seed=0), setting, (2, 8, 50))
    votes = (1, 8, 64, 256, 1024)
    rows = law.probabilities.reshape(-1, setting.supports)
    exact = vote_accuracy(rows, np.repeat(law.gold, 3), votes)
    bound = theory.vote_lower_bound(law.gap.reshape(-1, 1), np.array(votes), setting.supports)
    assert np.all(exact >= bound - 1e-12)
    assert bound.max() > 0.99  # it says something


@pytest.mark.parametrize(
    ("n", "k", "d", "sigma_eps"), [(1500, 1, 5, 0.05), (2000, 1, 20, 0.1), (25_000, 2, 5, 0.1)]
)
def test_gap_is_above_its_lower_bound_with_enough_examples(n, k, d, sigma_eps):
    assert n >= theory.examples_needed(k, sigma_eps)
    setting = BinarySetting(n=n, d=d, k=k, eta=1 / n, sigma_eps=sigma_eps)
    steps = (1, 2, 3, 5, 10, 40)
    tasks = draw_tasks(setting, task_keys(1, 4), seed=1)
    gap = law_of_paths(tasks, setting, steps).gap
    bound = [theory.gap_lower_bound(n, k, d, sigma_eps, t) for t in steps]
    assert np.all(gap >= bound)
    assert np.all(greedy_correct(tasks, setting, steps) == 1)


def test_limited_examples_bounds_hold():
    for d in (4, 10):
        setting = BinarySetting(n=1, d=d, eta=1.0, sigma_eps=0.0)
        tasks = draw_tasks(setting, task_keys(1, 400), seed=2)
        greedy = greedy_correct(tasks, setting, (1, 2, 7, 100))
        slack = 3 * 0.5 / np.sqrt(400)
        assert np.all(greedy.mean(axis=0) <= theory.limited_greedy_bound(d) + slack)
        law = law_of_paths(tasks, setting, (2000,))
        won = vote_limit(law.probabilities[:, 0], law.gold).mean()
        assert won >= theory.limited_vote_bound(d) - slack


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
        t = int(np.ceil(theory.limited_vote_steps(zeta))) + 3
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
    limit = path_moments(spectrum(tasks, setting), setting, (100,)).bias.mean() / 2
    eigenvalues = covariance_eigenvalues(setting)
    bound = theory.constant_noise_bound(eigenvalues, 60, 0.5, 100, 0, 1, setting.noise_variance)
    as_printed = bound.bias + bound.sampling / 10**9
    assert as_printed < 1e-6 < limit
    assert limit < bound.total(votes=10**9)


def test_gradient_descent_bound_has_the_order_of_the_exact_risk():
    ratios = []
    for n in (50, 100, 200):
        setting = ContinuousSetting(n=n, d=100, eta=0.5, sigma_eps=1, sigma=0, step_rule="eta/n", decay=1.0)
        tasks = draw_tasks(setting, task_keys(1, 30), seed=6)
        view, steps = spectrum(tasks, setting), (20, 100, 500)
        risk = gradient_descent_risk(view, setting, steps).mean(axis=0) / 2
        eigenvalues = covariance_eigenvalues(setting)
        bounds = [theory.gradient_descent_bound(eigenvalues, n, 0.5, t, 1, 1).total() for t in steps]
        rates = [theory.polynomial_rate(1.0, n, 0.5, t, 1, 1).total() for t in steps]
        ratios += [theory.hidden_factor(risk, bounds), theory.hidden_factor(risk, rates)]
    lowest, highest = min(low for low, _ in ratios), max(high for _, high in ratios)
    assert lowest > 0.05
    assert highest < 1.5


def test_linear_noise_bound_has_the_order_of_the_exact_risk():
    d, n, eta = 80, 40, 0.5
    setting = ContinuousSetting(
        n=n,
        d=d,
        eta=eta,
        sigma_eps=1,
        sigma=d**-0.5,
        noise="linear",
        noise_scale="raw",
        step_rule="eta/n",
        decay=1.0,
    )
    tasks = draw_tasks(setting, task_keys(1, 10), seed=7)
    steps = (80, 200, 800)
    moments = path_moments(spectrum(tasks, setting), setting, steps)
    eigenvalues = covariance_eigenvalues(setting)
    for votes in (1, 64, 4096):
        risk = moments.ensemble_risk((votes,))[..., 0].mean(axis=0) / 2
        bounds = [theory.linear_noise_bound(eigenvalues, n, eta, t, 1, 1, 1 / d).total(votes) for t in steps]
        assert theory.hidden_factor(risk, bounds)[1] < 0.5


def test_supports_counted_by_the_vote_bound_are_all_answers():
    setting = BinarySetting(n=3, d=7, k=3, eta=1.0, sigma_eps=0)
    assert len(all_supports(7, 3)) == setting.supports == 35

"""Errata of the paper, each demonstrated numerically."""

from dataclasses import replace

import numpy as np
import pytest

from synthetic.binary.chain import law_of_paths, transitions
from synthetic.binary.paths import greedy_correct
from synthetic.continuous.moments import path_moments
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import covariance_eigenvalues, draw_tasks, task_keys
from synthetic.theory import theorems as theory


def linear(n: int, d: int, eta: float, s: float, sigma_eps: float, **others: float) -> ContinuousSetting:
    """Algorithm 1 with linear noise of variance s and steps of η/n."""
    law = {"noise": "linear", "noise_scale": "raw", "step_rule": "eta/n"}
    return ContinuousSetting(n=n, d=d, eta=eta, sigma_eps=sigma_eps, sigma=s**0.5, **law, **others)


def test_erratum_fluctuation_lemma_loses_a_factor_d():
    """The lemma bounds one path's fluctuation by the order of ω² = 1; it grows with E‖w*‖² = ω²d."""
    found = []
    for d in (20, 40, 80):
        setting = linear(2 * d, d, 0.5 / d, 0.5 / (d + 1), sigma_eps=0.0)
        tasks = draw_tasks(setting, task_keys(1, 20), seed=0)
        found.append(path_moments(tasks, setting, (20 * d,)).variance.mean())
    assert found[2] > max(2, 1.5 * found[1]) > 1.5 * 1.5 * found[0]


@pytest.mark.parametrize(("unit", "holds"), [(1.0, True), (1e-3, False)])
def test_erratum_the_fluctuation_lemma_changes_with_the_unit_of_the_covariates(unit, holds):
    """Its proof has η Tr(Σ)/n where its own z is ηλ: a lost factor η, harmless only while η < 1.

    Rescaling x, with a matching η, leaves the path and its risk unchanged, but not the bound.
    """
    n, d, s = 40, 20, 0.5 / 21
    eta = 2e-5 / unit**2  # far below 1 / Tr H = 1 / (d unit²)
    setting = linear(n, d, eta, s, sigma_eps=1.0, omega=0.0)
    tasks = draw_tasks(setting, task_keys(1, 20), seed=0)
    tasks = replace(tasks, x=unit * tasks.x)
    measured = unit**2 * path_moments(tasks, setting, (2000,)).variance.mean()
    trace, norm = d * unit**2, unit**2
    bound = eta * d * trace * norm / (n * s)
    assert (measured < bound) == holds
    assert 0.5 < measured / (eta * bound) < 1


def test_erratum_the_fluctuation_proof_starts_from_another_path():
    """It shrinks w_t + η Xᵀy/n; Algorithm 1 after a step of descent, as in the lemma before it, w_t alone."""
    s = 0.1
    setting = linear(3, 4, 0.3, s, sigma_eps=0.5)
    tasks = draw_tasks(setting, task_keys(1, 1), seed=1)
    mean = path_moments(tasks, setting, (2,)).error[0, 0] + tasks.w_star[0]
    push, shrink = setting.step * tasks.correlation[0], np.eye(4) - setting.step * tasks.gram[0]
    own, proof = np.zeros(4), np.zeros(4)
    for _ in range(2):
        own, proof = (1 - s) * (shrink @ own + push), (1 - s) * shrink @ (proof + push)
    np.testing.assert_allclose(mean, own, atol=1e-12)
    assert abs(mean - proof).max() > 0.05


def test_erratum_the_theorems_for_continuous_coefficients_need_a_smaller_step():
    """They require η ≤ 1/‖H‖, their lemmas η ≲ 1/Tr H. With H = I and d = 2n the former diverges."""
    n, d = 36, 72
    setting = ContinuousSetting(n=n, d=d, eta=1.0, sigma_eps=1.0, sigma=0.0, step_rule="eta/n")
    tasks = draw_tasks(setting, task_keys(1, 20), seed=0)
    eigenvalues = covariance_eigenvalues(setting)
    for eta, t, holds in ((1.0, 8, False), (1 / d, 8 * d, True)):
        risk = path_moments(tasks, replace(setting, eta=eta), (t,)).bias[:, 0] / 2
        bound = theory.gradient_descent_bound(eigenvalues, n, eta, t, 1.0, 1.0).total()
        assert (risk.max() < bound) == holds
        assert holds or risk.min() > 1000 * bound


@pytest.mark.parametrize("sign", [-1, 1])
def test_erratum_the_linear_example_has_the_wrong_sign(sign):
    """The proofs need E[w + φ_ξ(w)] = (1 − σ²) w; Example 2, φ = ξξᵀw, has 1 + σ²."""
    setting = ContinuousSetting(
        n=3, d=4, eta=0.1, sigma_eps=0, sigma=0.5, noise="linear", noise_scale="raw", linear_sign=sign
    )
    tasks = draw_tasks(setting, task_keys(1, 1), seed=1)
    mean = path_moments(tasks, setting, (1,)).error[0, 0] + tasks.w_star[0]
    np.testing.assert_allclose(mean, (1 + sign * 0.25) * setting.step * tasks.correlation[0], atol=1e-12)


def test_erratum_the_theorem_on_limited_examples_needs_many_paths():
    """It says N ≥ 1. From its t on a path is right more often than not, but less often than 1 − 2^(1−d)."""
    setting = BinarySetting(n=1, d=5, eta=1.0, sigma_eps=0.0)
    tasks = draw_tasks(setting, task_keys(1, 200), seed=3)
    law = law_of_paths(tasks, setting, (6,))
    likely = law.correct[:, 0] > 0.5
    assert likely.sum() > 50
    assert law.correct[likely, 0].mean() < 1 - 2**-4


@pytest.mark.parametrize(("eta", "r"), [(2.0, 1.0), (0.1, 1.0), (0.5, 2.0)])
def test_erratum_the_longest_path_of_the_rate_divides_by_eta(eta, r):
    """The proof needs n (r+1) (ηt)^(−1−1/(r+1)) ≥ (ηt)^(−r/(r+1)): t ≤ ((r+1)n)^((r+1)/2) / η, not · η."""
    n, power = 50, (50 * (r + 1)) ** ((r + 1) / 2)
    below, above, printed = (
        n * (r + 1) * x ** (-1 - 1 / (r + 1)) - x ** (-r / (r + 1))
        for x in (0.999 * power, 1.001 * power, eta**2 * power)  # ηt
    )
    assert below > 0 > above
    assert (printed > 0) == (eta < 1)  # the printed bound is too strict or too lax


def test_erratum_the_error_decomposition_holds_on_average_only():
    """The lemma claims ‖bias + variance‖² ≤ ‖bias‖² + ‖variance‖² for every task."""
    setting = ContinuousSetting(n=10, d=6, eta=0.05, sigma_eps=1.0, sigma=0.0)
    tasks = draw_tasks(setting, task_keys(1, 400), seed=4)
    noise = tasks.y - np.einsum("bnd,bd->bn", tasks.x, tasks.w_star)
    shrink = np.eye(6) - setting.step * tasks.gram
    bias, variance = -tasks.w_star[..., None], np.zeros((400, 6, 1))
    for _ in range(8):
        bias = shrink @ bias
        variance = shrink @ variance + setting.step * np.swapaxes(tasks.x, 1, 2) @ noise[..., None]
    cross = 2 * (bias * variance).sum(axis=(1, 2))
    assert 0.3 < (cross > 0).mean() < 0.7
    assert abs(cross.mean()) < 4 * cross.std() / np.sqrt(len(cross))


def test_erratum_the_proof_of_the_lemma_on_g_drops_a_factor():
    """Its bound on the numerator, (c + x)(1 − ηx/n)^t ≤ (c + n/η)/t, fails at x = 0 from t = 1/σ² on.

    The lemma needs it only times (1 − σ²)^t, a factor of f that the proof drops; with it the bound holds.
    """
    d = 72
    s, t = 1 / d, 20 * d
    x = np.linspace(0, 1, 10_001)  # in units of n/η
    c = s / (1 - s)
    numerator, bound = (c + x) * (1 - x) ** t, (c + 1) / t
    assert numerator[0] == pytest.approx(0.0141, abs=5e-5)
    assert bound == pytest.approx(0.0007, abs=5e-5)
    assert ((1 - s) ** t * numerator <= bound).all()
    shrunk = (1 - s) ** t * (1 - x) ** t
    assert ((c + x) * shrunk / (1 - shrunk) <= 2 * bound).all()


def test_erratum_steps_needed_with_few_examples():
    """ζ > 0 makes log(1 − ζ) < 0, so the paper's 2 log 2 / log(1 − ζ) is negative."""
    setting = BinarySetting(n=1, d=5, eta=1.0, sigma_eps=0.0)
    tasks = draw_tasks(setting, task_keys(1, 60), seed=3)
    chain = transitions(tasks, setting)
    checked = 0
    for task in range(len(tasks)):
        reached = _reach_in_two(tasks.x[task], tasks.w_star[task])
        by_chain = (chain[task] @ chain[task])[:, tasks.w_star[task].argmax()]
        np.testing.assert_allclose(by_chain, reached, atol=1e-12)
        zeta = min(reached)
        if zeta < 1e-3:
            continue
        assert 2 * np.log(2) / np.log(1 - zeta) < 0
        # P(w_t = w*) > 1/2 once t = 2q+1 with q > log 2 / −log(1 − ζ), in the counting of the proof
        t = int(np.ceil(2 * np.log(2) / -np.log1p(-zeta))) + 3
        one = draw_tasks(setting, [tasks.keys[task]], seed=3)
        assert law_of_paths(one, setting, (t,)).correct[0, 0] > 0.5
        checked += 1
    assert checked > 20


def _reach_in_two(x, w_star):
    """P(w_{t+2} = w* | w_t = w) for every w, from the definition (n = k = 1, step 1)."""
    scores = np.maximum(np.eye(len(w_star)) - np.outer(x[0] - x[0] @ w_star, x[0]), 0)
    scores[~scores.any(axis=1)] = 1
    matrix = scores / scores.sum(axis=1, keepdims=True)
    return (matrix @ matrix)[:, int(w_star.argmax())]


def test_erratum_bernstein_inequalities_are_reversed():
    """P{|B_il| ≤ n^{3/4}} is near 1, not small as the appendix's inequality (with ≤ inside P) claims."""
    x = np.random.default_rng(4).standard_normal((2, 2000, 400))
    assert (abs((x[0] * x[1]).sum(axis=1)) <= 400**0.75).mean() > 0.99


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


def _g(gram, ridge, shrink, t):
    """The proof's G = (ridge I + A)(I − shrink^t (I − A/scale)^t)^−1 verbatim, with A = XXᵀ."""
    scale = ridge * shrink / (1 - shrink)  # n/η
    one = np.eye(len(gram))
    power = np.linalg.matrix_power(shrink * (one - gram / scale), t)
    return (ridge * one + gram) @ np.linalg.inv(one - power)


@pytest.mark.parametrize("n", [6, 30])  # fewer and more examples than coordinates
def test_g_makes_the_mean_path_a_ridge_regression_and_lies_between_its_bounds(n):
    """E w_t = Xᵀ G⁻¹ y (error decomposition), and the lemma on G from t = log 2/σ² on."""
    d, eta, s = 12, 0.05, 1 / 12
    setting = linear(n, d, eta, s, sigma_eps=0.5)
    tasks = draw_tasks(setting, task_keys(1, 3), seed=5)
    steps = (int(np.ceil(np.log(2) / s)), 40, 400)
    bias = path_moments(tasks, setting, steps).bias
    for task in range(3):
        gram, ridge = tasks.x[task] @ tasks.x[task].T, s * n / ((1 - s) * eta)
        for at, t in enumerate(steps):
            g = _g(gram, ridge, 1 - s, t)
            mean = tasks.x[task].T @ np.linalg.solve(g, tasks.y[task])
            assert bias[task, at] == pytest.approx(((mean - tasks.w_star[task]) ** 2).sum(), rel=1e-9)
            most = n / eta * (2 / t + s / (1 - s) * (1 + 2 / t))
            above, below = g - gram - ridge * np.eye(n), most * np.eye(n) + gram - g
            for slack in (above, below):
                assert np.linalg.eigvalsh((slack + slack.T) / 2).min() > -1e-9 * most


@pytest.mark.parametrize(("n", "k", "d", "sigma_eps"), [(1500, 1, 5, 0.05), (25_000, 2, 5, 0.1)])
def test_with_enough_examples_the_gap_is_positive_and_greedy_is_right(n, k, d, sigma_eps):
    """The theorem on sufficient examples, from n = (6k + 3σ_ε)⁴ on."""
    assert n >= (6 * k + 3 * sigma_eps) ** 4
    setting, steps = BinarySetting(n=n, d=d, k=k, eta=1 / n, sigma_eps=sigma_eps), (2, 5, 40)
    tasks = draw_tasks(setting, task_keys(1, 4), seed=1)
    assert (law_of_paths(tasks, setting, steps).gap > 0).all()
    assert (greedy_correct(tasks, setting, steps) == 1).all()

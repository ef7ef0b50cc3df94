"""Each bound against an independent plain-Python version of the paper's formula, term by term.

The inputs are deliberately generic, so that no term hides behind another.
"""

from math import exp, log, sqrt

import numpy as np
import pytest

from results import BadInput
from synthetic.theory import theorems

N, ETA, T, OMEGA, SIGMA_EPS = 7, 0.4, 5, 1.7, 0.6
SPECTRA = [[1.0, 0.25, 1 / 9, 1 / 16], [3.0, 1.0, 0.5, 0.01, 0.001], [0.5, 0.5, 0.5]]


def ridge(eigenvalues, ridge, n=N):
    """(prior term over ω², noise term over σ_ε²): k* = min{k : n λ_{k+1} ≤ ridge + Σ_{i>k} λ_i}."""
    d = len(eigenvalues)
    for k in range(d + 1):
        tail = sum(eigenvalues[i] for i in range(k, d))
        if k == d or n * eigenvalues[k] <= ridge + tail:
            break
    effective = ridge + tail
    prior = effective * effective / (n * n) * sum(1 / eigenvalues[i] for i in range(k)) + tail
    return prior, k / n + n / (effective * effective) * sum(eigenvalues[i] ** 2 for i in range(k, d))


@pytest.mark.parametrize("eigenvalues", SPECTRA, ids=str)
@pytest.mark.parametrize("t", [1, 5, 400])
def test_gradient_descent(eigenvalues, t):
    prior, noise = ridge(eigenvalues, N / (ETA * t))
    found = theorems.gradient_descent_bound(np.array(eigenvalues), N, ETA, t, OMEGA, SIGMA_EPS)
    assert found.bias == pytest.approx(OMEGA**2 * prior)
    assert found.variance == pytest.approx(SIGMA_EPS**2 * noise)
    assert found.sampling == 0


@pytest.mark.parametrize("eigenvalues", SPECTRA, ids=str)
@pytest.mark.parametrize("n", [3, 7, 2000])
def test_constant_noise(eigenvalues, n):
    """ϑ = σ² d (t √(max(r(H), log n)/n) + 1/η), r(H) = tr H / ‖H‖."""
    prior, noise = ridge(eigenvalues, n / (ETA * T), n)
    rank = max(sum(eigenvalues) / eigenvalues[0], log(n))
    sampling = 0.3 * len(eigenvalues) * (T * sqrt(rank / n) + 1 / ETA)
    found = theorems.constant_noise_bound(np.array(eigenvalues), n, ETA, T, OMEGA, SIGMA_EPS, 0.3)
    assert found.total(9) == pytest.approx(OMEGA**2 * prior + SIGMA_EPS**2 * noise + sampling / 9)


@pytest.mark.parametrize("eigenvalues", SPECTRA, ids=str)
def test_linear_noise(eigenvalues):
    """ς = (η σ_ε² d tr(H) / (n σ²) + ω²) ‖H‖."""
    s = 0.2
    prior, _ = ridge(eigenvalues, N / ETA * (2 / T + s / (1 - s) * (1 + 2 / T)))
    _, noise = ridge(eigenvalues, s * N / ((1 - s) * ETA))
    trace, d = sum(eigenvalues), len(eigenvalues)
    sampling = (ETA * SIGMA_EPS**2 * d / (N * s) * trace + OMEGA**2) * eigenvalues[0]
    found = theorems.linear_noise_bound(np.array(eigenvalues), N, ETA, T, OMEGA, SIGMA_EPS, s)
    assert found.bias == pytest.approx(OMEGA**2 * prior)
    assert found.variance == pytest.approx(SIGMA_EPS**2 * noise)
    assert found.sampling == pytest.approx(sampling)


@pytest.mark.parametrize("r", [1.0, 3.0])
def test_polynomial_rate(r):
    found = theorems.polynomial_rate(r, N, ETA, T, OMEGA, SIGMA_EPS)
    assert found.bias == pytest.approx(OMEGA**2 * (1 / (T * ETA)) ** (r / (r + 1)))
    assert found.variance == pytest.approx(SIGMA_EPS**2 / N * (T * ETA) ** (1 / (r + 1)))


@pytest.mark.parametrize("n", [40_000, 90_000])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("t", [1, 2, 9])
def test_gap_with_enough_examples(n, k, t):
    d, root = 6, n**0.25
    reach = (1 - (2 * k + SIGMA_EPS) / (root - (2 * k + SIGMA_EPS))) / d**k
    stay = (1 - SIGMA_EPS / (root - SIGMA_EPS)) * (
        (root - SIGMA_EPS) / (root - SIGMA_EPS + d * SIGMA_EPS)
    ) ** k
    expected = reach / (reach + 1 - stay) * (1 - (stay - reach) ** (t - 1))
    assert theorems.transition_bounds(n, k, d, SIGMA_EPS) == pytest.approx((reach, stay))
    assert theorems.gap_lower_bound(n, k, d, SIGMA_EPS, t) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("n", "t", "named"), [(4, 8, "n=4"), (3_700, 8, "n=3700"), (40_000, 0, "t=0")])
def test_the_gap_bound_is_refused_where_the_theorem_says_nothing(n, t, named):
    """It used to give 0.01 or more at n = 4. With σ_ε = 0.6 and k = 1 it requires n ≥ 7.8⁴ = 3,701.5."""
    with pytest.raises(BadInput, match=f"^{named}:"):
        theorems.gap_lower_bound(n, 1, 6, SIGMA_EPS, t)


def test_the_bound_on_the_vote():
    assert theorems.vote_lower_bound(0.2, 256, 10) == pytest.approx(1 - 10 * exp(-256 * 0.04 / 2))
    np.testing.assert_array_equal(theorems.vote_lower_bound(np.array([-0.5, 0.0, 0.1]), 4096, 1)[:2], 0)
    assert theorems.vote_lower_bound(0.1, 10, 100) == 0  # 1 − 100 e^(−0.05) < 0 is no bound

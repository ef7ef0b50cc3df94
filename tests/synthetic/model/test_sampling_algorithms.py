"""Algorithms 1 and 2 on cases small enough to work out by hand."""

import numpy as np
import pytest

from synthetic.model.sampling_algorithms import constant_noise, linear_noise, sample_support


def test_sample_support_draws_without_replacement_in_proportion():
    rng = np.random.default_rng(0)
    draws = 20_000
    scores = np.array([0.5, -1.0, 0.3, 0.2])
    counts = sum(sample_support(scores, uniforms) for uniforms in rng.random((draws, 2)))
    # P(i is drawn) = p_i + Σ_{j≠i} p_j p_i / (1 − p_j)
    p = np.array([0.5, 0, 0.3, 0.2])
    expected = [p[i] + sum(p[j] * p[i] / (1 - p[j]) for j in range(4) if j != i) for i in range(4)]
    np.testing.assert_allclose(counts / draws, expected, atol=4 * 0.5 / np.sqrt(draws))


def test_sample_support_completes_a_short_draw_uniformly():
    rng = np.random.default_rng(1)
    scores = np.array([-1.0, 2.0, -3.0, -1.0])
    draws = np.array([sample_support(scores, uniforms) for uniforms in rng.random((9000, 2))])
    assert draws[:, 1].all()
    np.testing.assert_allclose(draws.mean(axis=0)[[0, 2, 3]], 1 / 3, atol=4 * 0.5 / np.sqrt(9000))


@pytest.mark.parametrize("sign", [-1, 1])
def test_noise_is_what_algorithm_1_adds(sign):
    w, xi = np.array([1.0, -2.0]), np.array([0.5, 2.0])
    np.testing.assert_array_equal(constant_noise(w, xi), [1.5, 0.0])
    # ξᵀw = −3.5
    np.testing.assert_array_equal(linear_noise(w, xi, sign), [1 + sign * -1.75, -2 + sign * -7])

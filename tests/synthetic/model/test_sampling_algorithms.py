"""Algorithms 1 and 2 on cases small enough to work out by hand."""

import numpy as np
import pytest

from synthetic.binary.sampler import draw_supports
from synthetic.model.noise import constant_noise, linear_noise
from synthetic.model.reasoning_loop import sample_support


@pytest.mark.parametrize(
    ("scores", "uniforms", "support"),
    [
        # sums .5 .5 .8 1, where .5 just passes the first; then .5 .5 .5 .7, of which .9 is .63
        ([0.5, -1.0, 0.3, 0.2], [0.5, 0.9], [0, 0, 1, 1]),
        # after the only positive entry the other three share the rest: 1 1 2 3, of which .4 is 1.2
        ([-1.0, 2.0, -3.0, -1.0], [0.3, 0.4], [0, 1, 1, 0]),
    ],
)
def test_coordinates_are_drawn_one_after_the_other_without_replacement(scores, uniforms, support):
    assert sample_support(np.array(scores), np.array(uniforms)).tolist() == support
    assert draw_supports(np.array([scores]), np.array([uniforms])).tolist() == [support]


@pytest.mark.parametrize("sign", [-1, 1])
def test_noise_is_what_algorithm_1_adds(sign):
    w, xi = np.array([1.0, -2.0]), np.array([0.5, 2.0])
    np.testing.assert_array_equal(constant_noise(w, xi), [1.5, 0.0])
    # ξᵀw = −3.5
    np.testing.assert_array_equal(linear_noise(w, xi, sign), [1 + sign * -1.75, -2 + sign * -7])

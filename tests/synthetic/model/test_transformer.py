"""The literal transformer with the paper's matrices satisfies Proposition 1; Algorithms 1 and 2 by hand."""

from itertools import islice

import numpy as np
import pytest

from synthetic.binary.paths import draw_supports
from synthetic.model import reasoning_loop as transformer
from synthetic.model.noise import constant_noise, linear_noise
from synthetic.model.reasoning_loop import reasoning_path, sample_support
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

SETTING = BinarySetting(n=5, d=4, eta=0.2, sigma_eps=0.5)


@pytest.fixture(scope="module")
def example() -> tuple[np.ndarray, np.ndarray]:
    tasks = draw_tasks(SETTING, task_keys(1, 1), seed=3)
    return tasks.x[0], tasks.y[0]


def test_erratum_a_token_stands_one_column_further(example):
    """Proposition 1 has (H_t)_{:,n+ℓ} = (0, 0, w_ℓ, 1); H_0 already has w_0 in column n + 1."""
    x, y = example
    h = transformer.prompt_matrix(x, y)
    assert h.shape == (2 * 4 + 2, 5 + 1)
    np.testing.assert_array_equal(h[:4, :5], x.T)
    np.testing.assert_array_equal(h[4, :5], y)
    np.testing.assert_array_equal(h[:, 5], [0] * 9 + [1])
    assert not h[5:, :5].any()


def test_one_layer_takes_one_gradient_step_from_any_coefficient(example):
    x, y = example
    w = np.array([0.3, -1.0, 2.0, 0.0])
    h = np.column_stack([transformer.prompt_matrix(x, y), transformer.coefficient_token(w)])
    value, key_query = transformer.value_matrix(4, 0.7), transformer.key_query_matrix(4)
    last = transformer.attention_layer(h, value, key_query, n=5)[:, -1]
    expected = w - 0.7 / 5 * x.T @ (x @ w - y)
    np.testing.assert_allclose(transformer.coefficient(last), expected, rtol=1e-12)
    np.testing.assert_array_equal(np.delete(last, slice(5, 9)), [0, 0, 0, 0, 0, 1])


def test_without_noise_the_loop_is_gradient_descent_in_closed_form(example):
    x, y = example
    x, y = x[:3], y[:3]  # n < d, as the appendix's closed form requires
    step, t = 0.05, 40
    w = next(islice(reasoning_path(x, y, step, lambda w: w), t - 1, None))
    shrink = np.linalg.matrix_power(np.eye(4) - step * x.T @ x, t)
    closed = (np.eye(4) - shrink) @ x.T @ np.linalg.solve(x @ x.T, y)
    np.testing.assert_allclose(w, closed, rtol=1e-9)


@pytest.mark.parametrize(
    ("scores", "uniforms", "support"),
    [
        # sums .5 .5 .8 1: a draw of .5 just passes the first; then .5 .5 .5 .7, where .9 means .63
        ([0.5, -1.0, 0.3, 0.2], [0.5, 0.9], [0, 0, 1, 1]),
        # after the only positive entry the other three are equally likely: sums 1 1 2 3, where .4 means 1.2
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

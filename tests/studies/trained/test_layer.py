"""The layer against the literal transformer of `synthetic.model.reasoning_loop`, and what is read off it."""

import numpy as np
import pytest

from studies.trained.layer import Layer, gradient_layer, next_coefficients
from synthetic.model import reasoning_loop as transformer


def random_layer(d, rng):
    return Layer(rng.standard_normal((d, 2 * d + 2)), rng.standard_normal((2 * d + 2, d + 1)))


def whole(layer):
    """V and W, (2d+2, 2d+2) each, with zeros in the unused entries."""
    d, size = layer.d, 2 * layer.d + 2
    value, key_query = np.zeros((size, size)), np.zeros((size, size))
    value[d + 1 : size - 1], key_query[:, d + 1 :] = layer.value, layer.key_query
    return value, key_query


def literal(matrices, x, y, guesses):
    """w̃ of the last token by H + V H HᵀWH / n on the whole sequence: examples, w_0 = 0, then `guesses`."""
    value, key_query = matrices
    h = transformer.prompt_matrix(x, y)
    for w in guesses:
        h = np.column_stack([h, transformer.coefficient_token(w)])
    return transformer.coefficient(transformer.attention_layer(h, value, key_query, len(y))[:, -1])


def quick(layer, x, y, guesses):
    data = np.column_stack([x, y])
    thoughts = np.vstack([np.zeros(x.shape[1]), *guesses])
    thoughts = np.column_stack([thoughts, np.ones(len(thoughts))])
    mask = np.tril(np.ones((len(thoughts), len(thoughts))))
    return next_coefficients(layer.value, layer.key_query, data.T @ data, thoughts, mask, len(y))


@pytest.fixture
def task():
    rng = np.random.default_rng(0)
    return rng, rng.standard_normal((7, 3)), rng.standard_normal(7), rng.standard_normal((4, 3))


@pytest.mark.parametrize("free", [False, True])
def test_it_is_the_papers_formula_at_every_token(task, free):
    rng, x, y, guesses = task
    layer = random_layer(3, rng) if free else gradient_layer(3, 0.7)
    found = quick(layer, x, y, guesses)
    for t in range(5):
        np.testing.assert_allclose(found[t], literal(whole(layer), x, y, guesses[:t]), rtol=1e-9)


def test_the_papers_matrices_are_those_of_the_literal_transformer():
    paper = transformer.value_matrix(3, 0.7), transformer.key_query_matrix(3)
    np.testing.assert_array_equal(whole(gradient_layer(3, 0.7)), paper)


def test_normalising_changes_no_output_and_fixes_both_scales(task):
    rng, x, y, guesses = task
    layer = random_layer(3, rng)
    one = layer.normalised()
    np.testing.assert_allclose(quick(one, x, y, guesses), quick(layer, x, y, guesses), rtol=1e-9)
    assert np.trace(one.key_query[:3, :3]) == pytest.approx(3)
    assert np.linalg.norm(one.value[:, 4:]) == pytest.approx(np.linalg.norm(one.key_query[4:]))


def test_step_sizes_do_not_depend_on_the_scale():
    layer = gradient_layer(4, 0.3)
    value, key_query = layer.value * 5, layer.key_query / 5
    key_query[4, 4] *= 2  # twice the label
    assert Layer(value, key_query).step_sizes() == pytest.approx((0.3, 0.6))


def test_the_flag_and_the_ones_of_w_are_the_same_number_in_binary_tasks(task):
    """W's y–w block at −1/k is its y–flag entry at −1 on every w with k ones: same output, same step."""
    _, x, y, _ = task
    layer = gradient_layer(3, 0.8)
    key_query = layer.key_query.copy()
    key_query[3, 3], key_query[3, :3] = 0, -1 / 2
    other, w = Layer(layer.value, key_query), np.array([[1.0, 0.0, 1.0]])
    np.testing.assert_allclose(quick(other, x, y, w)[1], quick(layer, x, y, w)[1], rtol=1e-12)
    assert other.step_sizes(k=2) == pytest.approx((0.8, 0.8))


def test_a_blind_layer_does_not_see_earlier_guesses(task):
    rng, x, y, guesses = task
    layer, others = random_layer(3, rng), np.vstack([rng.standard_normal((3, 3)), guesses[-1:]])
    blind = layer.without_thoughts()
    assert not np.allclose(quick(layer, x, y, guesses)[-1], quick(layer, x, y, others)[-1])
    np.testing.assert_allclose(quick(blind, x, y, guesses)[-1], quick(blind, x, y, others)[-1])
    value, key_query = whole(layer)
    value[:, 4:], key_query[4:] = 0, 0
    np.testing.assert_allclose(quick(blind, x, y, guesses)[-1], literal((value, key_query), x, y, guesses))


def test_the_skew_share_of_a_block():
    layer = gradient_layer(3, 0.5)
    layer.value[0, 1], layer.value[1, 0] = 0.5, -0.5  # its norm is √2 · 0.5, the symmetric part's √3 · 0.5
    assert layer.skew_share() == pytest.approx(np.sqrt(2 / 3))

"""Tasks follow the laws of their settings, and their paths use a separate stream of random numbers."""

import numpy as np
import pytest

from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import covariance_eigenvalues, draw_tasks, task_keys

KEYS = task_keys(3, 200)


def continuous(**changes):
    return ContinuousSetting(**{"n": 4, "d": 3, "eta": 0.1, "sigma_eps": 0.5, "sigma": 1.0, **changes})


def test_the_prior_scale_is_a_standard_deviation():
    one, three = (draw_tasks(continuous(omega=omega), KEYS, seed=1).w_star for omega in (1.0, 3.0))
    np.testing.assert_allclose(three, 3 * one)
    count = one.size
    assert abs((one**2).mean() - 1) < 4 * np.sqrt(2 / count)
    assert abs(one.mean()) < 4 / np.sqrt(count)


def test_the_label_noise_is_a_standard_deviation():
    half, two = (draw_tasks(continuous(sigma_eps=sigma), KEYS, seed=1) for sigma in (0.5, 2.0))
    noise = [tasks.y - np.einsum("bnd,bd->bn", tasks.x, tasks.w_star) for tasks in (half, two)]
    np.testing.assert_allclose(noise[1], 4 * noise[0], atol=1e-12)
    assert abs((noise[0] ** 2).mean() - 0.25) < 4 * 0.25 * np.sqrt(2 / noise[0].size)


def test_decay_gives_the_covariance_its_eigenvalues():
    plain, decaying = (draw_tasks(continuous(decay=decay), KEYS, seed=1).x for decay in (None, 2.0))
    np.testing.assert_allclose(decaying**2, plain**2 / np.array([1, 2**3, 3**3]))
    np.testing.assert_allclose(covariance_eigenvalues(continuous(decay=2.0)), [1, 1 / 8, 1 / 27])
    assert abs((plain**2).mean() - 1) < 4 * np.sqrt(2 / plain.size)


@pytest.mark.parametrize("k", [1, 3])
def test_a_binary_coefficient_is_a_uniform_k_subset(k):
    setting = BinarySetting(n=2, d=6, k=k, eta=1, sigma_eps=0)
    tasks = draw_tasks(setting, KEYS, seed=2)
    assert set(np.unique(tasks.w_star)) == {0, 1}
    assert (tasks.w_star.sum(axis=1) == k).all()
    share = k / 6
    assert abs(tasks.w_star.mean(axis=0) - share).max() < 4.5 * np.sqrt(share * (1 - share) / len(KEYS))
    np.testing.assert_allclose(tasks.y, np.einsum("bnd,bd->bn", tasks.x, tasks.w_star), atol=1e-12)


def test_paths_are_drawn_from_numbers_of_their_own():
    """A path's noise must not repeat the numbers of the examples: the two streams share none."""
    setting = continuous()
    tasks = draw_tasks(setting, KEYS[:5], seed=3)
    streams = []
    for task in range(5):
        normals = tasks.path_generator(task).standard_normal(100)
        assert not np.isin(np.round(tasks.x[task], 12), np.round(normals, 12)).any()
        assert not np.isin(np.round(tasks.w_star[task], 12), np.round(normals, 12)).any()
        streams.append(normals)
    assert len({tuple(stream) for stream in streams}) == 5


def test_a_seed_a_repeat_and_an_index_each_make_another_task():
    named = [((0, 1), 0), ((1, 1), 0), ((0, 0), 0), ((0, 1), 1)]
    assert len({draw_tasks(continuous(), [key], seed).x.tobytes() for key, seed in named}) == 4


def test_steps_and_noise_variances():
    assert continuous(eta=0.2).step == 0.2
    assert continuous(eta=0.2, step_rule="eta/n").step == pytest.approx(0.05)
    assert BinarySetting(n=4, d=5, eta=0.2, sigma_eps=0, step_rule="eta/n").step == pytest.approx(0.05)
    for scale, expected in (("eta", 1.8), ("eta2", 0.36), ("raw", 9.0)):
        assert continuous(eta=0.2, sigma=3.0, noise_scale=scale).noise_variance == pytest.approx(expected)

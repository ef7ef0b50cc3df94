"""The loop with the paper's layer equals the twin: the same sampled paths and exact risk."""

from dataclasses import replace

import numpy as np
import pytest

from studies.trained.examination import tuned_step
from studies.trained.layer import gradient_layer
from studies.trained.loop import mean_path_risk, sample_answers
from synthetic.binary.paths import sample_supports
from synthetic.continuous.moments import gradient_descent_risk
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 2, 5)


@pytest.mark.parametrize(("n", "d", "k"), [(1, 10, 1), (12, 6, 2)])
def test_sampled_answers_are_the_twins_own_paths(n, d, k):
    setting = BinarySetting(n=n, d=d, k=k, eta=1.0, sigma_eps=0.1, step_rule="eta/n")
    tasks = draw_tasks(setting, task_keys(1, 4), seed=3)
    found = sample_answers(gradient_layer(d, 1.0).read, tasks, setting, 16, STEPS)
    np.testing.assert_array_equal(found, sample_supports(tasks, setting, 16, STEPS))


def test_the_noise_free_path_has_the_exact_risk_of_gradient_descent():
    setting = ContinuousSetting(n=8, d=12, eta=0.2, sigma_eps=0.5, sigma=0.0, step_rule="eta/n")
    tasks = draw_tasks(setting, task_keys(1, 5), seed=3)
    exact = gradient_descent_risk(tasks, setting, STEPS)
    found = mean_path_risk(gradient_layer(12, 0.2).read, tasks, STEPS)
    np.testing.assert_allclose(found, exact, rtol=1e-9)


def test_a_diverging_path_has_infinite_risk_and_harms_no_other():
    setting = ContinuousSetting(n=8, d=12, eta=0.2, sigma_eps=0.5, sigma=0.0)
    tasks = draw_tasks(setting, task_keys(1, 2), seed=3)
    steep, layer = np.array([1.0, 10.0]), gradient_layer(12, 0.2)
    steeper = replace(tasks, x=tasks.x * steep[:, None, None], y=tasks.y * steep[:, None])
    risk, alone = (mean_path_risk(layer.read, drawn, (1, 40)) for drawn in (steeper, tasks))
    assert np.isinf(risk[1, 1])
    np.testing.assert_allclose(risk[0], alone[0])


def test_the_tuned_step_is_the_best_of_its_neighbours():
    setting = ContinuousSetting(n=20, d=5, eta=1.0, sigma_eps=0.0, sigma=0.0, step_rule="eta/n")
    best = tuned_step(setting, 4)
    tasks = draw_tasks(setting, task_keys(1, 4000), seed=1)
    risks = [
        gradient_descent_risk(tasks, replace(setting, eta=best + by), (4,)).mean() for by in (-0.02, 0, 0.02)
    ]
    assert np.argmin(risks) == 1

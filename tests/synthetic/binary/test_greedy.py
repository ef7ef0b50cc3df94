"""Greedy decoding of many tasks against the literal transformer loop that decodes greedily."""

from itertools import islice

import numpy as np
import pytest

from synthetic.binary.paths import greedy_correct, greedy_supports
from synthetic.model.reasoning_loop import reasoning_path
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 2, 5, 9)


def greedy_support(scores, k):
    """The k largest entries of ClipNorm(w̃); ties go to the lowest index."""
    clipped = [max(score, 0) for score in scores]
    chosen = sorted(range(len(scores)), key=lambda i: (-clipped[i], i))[:k]
    return np.isin(np.arange(len(scores)), chosen).astype(float)


@pytest.mark.parametrize(
    "setting",
    [
        BinarySetting(n=4, d=12, k=1, eta=1 / 4, sigma_eps=0.5),
        BinarySetting(n=1, d=6, k=1, eta=1, sigma_eps=0.0),
        BinarySetting(n=3, d=7, k=3, eta=1, sigma_eps=0.3, step_rule="eta/n"),
    ],
    ids=str,
)
def test_greedy_follows_the_literal_loop(setting):
    tasks = draw_tasks(setting, task_keys(2, 15), seed=11)
    found = greedy_supports(tasks, setting, STEPS)
    right = greedy_correct(tasks, setting, STEPS)
    for task in range(len(tasks)):
        loop = reasoning_path(
            tasks.x[task], tasks.y[task], setting.step, lambda w: greedy_support(w, setting.k)
        )
        path = list(islice(loop, max(STEPS)))
        for at, t in enumerate(STEPS):
            np.testing.assert_array_equal(found[task, at], np.flatnonzero(path[t - 1]))
            assert right[task, at] == np.array_equal(path[t - 1], tasks.w_star[task])

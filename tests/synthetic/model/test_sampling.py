"""The sampling rules by hand. tests/synthetic/binary/test_chain.py compares chains with sampled paths."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from synthetic.binary.chain import law_of_paths
from synthetic.model.sampling import SAMPLING_RULES
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys


def test_weights_of_the_rules_by_hand():
    w = np.array([0.4, -1.0, 0.8, 0.0, 0.1])
    shares = SAMPLING_RULES["temperature"].weights(w, 0.5)
    np.testing.assert_allclose(shares / shares.sum(), np.array([0.16, 0, 0.64, 0, 0.01]) / 0.81)
    np.testing.assert_allclose(SAMPLING_RULES["temperature"].weights(w, 1.0), np.maximum(w, 0) / 0.8)
    np.testing.assert_array_equal(SAMPLING_RULES["top-k"].weights(w, 2), [0.4, 0, 0.8, 0, 0])
    for order in permutations([0.5, 0.5, 0.2]):  # among ties the first are kept
        kept = SAMPLING_RULES["top-k"].weights(np.array(order), 1)
        assert kept.argmax() == int(np.argmax(order))
        assert (kept > 0).sum() == 1
    assert not SAMPLING_RULES["temperature"].weights(np.full(3, -1.0), 0.5).any()


PAPER = BinarySetting(n=3, d=5, k=2, eta=0.4, sigma_eps=0.3)


@pytest.mark.parametrize("sampler", ["clip-norm", "temperature", "top-k"])
def test_without_a_dial_every_rule_is_the_papers(sampler):
    check_without_a_dial(sampler)


def check_without_a_dial(sampler):
    tasks = draw_tasks(PAPER, task_keys(1, 2), seed=4)
    settings = (replace(PAPER, sampler=sampler), PAPER)
    laws = (law_of_paths(tasks, one, (1, 6)).probabilities for one in settings)
    np.testing.assert_allclose(*laws, atol=1e-13)

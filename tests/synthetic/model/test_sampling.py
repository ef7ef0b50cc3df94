"""The sampling rules: by hand, and the chain of each against its sampled paths."""

from itertools import permutations

import numpy as np
import pytest

from results import BadInput
from synthetic import run_panel
from synthetic.binary.chain import law_of_paths
from synthetic.binary.paths import sample_supports
from synthetic.model.sampling import SAMPLING_RULES
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys


def check_the_chain(sampler: str, dial: float, k: int) -> None:
    """20,000 paths a task: every support's share within 5 standard errors (and 1e-3 where it is rare)."""
    setting = BinarySetting(n=3, d=5, k=k, eta=0.4, sigma_eps=0.3, sampler=sampler, dial=dial)
    tasks, paths = draw_tasks(setting, task_keys(1, 2), seed=4), 20_000
    law = law_of_paths(tasks, setting, (1, 4))
    drawn = sample_supports(tasks, setting, paths, (1, 4))
    right = tasks.w_star.argsort(axis=1)[:, -k:]
    hit = (np.sort(right)[:, None, None] == drawn).all(axis=3).mean(axis=2)
    spread = np.sqrt(law.correct * (1 - law.correct) / paths)
    assert (abs(hit - law.correct) < 5 * spread + 1e-3).all()


@pytest.mark.parametrize(("sampler", "dial"), [("temperature", 0.5), ("top-k", 3.0)])
@pytest.mark.parametrize("k", [1, 2])
def test_the_chain_of_a_rule_is_that_of_its_sampled_paths(sampler, dial, k):
    check_the_chain(sampler, dial, k)


def test_weights_of_the_rules_by_hand():
    w = np.array([0.4, -1.0, 0.8, 0.0, 0.1])
    shares = SAMPLING_RULES["temperature"].weights(w, 0.5)
    np.testing.assert_allclose(shares / shares.sum(), np.array([0.16, 0, 0.64, 0, 0.01]) / 0.81)
    np.testing.assert_allclose(SAMPLING_RULES["temperature"].weights(w, 1.0), np.maximum(w, 0) / 0.8)
    np.testing.assert_array_equal(SAMPLING_RULES["top-k"].weights(w, 2), [0.4, 0, 0.8, 0, 0])
    for order in permutations([0.5, 0.5, 0.2]):  # of ties the first stay
        kept = SAMPLING_RULES["top-k"].weights(np.array(order), 1)
        assert kept.argmax() == int(np.argmax(order))
        assert (kept > 0).sum() == 1
    assert not SAMPLING_RULES["temperature"].weights(np.full(3, -1.0), 0.5).any()


def test_an_unknown_law_is_refused_with_those_there_are():
    with pytest.raises(BadInput, match="constant, linear"):
        run_panel("fig2a", noise="dropout")


@pytest.mark.parametrize("sampler", ["clip-norm", "temperature", "top-k"])
def test_without_a_dial_every_rule_is_the_papers(sampler):
    setting = BinarySetting(n=3, d=5, k=2, eta=0.4, sigma_eps=0.3, sampler=sampler)
    paper = BinarySetting(n=3, d=5, k=2, eta=0.4, sigma_eps=0.3)
    tasks = draw_tasks(paper, task_keys(1, 2), seed=4)
    laws = (law_of_paths(tasks, one, (1, 6)).probabilities for one in (setting, paper))
    np.testing.assert_allclose(*laws, atol=1e-13)

"""The exact chain against enumeration; chain, sampler, greedy decoding and the literal loop agree."""

from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthetic.binary import chain
from synthetic.binary.accuracy import transformer_supports
from synthetic.binary.chain import all_supports, draw_law, law_of_paths
from synthetic.binary.paths import greedy_correct, greedy_supports, sample_supports
from synthetic.model.reasoning_loop import reasoning_path
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 2, 5, 12)
SETTINGS = [
    BinarySetting(n=4, d=12, k=1, eta=1 / 4, sigma_eps=0.5),
    BinarySetting(n=1, d=6, k=2, eta=1, sigma_eps=0.3),  # often has too few positive entries
    BinarySetting(n=5, d=7, k=3, eta=1, sigma_eps=0.5, step_rule="eta/n"),
]
OTHER_RULES = [
    BinarySetting(n=3, d=5, k=k, eta=0.4, sigma_eps=0.3, sampler=sampler, dial=dial)
    for sampler, dial in (("temperature", 0.5), ("top-k", 3.0))
    for k in (1, 2)
]


def enumerated_law(scores, k):
    """P(support) by listing every ordered draw: the slow reference for `draw_law`."""
    d = len(scores)
    weights = np.maximum(scores, 0)
    law = dict.fromkeys(map(tuple, all_supports(d, k).tolist()), 0.0)
    for order in permutations(range(d), k):
        probability, left = 1.0, list(range(d))
        for index in order:
            total = weights[left].sum()
            probability *= weights[index] / total if total > 0 else 1 / len(left)
            left.remove(index)
        law[tuple(sorted(order))] += probability
    return np.array(list(law.values()))


@given(
    st.integers(1, 3), st.lists(st.sampled_from([-1.0, 0.0, 0.2, 1.0, 3.0, 1e-12]), min_size=4, max_size=6)
)
def test_draw_law_equals_the_sum_over_all_orders(k, scores):
    law = draw_law(np.array([scores]), k)[0]
    np.testing.assert_allclose(law, enumerated_law(np.array(scores), k), atol=1e-14)
    assert law.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("setting", SETTINGS + OTHER_RULES, ids=str)
def test_sampler_and_literal_transformer_draw_the_same_paths(setting):
    tasks = draw_tasks(setting, task_keys(2, 2), seed=5)
    fast = sample_supports(tasks, setting, 20, STEPS)
    slow = transformer_supports(tasks, setting, 20, STEPS)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("k", [1, 2])
def test_law_and_fallback_equal_a_walk_through_all_supports(k):
    """P(w_t = ·) and the share of steps with a fallback, computed step by step without a matrix."""
    setting = BinarySetting(n=1, d=3, k=k, eta=1, sigma_eps=0.4)
    tasks = draw_tasks(setting, task_keys(1, 12), seed=12)
    subsets = [tuple(row) for row in all_supports(setting.d, setting.k).tolist()]
    law = law_of_paths(tasks, setting, STEPS)
    for task in range(len(tasks)):
        x, y = tasks.x[task], tasks.y[task]
        now, short = {(): 1.0}, 0.0  # w_0 = 0 has no support
        for t in range(1, max(STEPS) + 1):
            following = dict.fromkeys(subsets, 0.0)
            for support, probability in now.items():
                w = np.isin(np.arange(setting.d), support).astype(float)
                scores = w - setting.step * x.T @ (x @ w - y)
                short += probability * ((scores > 0).sum() < setting.k)
                for subset, share in zip(subsets, enumerated_law(scores, setting.k), strict=True):
                    following[subset] += probability * share
            now = following
            if t in STEPS:
                found = law.probabilities[task, STEPS.index(t)]
                np.testing.assert_allclose(found, list(now.values()), atol=1e-13)
        assert law.fallback[task] == pytest.approx(short / max(STEPS), abs=1e-13)
        assert tasks.w_star[task][list(subsets[law.gold[task]])].all()
    assert (law.fallback > 0).any()


def test_tasks_solved_apart_have_the_same_law(monkeypatch):
    setting = SETTINGS[2]
    tasks = draw_tasks(setting, task_keys(1, 3), seed=10)
    together = law_of_paths(tasks, setting, STEPS).probabilities
    monkeypatch.setattr(chain, "MAX_NUMBERS", 1)
    np.testing.assert_allclose(law_of_paths(tasks, setting, STEPS).probabilities, together, rtol=1e-12)


@pytest.mark.parametrize("setting", SETTINGS + OTHER_RULES, ids=str)
def test_sampled_frequencies_agree_with_the_chain(setting):
    check_the_chain(setting)


def check_the_chain(setting):
    """Check that each support's share of 20,000 paths matches its probability, for three tasks."""
    paths = 20_000
    tasks = draw_tasks(setting, task_keys(1, 3), seed=6)
    law = law_of_paths(tasks, setting, STEPS)
    sampled = sample_supports(tasks, setting, paths, STEPS)
    subsets = all_supports(setting.d, setting.k)
    base = setting.d ** np.arange(setting.k)
    for task in range(3):
        for step in range(len(STEPS)):
            codes = (sampled[task, step] * base).sum(axis=1)
            counts = (codes[:, None] == (subsets * base).sum(axis=1)[None]).sum(axis=0)
            p = law.probabilities[task, step]
            # 4.5 standard errors, plus one count for supports of tiny probability
            assert np.all(abs(counts / paths - p) < 4.5 * np.sqrt(p * (1 - p) / paths) + 1 / paths)


def greedy_support(scores, k):
    """The k largest entries of ClipNorm(w̃); ties go to the lowest index."""
    clipped = [max(score, 0) for score in scores]
    chosen = sorted(range(len(scores)), key=lambda i: (-clipped[i], i))[:k]
    return np.isin(np.arange(len(scores)), chosen).astype(float)


@pytest.mark.parametrize(
    "setting", [SETTINGS[1], BinarySetting(n=1, d=6, k=1, eta=1, sigma_eps=0.0), SETTINGS[2]], ids=str
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

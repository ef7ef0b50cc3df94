"""Best-of-N by a reward, against all N-tuples of answers, sampled paths, and closed-form limits."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from studies.twin.binary_rewards import (
    FALSE_YES,
    LAMBDA,
    REWARDS,
    TAU,
    TRUE_YES,
    Answers,
    Atom,
    Reward,
    best_by_reward,
    reward_limit,
)
from synthetic.binary.chain import all_supports, law_of_paths
from synthetic.binary.paths import sample_supports
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 4)
TINY = BinarySetting(n=2, d=4, k=1, eta=0.5, sigma_eps=0.4)
PAIRS = BinarySetting(n=2, d=4, k=2, eta=0.5, sigma_eps=0.4)


def answers_of(setting, tasks=2, steps=STEPS):
    drawn = draw_tasks(setting, task_keys(1, tasks), seed=3)
    return Answers(drawn, setting, steps, law_of_paths(drawn, setting, steps))


def plain_rewards(answers, task):
    """Distance and residual of every answer of a task, computed directly from the vectors."""
    x, y, w_star = (part[task] for part in (answers.tasks.x, answers.tasks.y, answers.tasks.w_star))
    found = []
    for subset in all_supports(answers.setting.d, answers.setting.k):
        w = np.zeros(answers.setting.d)
        w[subset] = 1
        found.append((-((w - w_star) ** 2).sum(), -((y - x @ w) ** 2).sum()))
    return np.array(found).T


def by_enumeration(law, gold, value, n):
    """The accuracy summed over every tuple of n answers, with ties shared."""
    total = 0.0
    for chosen in product(range(len(law)), repeat=n):
        best = max(value[one] for one in chosen)
        top = [one for one in chosen if value[one] == best]
        total += np.prod(law[list(chosen)]) * top.count(gold) / len(top)
    return total


@pytest.mark.parametrize("setting", [TINY, PAIRS], ids=["k=1", "k=2"])
@pytest.mark.parametrize("name", ["oracle", "context", "biased"])
def test_a_certain_reward_is_that_of_every_tuple(setting, name):
    answers, votes = answers_of(setting), (1, 2, 4)
    found = best_by_reward(answers, REWARDS[name], votes)
    for task, step in product(range(2), range(2)):
        law, gold = answers.law.probabilities[task, step], answers.law.gold[task]
        distance, context = plain_rewards(answers, task)
        first = answers.law.probabilities[task, 0].copy()  # STEPS begins at 1
        first[gold] = -1
        liked = LAMBDA * (np.arange(len(law)) == first.argmax())
        value = {"oracle": distance, "context": context, "biased": context + liked}[name]
        expected = [by_enumeration(law, gold, value, n) for n in votes]
        np.testing.assert_allclose(found[task, step], expected, atol=1e-12)


def test_ties_of_a_reward_share_the_credit():
    """An uninformative reward gives the accuracy of one answer at every N."""
    blind, answers = Reward("blind", lambda _: [Atom(1.0, 0.0)]), answers_of(TINY)
    found = best_by_reward(answers, blind, (1, 3, 1000))
    np.testing.assert_allclose(found, np.repeat(answers.law.correct[..., None], 3, axis=2), atol=1e-12)


def test_a_verdict_in_closed_form():
    """The credit is p·tp/(p·tp + (1−p)·fp) if any of N verdicts is yes; if all are no, that of a no."""
    answers, votes = answers_of(TINY, tasks=3), np.array([1, 2, 16, 400])
    p = answers.law.correct[..., None]
    yes = p * TRUE_YES + (1 - p) * FALSE_YES
    limit = p * TRUE_YES / yes
    all_no = (1 - yes) ** votes
    expected = limit * (1 - all_no) + p * (1 - TRUE_YES) / (1 - yes) * all_no
    np.testing.assert_allclose(best_by_reward(answers, REWARDS["verdict"], votes), expected, atol=1e-12)
    np.testing.assert_allclose(reward_limit(answers, REWARDS["verdict"]), limit[..., 0], atol=1e-12)


@pytest.mark.parametrize("name", ["context", "noisy", "verdict", "biased"])
def test_sampled_paths_agree(name):
    """16,000 groups of 16 paths, judged one by one, agree within 4.5 standard errors, at most .018."""
    setting, n, groups = BinarySetting(n=3, d=8, k=1, eta=0.4, sigma_eps=0.5), 16, 16_000
    answers = answers_of(setting, tasks=1, steps=(6,))
    drawn = sample_supports(answers.tasks, setting, n * groups, (6,))[0, 0, :, 0].reshape(groups, n)
    gold, rng = answers.law.gold[0], np.random.default_rng(8)
    distance, context = plain_rewards(answers, 0)
    first = law_of_paths(answers.tasks, setting, (1,)).probabilities[0, 0]
    first[gold] = -1
    reward = {
        "context": lambda one: context[one],
        "noisy": lambda one: distance[one] + TAU * rng.standard_normal(one.shape),
        "verdict": lambda one: rng.random(one.shape) < np.where(one == gold, TRUE_YES, FALSE_YES),
        "biased": lambda one: context[one] + LAMBDA * (one == first.argmax()),
    }[name](drawn).astype(np.float64)
    top = reward == reward.max(axis=1, keepdims=True)
    credit = ((drawn == gold) & top).sum(axis=1) / top.sum(axis=1)
    expected = best_by_reward(answers, REWARDS[name], (n,))[0, 0, 0]
    assert abs(credit.mean() - expected) < 4.5 * credit.std() / np.sqrt(groups) + 1e-9


@pytest.mark.parametrize("spread", [0.05, 1.0, 20.0])
def test_a_noisy_reward_between_a_sharp_and_a_blind_one(spread):
    """Two answers at distance 2, N = 2: P(best right) = p² + 2pq Φ(2/(τ√2)), in closed form."""
    setting = BinarySetting(n=1, d=2, k=1, eta=1.0, sigma_eps=0.1)
    answers = answers_of(setting, tasks=4)
    noisy = Reward("noisy", REWARDS["noisy"].atoms, spread=spread)
    p = answers.law.correct
    expected = p**2 + 2 * p * (1 - p) * norm.cdf(2 / (spread * np.sqrt(2)))
    found = best_by_reward(answers, noisy, (1, 2))
    np.testing.assert_allclose(found[..., 0], p, atol=1e-12)
    np.testing.assert_allclose(found[..., 1], expected, atol=1e-12)


def test_curves_tend_to_their_limits():
    """By N = 10⁷ for rewards without noise if no answer is rarer than 10⁻⁵; the noisy oracle is slow."""
    answers = answers_of(TINY, tasks=4)
    rarest = np.where(answers.law.probabilities > 0, answers.law.probabilities, 1).min()
    assert rarest > 1e-5
    for name in ("context", "biased", "verdict", "oracle"):
        far = best_by_reward(answers, REWARDS[name], (10**7,))[..., 0]
        np.testing.assert_allclose(far, reward_limit(answers, REWARDS[name]), atol=1e-9)
    near, far = np.moveaxis(best_by_reward(answers, REWARDS["noisy"], (10**3, 10**6)), 2, 0)
    possible = answers.law.correct > 0
    assert (reward_limit(answers, REWARDS["noisy"])[possible] == 1).all()
    assert (1 - far < (1 - near) / 2)[possible & (near < 1)].all()

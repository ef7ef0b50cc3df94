"""Best-of-N by a reward for Gaussian answers, against draws, the oracle's integral and closed forms."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results import BadInput, write_curves
from studies.twin import binary_rewards, continuous_rewards, reward_claims
from studies.twin.binary_rewards import FALSE_YES, TRUE_YES
from studies.twin.binary_rewards import REWARDS as BINARY_REWARDS
from studies.twin.continuous_rewards import REWARDS, best_by_reward, residual
from studies.twin.quadratic import Answers, Quadratic, best_by_quadratic, over_joints
from studies.twin.reward_claims import REWARD_CLAIMS, SHIPPED
from studies.twin.reward_figure import reward_figures
from synthetic.continuous.least_error import best_of_n_risk
from synthetic.continuous.moments import Moments, path_moments
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys
from synthetic.theory.claims.claims_table import evaluate

FEW = ContinuousSetting(n=6, d=10, eta=0.02, sigma_eps=0.5, sigma=1.0)
MANY = ContinuousSetting(n=14, d=7, eta=0.01, sigma_eps=2.0, sigma=1.0)
DECAY = ContinuousSetting(n=12, d=8, eta=0.02, sigma_eps=1.0, sigma=1.0, decay=1.0)
SETTINGS = [FEW, MANY, DECAY]
IDS = ["n < d", "n > d", "decay"]
STEPS = (5, 40)


def answers_of(setting: ContinuousSetting, tasks: int = 2, steps: tuple[int, ...] = STEPS) -> Answers:
    drawn = draw_tasks(setting, task_keys(1, tasks), seed=2)
    return Answers(drawn, setting, path_moments(drawn, setting, steps))


def squared(answers: Answers, task: int, w: np.ndarray) -> np.ndarray:
    """‖w − w*‖²_H of each answer, computed directly from the vectors."""
    return (w - answers.tasks.w_star[task]) ** 2 @ answers.moments.weights


def rewards(name: str, answers: Answers, task: int, step: int, w: np.ndarray, rng: np.random.Generator):
    """The reward of each answer, as defined in the documentation."""
    error = squared(answers, task, w)
    if name == "context":
        return -((answers.tasks.y[task] - w @ answers.tasks.x[task].T) ** 2).sum(axis=-1)
    if name == "noisy":
        return -error + error.std() * rng.standard_normal(error.shape)
    if name == "verdict":
        good = error <= answers.moments.bias[task, step]
        said = rng.random(error.shape) < np.where(good, TRUE_YES, FALSE_YES)
        return said + 1e-9 * rng.random(error.shape)  # ties are broken at random
    return -error


@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize("setting", SETTINGS, ids=IDS)
def test_a_curve_is_that_of_drawn_answers(setting: ContinuousSetting, name: str) -> None:
    answers, votes, groups = answers_of(setting), (1, 2, 8, 64), 4000
    found = best_by_reward(answers, REWARDS[name], votes)
    rng = np.random.default_rng(1)
    for task, step in np.ndindex(2, 2):
        mean = answers.moments.error[task, step] + answers.tasks.w_star[task]
        root = np.linalg.cholesky(answers.moments.covariance[task, step])
        for column, n in enumerate(votes):
            w = mean + rng.standard_normal((groups, n, setting.d)) @ root.T
            best = rewards(name, answers, task, step, w, rng).argmax(axis=1)
            drawn = squared(answers, task, w)[np.arange(groups), best]
            assert abs(found[task, step, column] - drawn.mean()) < 4.5 * drawn.std() / np.sqrt(groups)


@pytest.mark.parametrize("setting", SETTINGS, ids=IDS)
def test_the_oracle_is_best_of_n(setting: ContinuousSetting) -> None:
    answers, votes = answers_of(setting), (1, 4, 256, 4096)
    expected = best_of_n_risk(answers.moments, votes)
    np.testing.assert_allclose(best_by_reward(answers, REWARDS["oracle"], votes), expected, rtol=1e-6)


@pytest.mark.parametrize("name", REWARDS)
def test_a_single_answer_has_the_risk_of_one_path(name: str) -> None:
    answers = answers_of(MANY)
    expected = answers.moments.bias + answers.moments.variance
    np.testing.assert_allclose(best_by_reward(answers, REWARDS[name], (1,))[..., 0], expected, rtol=1e-7)


def test_a_reward_that_sees_nothing_of_the_error_leaves_it_as_it_is() -> None:
    """The reward uses only directions that have no weight in the squared error."""
    answers = answers_of(FEW, tasks=1)
    half = np.diag([1.0] * 5 + [0.0] * 5)
    covariance = np.broadcast_to(0.3 * np.eye(10), (1, 2, 10, 10))
    moments = Moments(answers.moments.error, covariance, weights=np.diag(np.eye(10) - half))
    blind = Answers(answers.tasks, FEW, moments)
    found = best_by_quadratic(blind, Quadratic(half[None], np.zeros((1, 10))), (1, 5, 300))
    expected = (blind.moments.bias + blind.moments.variance)[..., None]
    np.testing.assert_allclose(found, np.repeat(expected, 3, axis=2), rtol=1e-6)


def test_many_answers_come_to_the_limit() -> None:
    """By context: the least-squares fit where the prompt is informative, one path's risk elsewhere."""
    answers = answers_of(MANY)
    limits = over_joints(answers, residual(answers), lambda joint: np.array(joint.limit))
    prompts = zip(answers.tasks.x, answers.tasks.y, strict=True)
    fit = np.stack([np.linalg.lstsq(*task, rcond=None)[0] for task in prompts])
    expected = ((fit - answers.tasks.w_star) ** 2).sum(axis=1)
    np.testing.assert_allclose(limits, np.repeat(expected[:, None], 2, axis=1), rtol=1e-9)
    away = [abs(best_by_reward(answers, REWARDS["context"], (n,))[..., 0] - limits) for n in (16, 4096)]
    assert np.all(away[1] < 0.75 * away[0])

    unseen = answers_of(FEW, tasks=1, steps=(5,))
    x, y, w_star = (part[0] for part in (unseen.tasks.x, unseen.tasks.y, unseen.tasks.w_star))
    seen = np.linalg.pinv(x) @ x
    blind = np.eye(10) - seen
    mean, covariance = unseen.moments.error[0, 0] + w_star, unseen.moments.covariance[0, 0]
    ends = np.linalg.pinv(x) @ y + blind @ mean
    expected_one = ((ends - w_star) ** 2).sum() + np.trace(blind @ covariance @ blind)
    found = over_joints(unseen, residual(unseen), lambda joint: np.array(joint.limit))
    assert found[0, 0] == pytest.approx(expected_one, rel=1e-9)


def test_without_noise_all_answers_are_one() -> None:
    setting = ContinuousSetting(n=6, d=10, eta=0.02, sigma_eps=0.5, sigma=0.0)
    answers = answers_of(setting)
    for reward in REWARDS.values():
        found = best_by_reward(answers, reward, (1, 64))
        np.testing.assert_allclose(found, np.repeat(answers.moments.bias[..., None], 2, axis=2))


def test_what_has_no_curve_is_refused() -> None:
    linear = ContinuousSetting(n=6, d=10, eta=0.02, sigma_eps=0.5, sigma=0.1, noise="linear")
    with pytest.raises(BadInput, match=r"noise=linear: .* give noise=constant"):
        best_by_reward(answers_of(linear), REWARDS["context"], (1,))
    single = ContinuousSetting(n=1, d=10, eta=0.02, sigma_eps=0.5, sigma=1.0)
    with pytest.raises(BadInput, match=r"sees 1 of the directions .* more examples"):
        best_by_reward(answers_of(single), REWARDS["context"], (1,))


def test_continuous_coefficients_have_their_rewards_beside_average_and_oracle(tmp_path: Path) -> None:
    curves = continuous_rewards.curves(repeats=1, tasks=2, votes=(1, 4))
    write_curves(curves, tmp_path / "curves.csv")
    judged = curves[curves["method"] == "best_by_score"]
    assert len(judged) == (len(REWARDS) - 1) * len(continuous_rewards.LINES) * 2
    (figure, *_) = reward_figures(curves)
    table = figure.layers[0].data
    assert set(table["chosen_by"]) == {"average", "oracle", *REWARDS}
    one = table.loc[table["N"] == 1, "value"]
    assert one.max() - one.min() < 1e-4  # a single answer leaves nothing to choose
    four = table[(table["N"] == 4) & (table["line"] == table["line"].iloc[0])].set_index("chosen_by")["value"]
    assert four["oracle"] < four["noisy"] < one.iloc[0]


def test_binary_coefficients_have_their_rewards_beside_vote_and_oracle(tmp_path: Path) -> None:
    curves = binary_rewards.curves(repeats=1, tasks=3, votes=(1, 4, 16), steps=(2, 4))
    write_curves(curves, tmp_path / "curves.csv")
    figures = reward_figures(curves)
    titles = [f"{binary_rewards.NAME}, {line.label}, t = 4" for line in binary_rewards.LINES]
    assert [figure.title for figure in figures] == titles
    for figure in figures:
        table = figure.layers[0].data
        assert set(table["chosen_by"]) == {"vote", "oracle", *BINARY_REWARDS}
        assert len(table) == 3 * table["chosen_by"].nunique()
        one = table.loc[table["N"] == 1, "value"]
        assert one.max() - one.min() < 1e-9  # a single answer leaves nothing to choose


def test_the_claims_about_rewards_are_those_that_ship() -> None:
    shipped = pd.read_csv(SHIPPED).fillna({"sentence": ""})
    found = evaluate(REWARD_CLAIMS, seed=0)
    pd.testing.assert_frame_equal(found, shipped, rtol=1e-6, atol=1e-9, check_dtype=False)


def test_the_best_of_n_by_the_oracle_is_that_of_the_n_it_is_called_by():
    """It is 1 − (1 − p)^N for every task, where a single answer is right with probability p."""
    for curves in reward_claims._curves(0).values():
        for n in (reward_claims.FEW, reward_claims.MANY, reward_claims.LIMIT):
            np.testing.assert_allclose(curves["oracle", n], 1 - (1 - curves["path", 1]) ** n, atol=1e-9)
            assert (curves["context", n] <= curves["oracle", n] + 1e-9).all()

"""Exact best-of-N by rewards other than the oracle's for continuous coefficients (Definition 2).

$ python -m studies.twin.continuous_rewards --out runs/judges      judges-continuous.csv

    best_by_reward(answers, REWARDS["context"], votes=(1, 256))[task, step]  ->  [169.70, 121.34]

These are exact only if w_t is Gaussian, under constant noise. studies/twin/rewards.md has the results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd

from results import BadInput, write_curves
from results.cli.options import out_option
from studies.twin.binary_rewards import FALSE_YES, TO_4096, TRUE_YES, judged_table
from studies.twin.quadratic import Answers, Joint, Quadratic, best_by_quadratic, over_joints
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import continuous_risk
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, draw_tasks, task_keys
from synthetic.panels.experiments import Variant

NAME = "judges-continuous"
LINES = (
    Variant(ContinuousSetting(36, 72, 1e-3, 1.0, 2.0), "n=36 d=72"),
    Variant(ContinuousSetting(144, 72, 1e-3, 1.0, 2.0), "n=144 d=72"),
    Variant(ContinuousSetting(40, 20, 5e-3, 3.0, 1.0), "n=40 d=20 sigma_eps=3"),
)
STEPS = (50,)
REPEATS, TASKS = 5, 30


@dataclass(frozen=True)
class Reward:
    """`risk(answers, votes)`: E‖w − w*‖²_H of the best of N by this reward, (tasks, steps, votes)."""

    name: str
    risk: Callable[[Answers, Sequence[int]], Array]


def best_by_reward(answers: Answers, reward: Reward, votes: Sequence[int]) -> Array:
    """E‖w − w*‖²_H of the best of N answers by this reward, (tasks, steps, votes).

    Raises BadInput for a noise law under which w_t is not Gaussian.
    """
    if not answers.setting.law.gaussian:
        raise BadInput(
            f"noise={answers.setting.noise}: best-of-N by the {reward.name} reward is solved where answers "
            "are Gaussian: give noise=constant"
        )
    return reward.risk(answers, votes)


def squared_error(answers: Answers) -> Quadratic:
    """‖w − w*‖²_H without the constant term."""
    weights, target = answers.moments.weights, answers.tasks.w_star
    return Quadratic(np.broadcast_to(np.diag(weights), (*target.shape, len(weights))), weights * target)


def residual(answers: Answers) -> Quadratic:
    """Σ_i (y_i − x_iᵀw)² without the constant term."""
    return Quadratic(answers.tasks.gram, answers.tasks.correlation)


def _noisy(answers: Answers, votes: Sequence[int]) -> Array:
    return best_by_quadratic(answers, squared_error(answers), votes, spread=lambda joint: joint.deviation)


def _verdict(answers: Answers, votes: Sequence[int]) -> Array:
    """With m the chance of a yes, by whether an answer is good,

    E = (1 − (1 − m)^N) E[‖w − w*‖²_H | yes] + (1 − m)^N E[‖w − w*‖²_H | no].
    """

    def one(joint: Joint) -> Array:
        if not joint.scales.any():
            return np.full(len(votes), joint.error)
        # Here q is the squared error less a constant: the squared error of the directions without noise.
        limit = joint.constant - (joint.error - joint.mean)
        good, error_of_good = joint.error_up_to(limit)
        rates = np.array([[TRUE_YES, 1 - TRUE_YES], [FALSE_YES, 1 - FALSE_YES]])  # of yes and of no
        yes, no = np.array([good, 1 - good]) @ rates
        error_yes, error_no = np.array([error_of_good, joint.error - error_of_good]) @ rates / (yes, no)
        none = no ** np.asarray(votes, np.float64)
        return np.asarray((1 - none) * error_yes + none * error_no)

    return over_joints(answers, squared_error(answers), one)


ORACLE = Reward("oracle", lambda answers, votes: best_by_quadratic(answers, squared_error(answers), votes))
"""The paper's reward: R = −‖w − w*‖²_H. Its curve is the panels' best_of_n, here from the general formula."""

CONTEXT = Reward("context", lambda answers, votes: best_by_quadratic(answers, residual(answers), votes))
"""What the prompt itself can check: R = −Σ_i (y_i − x_iᵀw)², the log-likelihood of w. No oracle."""

NOISY = Reward("noisy", _noisy)
"""An oracle with measurement error: R = −‖w − w*‖²_H + τ ξ, with ξ standard normal for each answer.

τ is the deviation of ‖w − w*‖²_H among the answers to the task at this t: half of the reward's variance
is noise.
"""

VERDICT = Reward("verdict", _verdict)
"""A judge that says yes to a good answer at the rate TRUE_YES, to another at FALSE_YES.

An answer is good if it is nearer to w* than gradient descent is after as many steps without noise (under
constant noise that is the mean answer). The best of N is drawn from those that got a yes, or from all if none
did.
"""

REWARDS: dict[str, Reward] = {reward.name: reward for reward in (ORACLE, CONTEXT, NOISY, VERDICT)}


def curves(repeats: int = REPEATS, tasks: int = TASKS, votes: tuple[int, ...] = TO_4096) -> pd.DataFrame:
    """The curves table of best-of-N by each reward, the average and the oracle."""
    return pd.concat([_of_line(line, repeats, tasks, votes) for line in LINES], ignore_index=True)


def _of_line(line: Variant, repeats: int, tasks: int, votes: tuple[int, ...]) -> pd.DataFrame:
    setting = line.setting
    assert isinstance(setting, ContinuousSetting)
    drawn = draw_tasks(setting, task_keys(repeats, tasks), seed=0)
    (risks,) = continuous_risk([(drawn, setting)], STEPS, votes, ("ensemble", "best_of_n"))
    answers = Answers(drawn, setting, path_moments(drawn, setting, STEPS))
    others = [reward for reward in REWARDS.values() if reward is not ORACLE]
    judged = {reward.name: best_by_reward(answers, reward, votes) for reward in others}
    return judged_table(risks, judged, STEPS, votes, {"dataset": NAME, "model": line.model}, "risk")


@click.command()
@out_option("Folder to write to.", folder=True)
def main(out: Path) -> None:
    """Write the curves."""
    write_curves(curves(), out / f"{NAME}.csv")


if __name__ == "__main__":
    main()

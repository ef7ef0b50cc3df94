"""Best-of-N by any reward (Definition 2) in the continuous case: what a reward is, and what it may look at.

    best_by_reward(answers, REWARDS["context"], votes=(1, 256))[task, step]  ->  [169.70, 121.34]

Only where w_t is Gaussian, under constant noise, are these exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from results import BadInput
from synthetic.continuous.moments import Moments
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, Tasks


@dataclass(frozen=True)
class Answers:
    """The law of the answers to some tasks at each t: Gaussian, with these moments."""

    tasks: Tasks
    setting: ContinuousSetting
    moments: Moments


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

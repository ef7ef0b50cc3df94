"""An oracle that is read with an error: R = −‖w − w*‖²_H + τ ξ, ξ standard normal for every answer anew.

τ is the deviation of ‖w − w*‖²_H among the answers to the task at this t: half of the reward's variance
is noise.
"""

from collections.abc import Sequence

from synthetic.continuous.rewards.oracle import squared_error
from synthetic.continuous.rewards.quadratic import best_by_quadratic
from synthetic.continuous.rewards.reward import Answers, Reward
from synthetic.model.tasks import Array


def _risk(answers: Answers, votes: Sequence[int]) -> Array:
    return best_by_quadratic(answers, squared_error(answers), votes, spread=lambda joint: joint.deviation)


NOISY = Reward("noisy", _risk)

"""The paper's reward: R = −‖w − w*‖², which is minus twice the number of coordinates missed."""

from synthetic.binary.rewards.reward import Answers, Atom, Reward
from synthetic.model.tasks import Array


def minus_distance(answers: Answers) -> Array:
    """−‖w − w*‖² of every answer, (tasks, 1, supports)."""
    return 2 * (answers.overlap - answers.setting.k)


ORACLE = Reward("oracle", lambda answers: [Atom(1.0, minus_distance(answers))])

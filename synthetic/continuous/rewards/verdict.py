"""A judge that says yes or no: yes to a good answer at the rate TRUE_YES, to another at FALSE_YES.

An answer is good if it is nearer to w* than gradient descent is after as many steps without noise (under
constant noise that is the mean answer). The best of N is drawn from those that got a yes, or from all if none
did, so with m the chance of a yes

    E = (1 − (1 − m)^N) E[‖w − w*‖²_H | yes] + (1 − m)^N E[‖w − w*‖²_H | no].
"""

from collections.abc import Sequence

import numpy as np

from synthetic.binary.rewards.verdict import FALSE_YES, TRUE_YES
from synthetic.continuous.rewards.oracle import squared_error
from synthetic.continuous.rewards.quadratic import Joint, over_joints
from synthetic.continuous.rewards.reward import Answers, Reward
from synthetic.model.tasks import Array


def _risk(answers: Answers, votes: Sequence[int]) -> Array:
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


VERDICT = Reward("verdict", _risk)

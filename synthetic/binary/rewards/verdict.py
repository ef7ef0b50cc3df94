"""A judge that says yes or no: yes to a right answer at the rate TRUE_YES, to a wrong one at FALSE_YES."""

import numpy as np

from synthetic.binary.rewards.reward import Answers, Atom, Reward

TRUE_YES, FALSE_YES = 0.9, 0.1


def _atoms(answers: Answers) -> list[Atom]:
    yes = np.where(answers.overlap == answers.setting.k, TRUE_YES, FALSE_YES)
    return [Atom(yes, 1.0), Atom(1 - yes, 0.0)]


VERDICT = Reward("verdict", _atoms)

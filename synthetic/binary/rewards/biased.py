"""The check of the prompt with a liking for one wrong answer: R = context + LAMBDA · 1{w is that answer}.

The answer liked is the wrong one with the most attention at the start: the likeliest after one step.
"""

import numpy as np

from synthetic.binary.chain import law_of_paths
from synthetic.binary.rewards.reward import Answers, Atom, Reward

LAMBDA = 5.0


def _atoms(answers: Answers) -> list[Atom]:
    first = law_of_paths(answers.tasks, answers.setting, (1,)).probabilities[:, 0].copy()
    tasks = np.arange(len(first))
    first[tasks, answers.law.gold] = -1.0
    liked = np.zeros((len(first), 1, first.shape[1]))
    liked[tasks, 0, first.argmax(axis=1)] = LAMBDA
    return [Atom(1.0, liked - answers.residual)]


BIASED = Reward("biased", _atoms)

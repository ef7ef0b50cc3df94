"""The paper's reward: R = −‖w − w*‖²_H. Its curve is the panels' best_of_n, here from the general formula."""

import numpy as np

from synthetic.continuous.rewards.quadratic import Quadratic, best_by_quadratic
from synthetic.continuous.rewards.reward import Answers, Reward


def squared_error(answers: Answers) -> Quadratic:
    """‖w − w*‖²_H, less what does not depend on w."""
    weights, target = answers.moments.weights, answers.tasks.w_star
    return Quadratic(np.broadcast_to(np.diag(weights), (*target.shape, len(weights))), weights * target)


ORACLE = Reward("oracle", lambda answers, votes: best_by_quadratic(answers, squared_error(answers), votes))

"""What the prompt itself can check: R = −Σ_i (y_i − x_iᵀw)², the log-likelihood of w. No oracle."""

from synthetic.continuous.rewards.quadratic import Quadratic, best_by_quadratic
from synthetic.continuous.rewards.reward import Answers, Reward


def residual(answers: Answers) -> Quadratic:
    """Σ_i (y_i − x_iᵀw)², less what does not depend on w."""
    return Quadratic(answers.tasks.gram, answers.tasks.correlation)


CONTEXT = Reward("context", lambda answers, votes: best_by_quadratic(answers, residual(answers), votes))

"""What the prompt itself can check: R = −Σ_i (y_i − x_iᵀw)², the log-likelihood of w. No oracle."""

from synthetic.binary.rewards.reward import Atom, Reward

CONTEXT = Reward("context", lambda answers: [Atom(1.0, -answers.residual)])

"""The bounds of the paper's theorems as functions.

    vote_lower_bound(gap=0.2, votes=256, answers=10)  ->  0.9402…
    gap_lower_bound(n=2000, k=1, d=5, sigma_eps=0.1, t=8)  ->  0.4365…

The constant hidden in a bound with ≲ is 1 here. Labels such as th:sc_maj_vote are those of the paper's LaTeX
source (arXiv:2508.07571).
"""

from dataclasses import dataclass

import numpy as np

from results import BadInput
from synthetic.model.tasks import Array


def vote_lower_bound(gap: Array | float, votes: Array | int, answers: int) -> Array:
    """1 − |W| e^{−NΔ²/2} ≤ P(vote right) if Δ > 0 (Proposition th:sc_maj_vote); 0 where vacuous."""
    gap = np.asarray(gap, dtype=np.float64)
    bound = 1 - answers * np.exp(-np.asarray(votes) * gap**2 / 2)
    return np.where(gap > 0, np.maximum(bound, 0.0), 0.0)


def transition_bounds(n: int, k: int, d: int, sigma_eps: float) -> tuple[float, float]:
    """(p_trans, p_recurr) of Theorem th:sc_sufficient_n: bounds on reaching w*, and on staying there."""
    root = n**0.25
    trans = (1 - (2 * k + sigma_eps) / (root - (2 * k + sigma_eps))) / d**k
    stay = (root - sigma_eps) / (root - sigma_eps + d * sigma_eps)
    recur = (1 - sigma_eps / (root - sigma_eps)) * stay**k
    return trans, recur


def gap_lower_bound(n: int, k: int, d: int, sigma_eps: float, t: int) -> float:
    """The lower bound on Δ_t of Theorem th:sc_sufficient_n.

    Raises BadInput unless n ≥ (6k + 3σ_ε)⁴, as the theorem assumes, and t ≥ 1.
    """
    fewest = (6 * k + 3 * sigma_eps) ** 4
    if n < fewest:
        raise BadInput(f"n={n}: this bound needs n of at least (6k + 3 sigma_eps)^4 = {fewest:,.0f}")
    if t < 1:
        raise BadInput(f"t={t}: this bound needs t of at least 1")
    trans, recur = transition_bounds(n, k, d, sigma_eps)
    return trans / (trans + 1 - recur) * (1 - (recur - trans) ** (t - 1))


@dataclass(frozen=True)
class RiskBound:
    """An excess-risk bound with hidden constants 1: prior `bias`, label-noise `variance`, `sampling`/N."""

    bias: float
    variance: float
    sampling: float = 0.0

    def total(self, votes: int = 1) -> float:
        """The whole bound for N paths."""
        return self.bias + self.variance + self.sampling / votes


def gradient_descent_bound(
    eigenvalues: Array, n: int, eta: float, t: int, omega: float, sigma_eps: float
) -> RiskBound:
    """Bound for t gradient steps of size η/n (Theorem thm:_gd_continuous)."""
    bias, variance = _ridge_terms(eigenvalues, n, n / (eta * t))
    return RiskBound(omega**2 * bias, sigma_eps**2 * variance)


def constant_noise_bound(
    eigenvalues: Array, n: int, eta: float, t: int, omega: float, sigma_eps: float, variance: float
) -> RiskBound:
    """Bound for an ensemble under constant noise of this variance per step (thm:_average_continuous).

    Includes the label-noise term that the theorem omits, unlike its corollary
    (cor:_average_continuous_restate).
    """
    descent = gradient_descent_bound(eigenvalues, n, eta, t, omega, sigma_eps)
    rank = eigenvalues.sum() / eigenvalues.max()
    spread = t * np.sqrt(max(rank, np.log(n)) / n) + 1 / eta
    return RiskBound(descent.bias, descent.variance, variance * len(eigenvalues) * spread)


def linear_noise_bound(
    eigenvalues: Array, n: int, eta: float, t: int, omega: float, sigma_eps: float, variance: float
) -> RiskBound:
    """Bound for an ensemble under linear noise, with variance ≍ 1/d and t > log 2 / variance.

    Theorem thm:_average_continuous.
    """
    ridge = variance / (1 - variance)
    bias, _ = _ridge_terms(eigenvalues, n, n / eta * (2 / t + ridge * (1 + 2 / t)))
    _, noise = _ridge_terms(eigenvalues, n, n / eta * ridge)
    d = len(eigenvalues)
    sampling = (eta * sigma_eps**2 * d / (n * variance) * eigenvalues.sum() + omega**2) * eigenvalues.max()
    return RiskBound(omega**2 * bias, sigma_eps**2 * noise, float(sampling))


def polynomial_rate(decay: float, n: int, eta: float, t: int, omega: float, sigma_eps: float) -> RiskBound:
    """Bound for gradient descent with eigenvalues i^−(r+1): ω² (tη)^−r/(r+1) + σ_ε²/n (tη)^1/(r+1).

    Proposition cor:_gd_continuous_polynomial_decay.
    """
    horizon = t * eta
    bias = omega**2 * horizon ** (-decay / (decay + 1))
    return RiskBound(bias, sigma_eps**2 / n * horizon ** (1 / (decay + 1)))


def _ridge_terms(eigenvalues: Array, n: int, ridge: float) -> tuple[float, float]:
    """Bias (over ω²) and variance (over σ_ε²) of ridge regression at its effective rank k*.

    k* = min{k : nλ_{k+1} ≤ ridge + Σ_{i>k} λ_i}; eigenvalues must descend.
    """
    tails = np.append(np.cumsum(eigenvalues[::-1])[::-1], 0.0)
    following = np.append(eigenvalues, 0.0)
    k = int(np.argmax(n * following <= ridge + tails))
    effective = ridge + tails[k]
    bias = (effective / n) ** 2 * (1 / eigenvalues[:k]).sum() + tails[k]
    variance = k / n + n / effective**2 * (eigenvalues[k:] ** 2).sum()
    return float(bias), float(variance)

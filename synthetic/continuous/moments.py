"""Exact mean and covariance of w_t in the continuous case, which give the ensemble's risk for every N.

    moments = path_moments(tasks, setting, steps=(950,))
    moments.ensemble_risk(votes=(1, 256))[task, step]  ->  [33.51, 31.13]

In the eigenbasis Q of XᵀX (eigenvalues λ), a gradient step is w̃_i = D_i w_i + b_i with D = 1 − step·λ and
b = step·Qᵀ Xᵀy. With s the variance of ξ, e the sign of linear noise, m̃ and M the mean and covariance of w̃,
and C the covariance of the next w:

    constant noise   E[w] = m̃,           C = M + s I
    linear noise     E[w] = (1 + es) m̃,  C = (1 + 2es + 2s²) M + s² m̃m̃ᵀ + s² (tr M + ‖m̃‖²) I

Each law states its own factors (`MomentRule` in `synthetic/model/noise.py`).
"""

from dataclasses import dataclass, replace

import numpy as np

from results import BadInput
from synthetic.model.noise import MomentRule
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues

DIVERGED = 1e12
"""A path with a squared norm this many times that of w* (or 1, if larger) has diverged."""


@dataclass(frozen=True)
class Moments:
    """`error` = E[w_t] − w*, (tasks, steps, d), and `covariance`, (tasks, steps, d, d).

    `weights` (d,) is the diagonal of H, the covariates' covariance: risk is ‖w − w*‖²_H, twice the paper's
    excess risk.
    """

    error: Array
    covariance: Array
    weights: Array

    @property
    def bias(self) -> Array:
        """‖E[w_t] − w*‖²_H, (tasks, steps): the ensemble's risk as N → ∞."""
        return np.asarray(self.error**2 @ self.weights)

    @property
    def variance(self) -> Array:
        """tr(H Cov w_t), (tasks, steps): the rest of one path's risk."""
        return np.asarray(np.einsum("btii->bti", self.covariance) @ self.weights)

    def ensemble_risk(self, votes: tuple[int, ...]) -> Array:
        """E‖w_avg − w*‖²_H = bias + variance/N, (tasks, steps, votes)."""
        return np.asarray(self.bias[..., None] + self.variance[..., None] / np.array(votes))


def gradient_descent_risk(tasks: Tasks, setting: ContinuousSetting, steps: tuple[int, ...]) -> Array:
    """‖w_GD − w*‖²_H after t noise-free steps, (tasks, steps). Raises BadInput if it diverges."""
    return path_moments(tasks, replace(setting, noise="constant", sigma=0.0), steps).bias


def path_moments(tasks: Tasks, setting: ContinuousSetting, steps: tuple[int, ...]) -> Moments:
    """Mean and covariance of one reasoning path at each t of `steps` (ascending).

    With linear noise and H = I only the trace of the covariance is right. Raises BadInput if a path
    diverges, and for a noise law without a moment rule.
    """
    rule, (eigenvalues, basis) = setting.moment_rule, tasks.eigen
    if rule is None:
        raise BadInput(f"noise={setting.noise}: this law states no moments: use --solver monte-carlo")
    shrink = 1 - setting.step * eigenvalues
    push = setting.step * (tasks.correlation[:, None] @ basis)[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):  # a diverging path overflows
        mean = np.stack([rule.mean * push * geometric(rule.mean * shrink, t) for t in steps], axis=1)
        if rule.outer or rule.trace:
            covariance = _covariance_by_steps(shrink, push, rule, setting.decay is not None, steps)
        else:
            spread = rule.spread * shrink**2
            variance = np.stack([rule.added * geometric(spread, t) for t in steps], axis=1)
            covariance = variance[..., None] * np.eye(setting.d)
        size = (mean**2).sum(axis=2) + np.trace(covariance, axis1=2, axis2=3)
        back = np.swapaxes(basis, 1, 2)
        error = mean @ back - tasks.w_star[:, None]
        covariance = basis[:, None] @ covariance @ back[:, None]
    refuse_divergence(size, tasks, setting, steps)
    return Moments(error, covariance, covariance_eigenvalues(setting))


def geometric(ratio: Array, count: int) -> Array:
    """1 + ratio + … + ratio^(count−1) by doubling, which loses no digits if the ratio is near 1."""
    total, power = np.zeros_like(ratio), np.ones_like(ratio)
    for bit in f"{count:b}":
        total, power = total * (1 + power), power * power
        if bit == "1":
            total, power = total + power, power * ratio
    return total


def _covariance_by_steps(
    shrink: Array, push: Array, rule: MomentRule, whole: bool, steps: tuple[int, ...]
) -> Array:
    """The covariance by the rule, step by step in the eigenbasis, (tasks, steps, d, d).

    Unless `whole`, only the diagonal is computed, which does not depend on the rest.
    """
    outer = (lambda v: v[:, :, None] * v[:, None, :]) if whole else np.square
    scale = rule.spread * outer(shrink)
    mean, covariance = np.zeros_like(shrink), np.zeros_like(scale)
    diagonal = np.einsum("bii->bi", covariance) if whole else covariance  # a view
    moments = []
    for t in range(1, steps[-1] + 1):
        mean = shrink * mean + push
        size = (mean**2 + shrink**2 * diagonal).sum(axis=1, keepdims=True)
        covariance *= scale
        covariance += rule.outer * outer(mean)
        diagonal += rule.trace * size + rule.added
        mean *= rule.mean
        if t in steps:
            moments.append(covariance.copy() if whole else covariance[..., None] * np.eye(shrink.shape[1]))
    return np.stack(moments, axis=1)


def refuse_divergence(size: Array, tasks: Tasks, setting: ContinuousSetting, steps: tuple[int, ...]) -> None:
    """Raise BadInput if a squared norm of `size` (tasks, steps) has diverged."""
    limit = DIVERGED * np.maximum((tasks.w_star**2).sum(axis=1, keepdims=True), 1.0)
    bounded = (size < limit).all(axis=0)
    if bounded.all():
        return
    pull = setting.step * tasks.eigen[0].max()
    why = f"the step times the largest eigenvalue of XᵀX is {pull:.3g}, not below 2"
    if pull < 2:
        most = f"not below about 2/(d+2) = {2 / (setting.d + 2):.3g}"
        noise = f"{setting.noise} noise has the variance {setting.noise_variance:g}"
        why = f"{noise} in {setting.d} dimensions, {most}"
    raise BadInput(
        f"a path diverges by step {steps[int(bounded.argmin())]}: {why} (noise_scale={setting.noise_scale}, "
        f"sigma={setting.sigma:g}, eta={setting.eta:g})"
    )

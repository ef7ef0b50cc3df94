"""Exact mean and covariance of w_t in the continuous case, which give the ensemble's risk for every N.

    moments = path_moments(spectrum(tasks, setting), setting, steps=(950,))
    moments.ensemble_risk(votes=(1, 256))[task, step]  ->  [33.51, 31.13]

In the eigenbasis Q of XᵀX (eigenvalues λ) a gradient step is w̃_i = D_i w_i + b_i with D = 1 − step·λ and
b = step·Qᵀ Xᵀy. With s the variance of ξ, e the sign of linear noise, m̃ and M the mean and covariance of w̃,
and C the covariance of the next w:

    constant noise   E[w] = m̃,           C = M + s I
    linear noise     E[w] = (1 + es) m̃,  C = (1 + 2es + 2s²) M + s² m̃m̃ᵀ + s² (tr M + ‖m̃‖²) I

The linear case rests on E[(I−ξξᵀ)A(I−ξξᵀ)] = (1−2s+2s²)A + s² tr(A) I for symmetric A. The paper's lemma has
tr(A)I + diag(A) there, which is wrong off the diagonal (shown in the tests).
"""

from dataclasses import dataclass, replace

import numpy as np

from results import BadInput
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues

DIVERGED = 1e12
"""A squared length this many times that of w* (or of 1) is called divergence."""


@dataclass(frozen=True)
class Spectrum:
    """A stack of tasks in the eigenbasis Q of each one's XᵀX.

    `eigenvalues`, `pull` = QᵀXᵀy and `target` = Qᵀw* are (tasks, d); `metric` = QᵀHQ is (tasks, d, d), with
    H the covariance of the covariates. Which Q is picked where eigenvalues coincide changes no risk.
    """

    eigenvalues: Array
    pull: Array
    target: Array
    metric: Array


@dataclass(frozen=True)
class Moments:
    """`error` = E[w_t] − w*, (tasks, steps, d), and `covariance`, (tasks, steps, d, d), in the eigenbasis."""

    error: Array
    covariance: Array
    metric: Array

    @property
    def bias(self) -> Array:
        """‖E[w_t] − w*‖²_H, (tasks, steps): the ensemble's risk as N → ∞."""
        return risk(self.error, self.metric)

    @property
    def variance(self) -> Array:
        """tr(H Cov w_t), (tasks, steps): what one path adds to the risk."""
        return np.asarray(np.einsum("bij,btij->bt", self.metric, self.covariance))

    def ensemble_risk(self, votes: tuple[int, ...]) -> Array:
        """E‖w_avg − w*‖²_H = bias + variance/N, (tasks, steps, votes)."""
        return np.asarray(self.bias[..., None] + self.variance[..., None] / np.array(votes))


def risk(error: Array, metric: Array) -> Array:
    """‖w − w*‖²_H, (tasks, steps), of errors (tasks, steps, d) under `metric` (tasks, d, d).

    The paper's excess risk is half of it.
    """
    return np.asarray(np.einsum("bti,bij,btj->bt", error, metric, error))


def spectrum(tasks: Tasks, setting: ContinuousSetting) -> Spectrum:
    """The eigenbasis of every task's XᵀX and the task in it."""
    eigenvalues, basis = np.linalg.eigh(tasks.gram)
    covariance = covariance_eigenvalues(setting)
    metric = np.swapaxes(basis, 1, 2) @ (covariance[:, None] * basis)
    return Spectrum(
        np.maximum(eigenvalues, 0.0),
        np.einsum("bij,bi->bj", basis, tasks.correlation),
        np.einsum("bij,bi->bj", basis, tasks.w_star),
        metric,
    )


def gradient_descent_risk(view: Spectrum, setting: ContinuousSetting, steps: tuple[int, ...]) -> Array:
    """‖w_GD − w*‖²_H after t noise-free steps, (tasks, steps). Raises BadInput where it diverges."""
    return path_moments(view, replace(setting, noise="constant", sigma=0.0), steps).bias


def path_moments(view: Spectrum, setting: ContinuousSetting, steps: tuple[int, ...]) -> Moments:
    """Mean and covariance of one reasoning path at each t of `steps` (rising).

    Raises BadInput, saying when, if they diverge. With constant noise, or with H = I, only the diagonal of
    the covariance matters and it alone is carried along.
    """
    s, linear = setting.noise_variance, setting.noise == "linear"
    sign = setting.linear_sign if linear else 0
    whole = linear and setting.decay is not None
    tasks, d = view.eigenvalues.shape
    diagonal = np.arange(d)
    limit = DIVERGED * np.maximum((view.target**2).sum(axis=1), 1.0)
    shrink = 1 - setting.step * view.eigenvalues
    scale = shrink[:, :, None] * shrink[:, None, :] if whole else shrink**2
    mean, covariance = np.zeros_like(shrink), np.zeros_like(scale)
    errors = np.empty((tasks, len(steps), d))
    covariances = np.zeros((tasks, len(steps), d, d))
    for t in range(1, steps[-1] + 1):
        mean = shrink * mean + setting.step * view.pull
        covariance *= scale
        size = (mean**2).sum(axis=1)
        if linear:
            size += covariance[:, diagonal, diagonal].sum(axis=1) if whole else covariance.sum(axis=1)
            covariance *= 1 + 2 * sign * s + 2 * s**2
            covariance += s**2 * (mean[:, :, None] * mean[:, None, :] if whole else mean**2)
        if not np.all(size < limit):
            raise diverged(t, setting, float(view.eigenvalues.max()))
        isotropic = s**2 * size[:, None] if linear else s
        if whole:
            covariance[:, diagonal, diagonal] += isotropic
        else:
            covariance += isotropic
        mean = mean * (1 + sign * s)
        if t in steps:
            at = steps.index(t)
            errors[:, at] = mean - view.target
            if whole:
                covariances[:, at] = covariance
            else:
                covariances[:, at, diagonal, diagonal] = covariance
    return Moments(errors, covariances, view.metric)


def diverged(t: int, setting: ContinuousSetting, largest: float) -> BadInput:
    """The refusal of a setting whose paths diverge at step t; `largest` is the largest eigenvalue of XᵀX."""
    why = f"the step times the largest eigenvalue of XᵀX is {setting.step * largest:.3g}, not below 2"
    if setting.step * largest < 2:
        limit = f"not below about 2/(d+2) = {2 / (setting.d + 2):.3g}"
        why = f"linear noise has the variance {setting.noise_variance:g} in {setting.d} dimensions, {limit}"
    return BadInput(
        f"a path diverges at step {t}: {why} (noise_scale={setting.noise_scale}, "
        f"sigma={setting.sigma:g}, eta={setting.eta:g})"
    )

"""Mean and covariance of w_t in the continuous case, exactly, hence the ensemble's risk for every N.

    moments = path_moments(tasks, setting, steps=(950,))
    moments.ensemble_risk(votes=(1, 256))[task, step]  ->  [33.51, 31.13]

In the eigenbasis Q of XᵀX (eigenvalues λ) a gradient step is w̃_i = D_i w_i + b_i with D = 1 − step·λ and
b = step·Qᵀ Xᵀy. With s the variance of ξ, M and C the covariances of w̃ and of the next w:

    constant noise   C = M + s I
    linear noise     E[w] = ρ E[w̃],  C = (1 + 2es + 2s²) M + s² w̃w̃ᵀ + s² (tr M + ‖w̃‖²) I,  ρ = 1 + es

with w̃ its mean and e the sign. (The paper's lemma for E[(I−ξξᵀ)A(I−ξξᵀ)] has tr(A)I + diag(A); for
symmetric A it is (1−2s+2s²)A + s² tr(A) I, checked by simulation in the tests.)
"""

from dataclasses import dataclass

import numpy as np

from results import BadInput
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues

DIVERGED = 1e12
"""A squared length this many times that of w* (or of 1) is called divergence."""


@dataclass(frozen=True)
class Spectrum:
    """A stack of tasks seen from the eigenbasis of XᵀX.

    `basis` (tasks, d, d) has the eigenvectors as columns, `eigenvalues` and `pull` = Qᵀ Xᵀy and
    `target` = Qᵀ w* are (tasks, d); `metric` (tasks, d, d) is QᵀHQ, the covariance of the covariates.
    """

    basis: Array
    eigenvalues: Array
    pull: Array
    target: Array
    metric: Array


@dataclass(frozen=True)
class Moments:
    """In the eigenbasis: `error` (tasks, steps, d) is E[w_t] − w*, `covariance` (tasks, steps, d, d)."""

    error: Array
    covariance: Array
    metric: Array

    @property
    def bias(self) -> Array:
        """‖E[w_t] − w*‖²_H, (tasks, steps): the ensemble's risk as N → ∞."""
        return np.asarray(np.einsum("bti,bij,btj->bt", self.error, self.metric, self.error))

    @property
    def variance(self) -> Array:
        """tr(H Cov w_t), (tasks, steps): what one path adds to the risk."""
        return np.asarray(np.einsum("bij,btij->bt", self.metric, self.covariance))

    def ensemble_risk(self, votes: tuple[int, ...]) -> Array:
        """E‖w_avg − w*‖²_H = bias + variance/N, (tasks, steps, votes); the excess risk is half of it."""
        return np.asarray(self.bias[..., None] + self.variance[..., None] / np.array(votes))


def spectrum(tasks: Tasks, setting: ContinuousSetting) -> Spectrum:
    """The eigenbasis of every task's XᵀX and the task in it."""
    eigenvalues, basis = np.linalg.eigh(tasks.gram)
    covariance = covariance_eigenvalues(setting)
    metric = np.swapaxes(basis, 1, 2) @ (covariance[:, None] * basis)
    return Spectrum(
        basis,
        np.maximum(eigenvalues, 0.0),
        np.einsum("bij,bi->bj", basis, tasks.correlation),
        np.einsum("bij,bi->bj", basis, tasks.w_star),
        metric,
    )


def geometric(gap: Array, count: int) -> Array:
    """1 + r + … + r^(count−1) with r = 1 − gap, accurate for small gaps."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = -np.expm1(count * np.log1p(-gap)) / gap
        far = (1 - (1 - gap) ** count) / gap
    return np.asarray(np.where(gap == 0, count, np.where(abs(gap) < 0.5, near, far)))


def gradient_descent_error(view: Spectrum, setting: ContinuousSetting, steps: tuple[int, ...]) -> Array:
    """w_GD − w* after t noise-free steps (Appendix, special case), (tasks, steps, d). Raises BadInput."""
    return _mean_error(view, setting, steps, factor=1.0)


def path_moments(view: Spectrum, setting: ContinuousSetting, steps: tuple[int, ...]) -> Moments:
    """Mean and covariance of one reasoning path at each t. Raises BadInput, saying when, if they diverge."""
    s, d = setting.noise_variance, setting.d
    if setting.noise == "constant":
        error = _mean_error(view, setting, steps, factor=1.0)
        decay = setting.step * view.eigenvalues
        diagonal = np.stack([s * geometric(decay * (2 - decay), t) for t in steps], axis=1)
        return Moments(error, diagonal[..., None] * np.eye(d), view.metric)
    factor = 1 + setting.linear_sign * s
    error = _mean_error(view, setting, steps, factor)
    return Moments(error, _linear_covariance(view, setting, steps, factor), view.metric)


def _mean_error(view: Spectrum, setting: ContinuousSetting, steps: tuple[int, ...], factor: float) -> Array:
    """E[w_t] − w* where every step multiplies the mean of w̃ by `factor`."""
    gap = 1 - factor * (1 - setting.step * view.eigenvalues)
    start = factor * setting.step * view.pull
    with np.errstate(invalid="ignore"):  # ∞ · 0 on the way to the refusal below
        means = [start * geometric(gap, t) for t in steps]
    if not _bounded(means[-1], view):
        when = next(t for t in range(1, steps[-1] + 1) if not _bounded(start * geometric(gap, t), view))
        raise BadInput(
            f"the mean path diverges at step {when}, growing up to {abs(1 - gap).max():.3g}-fold a step: "
            f"step {setting.step:g} times the largest eigenvalue {view.eigenvalues.max():.4g} of XᵀX and the "
            f"noise variance {setting.noise_variance:g} of linear noise are both expected below 2"
        )
    return np.stack(means, axis=1) - view.target[:, None]


def _bounded(w: Array, view: Spectrum) -> bool:
    limit = DIVERGED * np.maximum((view.target**2).sum(axis=1), 1.0)
    with np.errstate(over="ignore"):
        return bool(np.all((w**2).sum(axis=1) < limit))


def _linear_covariance(
    view: Spectrum, setting: ContinuousSetting, steps: tuple[int, ...], factor: float
) -> Array:
    """The recursion for linear noise. With H = I the diagonal alone is needed, and it closes on itself."""
    s, sign = setting.noise_variance, setting.linear_sign
    tasks, d = view.eigenvalues.shape
    whole = setting.decay is not None
    shrink = 1 - setting.step * view.eigenvalues
    diagonal = np.arange(d)
    limit = DIVERGED * np.maximum((view.target**2).sum(axis=1), 1.0)
    scale = shrink[:, :, None] * shrink[:, None, :] if whole else shrink**2
    covariance = np.zeros_like(scale)
    mean = np.zeros_like(shrink)
    out = np.zeros((tasks, len(steps), d, d))
    for t in range(1, steps[-1] + 1):
        moved = shrink * mean + setting.step * view.pull
        covariance *= scale
        trace = covariance[:, diagonal, diagonal].sum(axis=1) if whole else covariance.sum(axis=1)
        isotropic = s**2 * (trace + (moved**2).sum(axis=1))
        covariance *= 1 + 2 * sign * s + 2 * s**2
        covariance += s**2 * (moved[:, :, None] * moved[:, None, :] if whole else moved**2)
        if whole:
            covariance[:, diagonal, diagonal] += isotropic[:, None]
        else:
            covariance += isotropic[:, None]
        mean = factor * moved
        if not np.all(isotropic < s**2 * limit):
            raise BadInput(
                f"the sampling noise diverges at step {t}: linear noise of variance {s:g} in {d} dimensions, "
                f"expected below about 2/(d+2) = {2 / (d + 2):.3g} (noise_scale={setting.noise_scale!r}, "
                f"sigma={setting.sigma:g}, eta={setting.eta:g})"
            )
        if t in steps:
            at = steps.index(t)
            if whole:
                out[:, at] = covariance
            else:
                out[:, at, diagonal, diagonal] = covariance
    return out

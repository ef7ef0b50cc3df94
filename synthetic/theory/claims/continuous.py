"""Claims about continuous coefficients (Section 4, Figure 2a–d).

    ensemble-linear-noise-beats-descent  sigma_eps=3 …  risk − descent's, N → ∞  −2.24 [−2.57, −1.91]  holds

Risk is ‖w − w*‖²_H; differences are paired by task, so their intervals are narrow. Two statements are left
out because they cannot fail: constant noise adds variance/N to an ensemble, and a minimum falls with N.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from typing import get_args

from synthetic.continuous.descent import sample_paths
from synthetic.continuous.least_error import best_of_n_risk
from synthetic.continuous.moments import Moments, gradient_descent_risk, path_moments
from synthetic.model.settings import ContinuousSetting, NoiseScale, StepRule
from synthetic.model.tasks import Array, covariance_eigenvalues
from synthetic.theory import theorems as theory
from synthetic.theory.claim import Claim, ClaimRow, mean_row
from synthetic.theory.claims.own_setting import tasks_of

TASKS = 20
T = 950
OTHER_SCALES = get_args(NoiseScale)[1:]
"""Other readings of the variance of ξ; "raw" is Algorithm 1 as printed."""
NOISES = ("constant", "linear")
"""The paper's two laws, which its claims are about."""
PAPER = ContinuousSetting(n=36, d=72, eta=1e-3, sigma_eps=1.0, sigma=2.0)
"""The sizes of Figure 1, with constant noise."""


def _solved(
    setting: ContinuousSetting, seed: int, steps: tuple[int, ...] = (T,), tasks: int = TASKS
) -> tuple[Moments, Array]:
    """The moments of one path and the risk of gradient descent, (tasks, steps)."""
    drawn = tasks_of(setting, seed, tasks)
    return path_moments(drawn, setting, steps), gradient_descent_risk(drawn, setting, steps)


def _linear_ensemble(seed: int) -> Iterator[ClaimRow]:
    for step_rule, sigma_eps in product(get_args(StepRule), (0.5, 1.0, 2.0, 3.0, 5.0)):
        setting = replace(PAPER, sigma_eps=sigma_eps, noise="linear", step_rule=step_rule)
        moments, descent = _solved(setting, seed)
        label = f"sigma_eps={sigma_eps:g} step_rule={step_rule}"
        yield mean_row(label, "risk − descent's, N → ∞", moments.bias[:, 0] - descent[:, 0], below=0)


@lru_cache(maxsize=4)
def _at_256(setting: ContinuousSetting, steps: tuple[int, ...], seed: int) -> tuple[Array, Array, Array]:
    """Risks of best-of-256, of an ensemble of 256 and of gradient descent, (tasks, steps) each."""
    tasks = tasks_of(setting, seed, 2)
    moments = path_moments(tasks, setting, steps)
    if setting.noise == "constant":
        best = best_of_n_risk(moments, (256,))
    else:
        best = sample_paths([(tasks, setting)], 256, steps)[0].best_of_n_risk((256,))
    return best[..., 0], moments.ensemble_risk((256,))[..., 0], gradient_descent_risk(tasks, setting, steps)


def _best_of_n(seed: int, quantity: str, other: int) -> Iterator[ClaimRow]:
    """Best-of-256 minus the `other` of `_at_256`, for the paper's two laws and other scales of the noise.

    Best-of-N knows the truth but may still lose: the mean of N paths need not be one of them.
    """
    for noise in NOISES:
        risks = _at_256(replace(PAPER, noise=noise), (50, T), seed)
        for at, t in enumerate((50, T)):
            yield mean_row(f"{noise} noise, t={t}", quantity, (risks[0] - risks[other])[:, at], below=0)
    for scale in OTHER_SCALES:
        risks = _at_256(replace(PAPER, noise_scale=scale), (T,), seed)
        setting = f"constant noise, t={T}, noise_scale={scale}"
        yield mean_row(setting, quantity, (risks[0] - risks[other])[:, 0], below=0)


def _longer_is_better(seed: int) -> Iterator[ClaimRow]:
    for noise in NOISES:
        moments, _ = _solved(replace(PAPER, noise=noise), seed, steps=(50, T), tasks=100)
        for votes, of in ((1, "one path"), (256, "ensemble of 256")):
            risk = moments.ensemble_risk((votes,))[..., 0]
            gain = risk[:, 1] - risk[:, 0]
            yield mean_row(f"{noise} noise, {of}", f"risk at t={T} less t=50", gain, below=0)


def _regime(d: int) -> ContinuousSetting:
    """The regime of Section 4: ω = σ_ε = 1, n = ηd, σ² = 1/d, eigenvalues i^−2."""
    return ContinuousSetting(
        n=d // 2,
        d=d,
        eta=0.5,
        sigma_eps=1.0,
        sigma=d**-0.5,
        noise="linear",
        noise_scale="raw",
        step_rule="eta/n",
        decay=1.0,
    )


def _enough_paths(seed: int) -> Iterator[ClaimRow]:
    """From N_l paths on, the ensemble's risk is of the order of its limit."""
    for d in (36, 72, 144):
        setting = _regime(d)
        moments, _ = _solved(setting, seed, steps=(4 * d,), tasks=2)
        horizon = 0.5 * (1 - 1 / d) * d
        sampling = _bound(setting, 4 * d).sampling
        enough = sampling / (horizon**-0.5 + horizon**0.5 / setting.n)
        over = 1 + moments.variance[:, 0] / enough / moments.bias[:, 0]
        yield mean_row(
            f"d={d}", f"risk at N_l = {enough:.0f} over the limit's (ours: < 1.5)", over, below=1.5
        )


def _overfitting(seed: int) -> Iterator[ClaimRow]:
    """The regime of Section 4 at t = t̃ d, t̃ from 1 to 64."""
    quantity, d = "risk at t=64d over t=d", 72
    moments, descent = _solved(_regime(d), seed, steps=(d, 64 * d), tasks=10)
    yield mean_row("gradient descent", quantity, descent[:, 1] / descent[:, 0], above=1)
    growth = moments.bias[:, 1] / moments.bias[:, 0]
    yield mean_row("ensemble, N → ∞", f"{quantity} (ours: < 1.05)", growth, below=1.05)


def _bound(setting: ContinuousSetting, t: int) -> theory.RiskBound:
    """The theorem's bound for the setting's noise, or for gradient descent if it has none."""
    given = covariance_eigenvalues(setting), setting.n, setting.eta, t, setting.omega, setting.sigma_eps
    if setting.sigma == 0:
        return theory.gradient_descent_bound(*given)
    bounds = {"constant": theory.constant_noise_bound, "linear": theory.linear_noise_bound}
    return bounds[setting.noise](*given, setting.noise_variance)


def _bound_row(setting: str, risk: Array, bound: theory.RiskBound, votes: int = 1) -> ClaimRow:
    """Whether the constant hidden in ≲ is below 2. `risk` (tasks,) is twice the paper's excess risk."""
    ratio = risk / 2 / bound.total(votes)
    return mean_row(setting, "excess risk / bound (ours: < 2)", ratio, below=2)


def _descent_bounds(seed: int) -> Iterator[ClaimRow]:
    """Whether one constant serves all n and t."""
    for n, t in product((50, 200), (20, 500)):
        setting = replace(_regime(100), n=n, sigma=0.0)
        _, descent = _solved(setting, seed, (t,))
        rate = theory.polynomial_rate(1.0, n, setting.eta, t, setting.omega, setting.sigma_eps)
        yield _bound_row(f"theorem n={n} t={t}", descent[:, 0], _bound(setting, t))
        yield _bound_row(f"proposition r=1 n={n} t={t}", descent[:, 0], rate)


def _ensemble_bounds(seed: int) -> Iterator[ClaimRow]:
    """Whether one constant serves every N from 1 to 4,096."""
    votes = (1, 16, 256, 4096)
    constant = replace(_regime(40), n=60, sigma=0.1, noise="constant")
    for setting, t in ((constant, 100), (_regime(80), 800)):
        moments, _ = _solved(setting, seed, (t,), tasks=4)
        for at, N in enumerate(votes):
            risk = moments.ensemble_risk(votes)[:, 0, at]
            yield _bound_row(f"{setting.noise} noise, t={t}, N={N:,}", risk, _bound(setting, t), N)


_OVER_DESCENT = partial(_best_of_n, quantity="best-of-256 − descent", other=2)
_OVER_ENSEMBLE = partial(_best_of_n, quantity="best-of-256 − ensemble of 256", other=1)

CONTINUOUS_CLAIMS = [
    Claim("ensemble-linear-noise-beats-descent", "Sec. 4 remark (iii), Sec. 6.1", _linear_ensemble),
    Claim("a-longer-path-has-less-risk", "ours, Fig. 1", _longer_is_better),
    Claim("best-of-n-beats-descent", "ours, Fig. 2c, d", _OVER_DESCENT),
    Claim("best-of-n-is-an-upper-bound", "Sec. 3.2, best-of-N", _OVER_ENSEMBLE),
    Claim("enough-paths-reach-the-limit", "App. C corollary, N_l", _enough_paths),
    Claim("descent-overfits-and-linear-ensemble-does-not", "Sec. 4, regime of remark (iii)", _overfitting),
    Claim("descent-risk-within-its-bound", "Sec. 4 proposition, App. C theorem", _descent_bounds),
    Claim("ensemble-risk-within-its-bound", "App. C theorem, both noises", _ensemble_bounds),
]

"""Low-Cost-to-High Estimate: Algorithm 3 of the paper, line by line, with condition numbers.

    Acc(T, 1) for T = 0.8 1.1 1.5 2.0,  Acc(T_1, N) and Acc(T_2, N) for N = 1 2 4 8   ->   Acc(3.1, 8) = 0.86

The paper measures T in 10^5 tokens over all questions (T′); here T is tokens per answer. This
changes the unit of μ (the paper's is μ · 10^5 / questions) but not the forecasts.

Part 2's input is D_N = {Acc(T_1, N), Acc(T_2, N)}, measured at the N to forecast. The question is then
*longer*: a more expensive T at an N for which the cheap lengths were sampled. For an N not measured at all,
*longer and more*, the algorithm has no such input, and we read D_N off the curves of Part 1, lines 3-4.

The paper does not say which settings T_1 and T_2 are. We take the shortest and the longest with
three or more different N: the widest spread conditions both 2×2 systems best (studies/figure_3
measures the choice). Two unknowns are fitted to two points exactly, and to more than two
settings by least squares. We read T_0, T_1 in line 5 as T_1, T_2, and P_{T_i} in Part 2,
line 3, as Δ_{T_i}.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from results.saturating import Array, Saturating, fit_saturating
from results.tables.status import Status
from results.votes.exact import Ints

NAME = "low-cost-to-high"
"""The algorithm's name among predictors."""

Curve = tuple[Ints, Array]
"""N and accuracy at one setting."""

Solution = tuple[tuple[float, float], float]
"""Level and drop, such as (α, β), and the condition number of their system (2×2 for two settings)."""

_SINGULAR = 1e12
"""From this condition number on, rounding in the fits (a few 1e-15)
could move a solution by a hundredth."""


@dataclass(frozen=True)
class Gap:
    """Part 1's result, Δ_T ≈ gamma − kappa · e^{−mu·T}, and the fits behind it.

    single: the fit of Acc(T, 1); at_ends: the fits of Acc(T_i, N) over N, for T_1, T_2 (or more).
    """

    gamma: float
    kappa: float
    mu: float
    single: Saturating
    at_ends: tuple[Saturating, ...]
    condition: float
    status: Status

    def __call__(self, T: Array | float) -> Array:
        """Δ_T at reasoning lengths `T`, shape as given."""
        return np.asarray(self.gamma - self.kappa * np.exp(-self.mu * np.asarray(T)))


def part_1(T: Array, acc_single: Array, ends: Array, curves: Sequence[Curve]) -> Gap:
    """Part 1: (γ, κ, μ) of Δ_T ≈ γ − κ e^{−μT}.

    Arguments: `T`, `acc_single`: Acc(T_i, 1), shape (settings,); `ends`: T_1, T_2 (or more), and `curves`:
    (N, Acc(T_i, N)) at each. The status is the worst of the fits' and the solution's.
    """
    # line 2: (γ', κ', μ) <- fit Acc(T, 1) = γ' − κ' e^{−μT}
    single = fit_saturating(T, acc_single)
    # lines 3-4: (α_{T_i}, β_{T_i}, Δ_{T_i}) <- fit Acc(T_i, N) = α − β e^{−Δ² N / 2}
    at_ends = tuple(fit_saturating(*curve) for curve in curves)
    return gap_of(single, at_ends, ends)


def gap_of(single: Saturating, at_ends: tuple[Saturating, ...], ends: Array) -> Gap:
    """Part 1, line 5: Δ_T from the fits of lines 2 to 4."""
    mu = single.rate
    delta = np.sqrt([2 * fit.rate for fit in at_ends])
    # line 5: (γ, κ) from Δ_{T_1}, Δ_{T_2}, with μ held
    (gamma, kappa), condition = _solve(np.exp(-mu * ends), delta)
    status = max((_of_fit(fit) for fit in (single, *at_ends)), key=list(Status).index)
    # Δ is a difference of two probabilities, so at most 1; in the paper it grows with T
    if status is Status.OK and (delta.max() > 1 or kappa < 0):
        status = Status.BOUND_HIT
    return Gap(gamma, kappa, mu, single, at_ends, condition, status)


def part_2(gap: Gap, ends: Array, accuracy: Array, N: int) -> Solution:
    """Part 2, lines 2-3: (α_N, β_N) from D_N, the `accuracy` Acc(T_i, N) at the `ends` T_1, T_2 (or more)."""
    # line 2: Δ_{T_i} = γ − κ e^{−μ T_i}
    delta = gap(ends)
    # line 3: (α_N, β_N) from the two points
    return _solve(np.exp(-(delta**2) * N / 2), accuracy)


def read_off(gap: Gap, alpha: float, beta: float, T: Array | float, N: int) -> Array:
    """Part 2, line 4: Acc(T, N) at any T, shape as given."""
    return np.asarray(alpha - beta * np.exp(-(gap(T) ** 2) * N / 2))


def read(curve: Curve, fit: Saturating, N: int) -> float:
    """D_N at one setting: the measured point at `N`, or else the fitted curve's value."""
    measured = curve[1][curve[0] == N]
    return float(measured.mean()) if len(measured) else float(fit(N))


def _solve(e: Array, y: Array) -> Solution:
    """Solve level − drop·e_i = y_i, for more than two points by least squares: (level, drop), NaN if all e_i
    are equal, and the condition number.

    e, y: (k,), k ≥ 2. The columns are first scaled to length 1, as the unit of `drop` does not affect the
    forecast.
    """
    scale = float(np.hypot.reduce(e))
    if np.ptp(e) == 0 or not np.isfinite(scale):
        return (np.nan, np.nan), np.inf
    matrix = np.stack([np.ones(len(e)), -e / scale], axis=1)
    condition = float(np.linalg.cond(matrix / np.sqrt([len(e), 1.0])))
    if not condition < _SINGULAR:
        return (np.nan, np.nan), np.inf
    level, drop = np.linalg.lstsq(matrix, y, rcond=None)[0]
    drop = float(drop) / scale
    if not np.isfinite(drop):  # N is so large that both terms vanish
        return (np.nan, np.nan), np.inf
    return (float(level), drop), condition


def _of_fit(fit: Saturating) -> Status:
    return Status.FALLING if fit.status is Status.OK and fit.beta < 0 else fit.status

"""Low-Cost-to-High Estimate: Algorithm 3 of the paper, line by line, with condition numbers.

    Acc(T, 1) for T = 0.8 1.1 1.5 2.0,  Acc(T_1, N) and Acc(T_2, N) for N = 1 2 4 8   ->   Acc(3.1, 8) = 0.86

The paper measures T in 10^5 tokens over all questions (T′); here T is tokens per answer. That changes the
unit of μ (the paper's is μ · 10^5 / questions) but no forecast.

The paper leaves three things open. We take the shortest and the longest setting with three or more different
N as T_1 and T_2: the widest spread conditions both 2×2 systems best. A "fit" of two unknowns to two points is
their exact solution. Where D_N has no measured point at N, we read the curves of Part 1, lines 3-4. We read
T_0, T_1 in line 5 as T_1, T_2, and P_{T_i} in Part 2, line 3, as Δ_{T_i}.
"""

from dataclasses import dataclass

import numpy as np

from results.saturating import Array, Saturating, fit_saturating
from results.tables.status import Status
from results.votes.exact import Ints

Curve = tuple[Ints, Array]
"""N and accuracy at one setting."""

Solution = tuple[tuple[float, float], float]
"""Level and drop, as (α, β), and the condition number of their 2×2 system."""


@dataclass(frozen=True)
class Gap:
    """Part 1's result, Δ_T ≈ gamma − kappa · e^{−mu·T}, and what it was solved from."""

    gamma: float
    kappa: float
    mu: float
    single: Saturating
    at_T1: Saturating
    at_T2: Saturating
    condition: float
    status: Status

    def __call__(self, T: Array | float) -> Array:
        """Δ_T at reasoning lengths `T`, shape as given."""
        return np.asarray(self.gamma - self.kappa * np.exp(-self.mu * np.asarray(T)))


def part_1(T: Array, acc_single: Array, T1: float, curve_1: Curve, T2: float, curve_2: Curve) -> Gap:
    """Part 1: (γ, κ, μ) of Δ_T ≈ γ − κ e^{−μT}.

    Arguments: `T`, `acc_single`: Acc(T_i, 1), shape (settings,); `curve_1`, `curve_2`: (N, Acc(T_1, N)) and
    (N, Acc(T_2, N)). The status is the worst of the three fits and the 2×2 solution.
    """
    # line 2: (γ', κ', μ) <- fit Acc(T, 1) = γ' − κ' e^{−μT}
    single = fit_saturating(T, acc_single)
    mu = single.rate
    # lines 3-4: (α_{T_i}, β_{T_i}, Δ_{T_i}) <- fit Acc(T_i, N) = α − β e^{−Δ² N / 2}
    at_T1, at_T2 = fit_saturating(*curve_1), fit_saturating(*curve_2)
    delta_1, delta_2 = np.sqrt(2 * at_T1.rate), np.sqrt(2 * at_T2.rate)
    # line 5: (γ, κ) from Δ_{T_1}, Δ_{T_2}, with μ held
    (gamma, kappa), condition = _solve(np.exp(-mu * T1), delta_1, np.exp(-mu * T2), delta_2)
    status = max((_of_fit(fit) for fit in (single, at_T1, at_T2)), key=list(Status).index)
    # Δ is a difference of two probabilities, so at most 1; by the paper's law it grows with T
    if status is Status.OK and (max(delta_1, delta_2) > 1 or kappa < 0):
        status = Status.BOUND_HIT
    return Gap(gamma, kappa, mu, single, at_T1, at_T2, condition, status)


def part_2(gap: Gap, T1: float, acc_1: float, T2: float, acc_2: float, N: int) -> Solution:
    """Part 2, lines 2-3: (α_N, β_N) from Acc(T_1, N) and Acc(T_2, N)."""
    # line 2: Δ_{T_i} = γ − κ e^{−μ T_i}
    delta_1, delta_2 = float(gap(T1)), float(gap(T2))
    # line 3: (α_N, β_N) from the two points
    return _solve(np.exp(-(delta_1**2) * N / 2), acc_1, np.exp(-(delta_2**2) * N / 2), acc_2)


def read_off(gap: Gap, alpha: float, beta: float, T: Array | float, N: int) -> Array:
    """Part 2, line 4: Acc(T, N) at any T, shape as given."""
    return np.asarray(alpha - beta * np.exp(-(gap(T) ** 2) * N / 2))


def read(curve: Curve, fit: Saturating, N: int) -> float:
    """The measured point at `N`, or else the fitted curve there."""
    measured = curve[1][curve[0] == N]
    return float(measured.mean()) if len(measured) else float(fit(N))


def _solve(e1: float, y1: float, e2: float, y2: float) -> Solution:
    """Solve level − drop·e_i = y_i, i = 1, 2: (level, drop), NaN where e_1 = e_2, and the condition number.

    The columns are scaled to length 1 first, as the unit of `drop` does not matter for the forecast.
    """
    scale = float(np.hypot(e1, e2))
    if e1 == e2 or not np.isfinite(scale):
        return (np.nan, np.nan), np.inf
    matrix = np.array([[1.0, -e1 / scale], [1.0, -e2 / scale]])
    condition = float(np.linalg.cond(matrix / np.sqrt([2.0, 1.0])))
    if not condition < 1e15:
        return (np.nan, np.nan), np.inf
    level, drop = np.linalg.solve(matrix, [y1, y2])
    drop = float(drop) / scale
    if not np.isfinite(drop):  # at so large an N that both terms have vanished
        return (np.nan, np.nan), np.inf
    return (float(level), drop), condition


def _of_fit(fit: Saturating) -> Status:
    return Status.FALLING if fit.status is Status.OK and fit.beta < 0 else fit.status

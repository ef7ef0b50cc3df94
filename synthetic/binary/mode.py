"""Majority vote of N independent paths, exactly: P(the right answer is the most frequent one, ties shared).

    vote_accuracy(p=[[0.4, 0.3, 0.3]], gold=[0], votes=(1, 3, 9))  ->  [[0.4, 0.424, 0.48865…]]

The counts are multinomial. They are N independent Poisson(N p_j) counts conditioned on their sum N, so

    P(win) = Σ_m ∫₀¹ [z^N]  π_*(m) z^m · Π_j ( Σ_{i<m} π_j(i) z^i + u π_j(m) z^m ) du  /  P(Poisson(N) = N)

with m the winning count, u marking ties (∫ u^r du = 1/(r+1), the winner's share) and π the Poisson
weights. The coefficient of z^N is a Fourier sum over the unit circle. All factors have modulus at most 1,
so nothing overflows; the circle has enough points that aliasing is below 1e-14.
Rows of answers need not sum to 1; the missing mass is paths that cast no vote.
"""

from functools import lru_cache
from math import lgamma

import numba
import numpy as np
from numpy.typing import NDArray

from results import BadInput
from synthetic.model.tasks import Array

NEGLIGIBLE = 1e-14
LOG_NEGLIGIBLE = -32.0
MAX_VOTES = 100_000
_TIE_NODES = 24


def vote_accuracy(p: Array, gold: NDArray[np.int64], votes: tuple[int, ...]) -> Array:
    """P(majority vote of N paths is right) for rows of answer probabilities.

    `p` (rows, answers) sums to 1 (or less: the rest are paths that cast no vote), `gold` (rows,) indexes the
    right answer; returns (rows, len(votes)). Raises BadInput on an N outside 1…100,000.
    """
    if min(votes) < 1 or max(votes) > MAX_VOTES:
        raise BadInput(f"N={min(votes)}…{max(votes)}: expected votes of 1 to {MAX_VOTES:,} paths")
    p = np.ascontiguousarray(p)
    right = np.take_along_axis(p, gold[:, None], axis=1)[:, 0]
    others = p.copy()
    np.put_along_axis(others, gold[:, None], 0, axis=1)
    others = np.ascontiguousarray(-np.sort(-others, axis=1)[:, :-1])
    nodes, weights = _tie_rules()
    out = np.empty((len(p), len(votes)))
    for column, n in enumerate(votes):
        # One vote is the path itself; of two that differ, each wins half the time: again p.
        out[:, column] = right if n <= 2 else _rows(right, others, n, circle_points(n), nodes, weights)
    return np.clip(out, 0.0, 1.0)


def vote_limit(p: Array, gold: NDArray[np.int64]) -> Array:
    """The limit N → ∞, (rows,): 1 where the right answer is the only mode, its share in a tie, else 0."""
    right = np.take_along_axis(p, gold[:, None], axis=1)
    ties = np.isclose(p, right, rtol=1e-9, atol=0).sum(axis=1)
    return np.where(p.max(axis=1) <= right[:, 0] * (1 + 1e-9), 1 / ties, 0.0)


@lru_cache(maxsize=256)
def circle_points(n: int) -> int:
    """How many points the Fourier sum needs: Poisson(n) mass at n + M below 1e-16 of its mass at n."""
    step = max(1, int(np.sqrt(n)))
    points = 16
    while points * np.log(n) - (lgamma(n + points + 1) - lgamma(n + 1)) > np.log(NEGLIGIBLE):
        points += step
    return points


@lru_cache(maxsize=1)
def _tie_rules() -> tuple[Array, Array]:
    """Gauss–Legendre rules on [0, 1] with 1 … 24 nodes, row g−1 holding the rule of g nodes."""
    nodes, weights = np.zeros((_TIE_NODES, _TIE_NODES)), np.zeros((_TIE_NODES, _TIE_NODES))
    for g in range(1, _TIE_NODES + 1):
        x, w = np.polynomial.legendre.leggauss(g)
        nodes[g - 1, :g], weights[g - 1, :g] = (x + 1) / 2, w / 2
    return nodes, weights


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _rows(right: Array, others: Array, n: int, points: int, nodes: Array, weights: Array) -> Array:
    out = np.empty(len(right))
    for row in range(len(right)):
        out[row] = _win(right[row], others[row], n, points, nodes, weights)
    return out


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _log_poisson(rate: float, count: int) -> float:
    return float(-rate + count * np.log(rate) - lgamma(count + 1.0))


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _upper_tail(rate: float, count: int) -> float:
    """P(Poisson(rate) ≥ count), exact where it is small, at least a lower bound of it elsewhere."""
    if count <= rate:
        return 1.0
    term = np.exp(_log_poisson(rate, count))
    total = term
    while term > 1e-3 * NEGLIGIBLE:
        count += 1
        term *= rate / count
        total += term
    return float(total)


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _tie_nodes(total: float, most: int) -> int:
    """Gauss nodes for a polynomial in u of degree `most` whose r-th coefficient is at most total^r / r!.

    g nodes are exact up to degree 2g − 1; degrees left out have coefficients that are negligible.
    """
    g = 1
    term = total**2 / 2 * np.exp(total)
    while 2 * g <= most and term > 1e-3 * NEGLIGIBLE:
        term *= total**2 / ((2 * g + 1) * (2 * g + 2))
        g += 1
    return g


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _win(right: float, others: Array, n: int, points: int, nodes: Array, weights: Array) -> float:
    """P(the right answer wins n votes); `others` falling. All points of the circle side by side."""
    if right <= 0:
        return 0.0
    low, high = n + 1, 0
    for m in range(1, n + 1):
        if _log_poisson(n * right, m) > LOG_NEGLIGIBLE:
            low, high = min(low, m), m
    # Rivals that cannot reach the winning count m are not truncated by it: together they are one Poisson.
    reaching = np.zeros(high + 1, dtype=np.int64)
    rivals, furthest = 0, high  # a weaker rival reaches no further than a stronger one
    while rivals < len(others) and others[rivals] > 0 and _upper_tail(n * others[rivals], low) > NEGLIGIBLE:
        while _upper_tail(n * others[rivals], furthest) <= NEGLIGIBLE:
            furthest -= 1
        reaching[low : furthest + 1] += 1
        rivals += 1
    quiet = np.full(high + 1, n * (1.0 - right))
    for m in range(high + 1):
        quiet[m] = max(0.0, quiet[m] - n * others[: reaching[m]].sum())

    # The quiet Poisson alone, of modulus e^{quiet (cos θ − 1)}, makes the far side of the circle negligible.
    theta = 2 * np.pi * np.arange(points // 2 + 1) / points
    near = np.sum(quiet[low] * (np.cos(theta) - 1) > LOG_NEGLIGIBLE)
    theta = theta[:near]
    z_re, z_im = np.cos(theta), np.sin(theta)
    power_re, power_im = np.ones(near), np.zeros(near)  # z^m
    below_re, below_im = np.zeros((rivals, near)), np.zeros((rivals, near))  # Σ_{i<m} π_j(i) z^i
    value = np.zeros(near, dtype=np.complex128)
    rest = np.zeros(near, dtype=np.complex128)  # the quiet Poisson
    for m in range(high + 1):
        if m >= low:
            tie = np.empty(reaching[m])
            for j in range(reaching[m]):
                tie[j] = np.exp(_log_poisson(n * others[j], m))
            share = np.zeros(near, dtype=np.complex128)
            g = min(_tie_nodes(tie.sum(), min(reaching[m], (n - m) // m)), len(nodes))
            for q in range(g):
                re, im = np.full(near, weights[g - 1, q]), np.zeros(near)
                for j in range(reaching[m]):
                    at_m = nodes[g - 1, q] * tie[j]
                    for i in range(near):
                        factor_re = below_re[j, i] + at_m * power_re[i]
                        factor_im = below_im[j, i] + at_m * power_im[i]
                        product_re = re[i] * factor_re - im[i] * factor_im
                        im[i] = re[i] * factor_im + im[i] * factor_re
                        re[i] = product_re
                share += re + 1j * im
            if m == low or reaching[m] != reaching[m - 1]:
                rest = np.exp(quiet[m] * (z_re - 1 + 1j * z_im))
            value += np.exp(_log_poisson(n * right, m)) * (power_re + 1j * power_im) * share * rest
        for j in range(rivals):
            mass = np.exp(_log_poisson(n * others[j], m))
            for i in range(near):
                below_re[j, i] += mass * power_re[i]
                below_im[j, i] += mass * power_im[i]
        for i in range(near):
            next_re = power_re[i] * z_re[i] - power_im[i] * z_im[i]
            power_im[i] = power_re[i] * z_im[i] + power_im[i] * z_re[i]
            power_re[i] = next_re
    total = 0.0
    for i in range(near):
        twice = 1.0 if i == 0 or 2 * i == points else 2.0
        total += twice * (value[i] * np.exp(-1j * n * theta[i])).real
    return float(total / points / np.exp(_log_poisson(float(n), n)))

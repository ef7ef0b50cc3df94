"""Exact majority vote and best-of-N of N new answers drawn from known probabilities.

    vote_accuracy(p=[[0.4, 0.3, 0.3]], gold=[0], ns=[1, 3, 9])  ->  [[0.4, 0.424, 0.48865…]]

The counts X_j of the answers are multinomial: independent Poisson counts with means N·p_j,
given that they add up to N (Levin 1981, Annals of Statistics 9, 1123–1126). With m the winning
count and K the number of wrong answers that tie with it and share the credit,

    P(right) = Σ_m Σ_K 1/(K+1) · P(X_right = m) · [z^(N−m)] e_K(m, z) / P(Poisson(N) = N)

where e_K is the coefficient of u^K in the product of Σ_{i<m} P(X_j = i) zⁱ + u P(X_j = m) z^m
over the wrong answers j. The sum over K is the integral of this product over u from 0 to 1,
which Gauss–Legendre gives exactly. The coefficient of z^(N−m) is a mean over points of the unit
circle, where no factor exceeds 1. Negligible terms are left out; the error is below 1e-12 for N
up to 1,000 and 1e-9 beyond.
"""

from collections.abc import Sequence
from math import lgamma

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from results.votes.exact_kernel import Floats, Ints, unit_legendre

Complexes = NDArray[np.complex128]

MAX_N = 100_000
TINY = 1e-14


def vote_accuracy(p: ArrayLike, gold: ArrayLike, ns: Sequence[int] | Ints) -> Floats:
    """P(the vote of N new answers is right), ties sharing the credit, shape (…, len(ns)).

    p: (…, answers) probabilities; if a row sums to less than 1, the rest is the chance of casting no vote.
    gold: the index of the right answer in each row. Raises ValueError for an N outside 1 … MAX_N.
    """
    laws = np.asarray(p, np.float64)
    rows = laws.reshape(-1, laws.shape[-1])
    column = np.broadcast_to(np.asarray(gold, np.int64), laws.shape[:-1]).reshape(-1, 1)
    sizes = np.asarray(ns, np.int64)
    if sizes.size and not 1 <= sizes.min() <= sizes.max() <= MAX_N:
        raise ValueError(f"N must be from 1 to {MAX_N:,}")
    right = np.take_along_axis(rows, column, axis=1)[:, 0]
    wrong = rows.copy()
    np.put_along_axis(wrong, column, 0.0, axis=1)
    falling = np.ascontiguousarray(-np.sort(-wrong, axis=1))
    out = np.empty((len(rows), sizes.size))
    for k, n in enumerate(sizes):
        points = _circle_points(int(n))
        circle = np.exp(2j * np.pi * np.arange(points // 2 + 1) / points)  # the lower half mirrors it
        _vote_rows(right, falling, int(n), points, circle, out[:, k])
    return out.reshape(*laws.shape[:-1], sizes.size)


def vote_limit(p: ArrayLike, gold: ArrayLike) -> Floats:
    """The vote's accuracy as N → ∞, (…): 1 if the right answer is the likeliest, 1/m if m tie, else 0."""
    laws = np.asarray(p, np.float64)
    places = np.broadcast_to(np.asarray(gold, np.int64), laws.shape[:-1])
    right = np.take_along_axis(laws, places[..., None], axis=-1)
    ties = np.isclose(laws, right, rtol=1e-9, atol=0).sum(axis=-1)
    return np.where(laws.max(axis=-1) <= right[..., 0] * (1 + 1e-9), 1 / ties, 0.0)


def best_of_n_accuracy(correct: ArrayLike, ns: Sequence[int] | Ints) -> Floats:
    """P(at least one of N new answers is right) = 1 − (1 − p)^N, from p (…) to (…, len(ns))."""
    with np.errstate(divide="ignore"):
        none_right = np.log1p(-np.minimum(correct, 1.0))[..., None] * np.asarray(ns)
    return np.asarray(-np.expm1(none_right))


def _circle_points(n: int) -> int:
    """A number of circle points such that totals that many or more away from `n` are negligible."""
    points = 2
    while points * np.log(n) + lgamma(n + 1) - lgamma(n + points + 1) > np.log(TINY):
        points += max(1, int(n**0.5) // 4)
    return points


@njit(cache=True)  # type: ignore[untyped-decorator]
def _vote_rows(right: Floats, wrong: Floats, n: int, points: int, circle: Complexes, out: Floats) -> None:
    scale = np.exp(_log_poisson(float(n), n))
    for row in range(right.size):
        out[row] = 0.0
        if right[row] > 0.0:
            by_point = _wins(right[row], wrong[row], n, circle, TINY * scale)
            total = by_point[0].real
            for i in range(1, circle.size):
                total += (1.0 if 2 * i == points else 2.0) * (by_point[i] * np.conj(circle[i]) ** n).real
            out[row] = min(max(total / points / scale, 0.0), 1.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _log_poisson(mean: float, count: int) -> float:
    return float(count * np.log(mean) - mean - lgamma(count + 1.0))


@njit(cache=True)  # type: ignore[untyped-decorator]
def _wins(right: float, wrong: Floats, n: int, circle: Complexes, tiny: float) -> Complexes:
    """Σ_m Σ_K of the formula above at every point of `circle`; `wrong` is descending."""
    live = int(np.sum(wrong > 0.0))  # number of wrong answers that may still reach m votes, likeliest first
    means = n * wrong[:live]
    free = n * (1.0 - right) - means.sum()  # mean count of all others: together, one Poisson
    less, equal = np.zeros(live), np.zeros(live)  # P(X_j < m), P(X_j = m)
    below = np.zeros((live, circle.size), np.complex128)  # Σ_{i<m} P(X_j = i) zⁱ
    total, power = np.zeros_like(circle), np.ones_like(circle)  # power = z^m
    rest = np.exp(max(free, 0.0) * (circle - 1.0))  # generating function of that Poisson at z
    for m in range(n + 1):
        own = np.exp(_log_poisson(n * right, m))
        if own < tiny and m > n * right:
            break
        before = live
        while live > 0 and less[live - 1] > 1.0 - TINY:
            live -= 1
            free += means[live]
        if live < before:
            rest = np.exp(max(free, 0.0) * (circle - 1.0))
        nobody_ahead, ties = own, 0.0
        for j in range(live):
            equal[j] = np.exp(_log_poisson(means[j], m))
            nobody_ahead *= less[j] + equal[j]
            ties += equal[j] / max(less[j] + equal[j], 1e-300)
        if m > 0 and nobody_ahead > tiny:
            most, chance = 0, nobody_ahead  # P(K ties, nobody ahead) ≤ nobody_ahead · ties^K / K!
            while most < min(live, n // m - 1) and chance > tiny:
                most += 1
                chance *= ties / most
            nodes, weights = np.empty(most // 2 + 1), np.empty(most // 2 + 1)
            unit_legendre(nodes.size, nodes, weights)
            for u, weight in zip(nodes, weights):  # noqa: B905, compiled code has no strict
                product = own * weight * rest * power
                for j in range(live):
                    for i in range(circle.size):  # a loop is five times as fast as whole arrays
                        product[i] *= below[j, i] + u * equal[j] * power[i]
                total += product
        for j in range(live):
            less[j] += equal[j]
            if equal[j] > tiny:
                for i in range(circle.size):
                    below[j, i] += equal[j] * power[i]
        power *= circle
    return total

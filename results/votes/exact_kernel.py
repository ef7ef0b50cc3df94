"""Compiled loops behind `results.votes`: the exact vote of one question at every N.

One question with 3 right answers, wrong answers 2 and 1 times, and 1 that could not be read:

    vote_curves(correct=[3], wrong=[2, 1], starts=[0, 2], nulls=[1], …) -> accuracy at N = 1 … 7

Accuracy at N is the share of the C(pool, N) subsets whose most frequent answer is right, ties shared:

    sum over m of C(c, m) · [z^(N−m)] ∫₀¹ (1+z)^u Π_j (Σ_{i<m} C(c_j, i) zⁱ + x C(c_j, m) z^m) dx

where m is the number of right answers drawn, and ∫ x^K dx = 1/(K+1) shares a tie with K wrong
answers. Every C(c, i) is tilted to the probability C(c, i) rⁱ (1−r)^(c−i); the tilt cancels
against the tilted C(pool, N). All terms stay positive and within range: nothing overflows, and
there is no cancellation error.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WHOLE_CURVE = 1000
"""Up to this pool size, one tilt of 1/2 serves every N: 2^−1000 is still a normal double."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def binomial_row(n: int, rate: float, row: Floats, start: int) -> None:
    """Write the Binomial(n, rate) probabilities (rate > 0) to row[start … start+n], outward from the mode."""
    mode = min(int((n + 1) * rate), n)
    row[start + mode] = 1.0
    total = 1.0
    for i in range(mode, n):
        row[start + i + 1] = row[start + i] * (n - i) * rate / ((i + 1) * (1.0 - rate))
        total += row[start + i + 1]
    for i in range(mode, 0, -1):
        row[start + i - 1] = row[start + i] * i * (1.0 - rate) / ((n - i + 1) * rate)
        total += row[start + i - 1]
    row[start : start + n + 1] /= total


@njit(cache=True)  # type: ignore[untyped-decorator]
def unit_legendre(count: int, nodes: Floats, weights: Floats) -> None:
    """Write the Gauss–Legendre rule on [0, 1], exact for polynomials of degree up to 2·count − 1.

    Compiled code cannot call NumPy's version, whose rounding also depends on the processor (LAPACK).
    """
    for k in range(count):
        t = np.cos(np.pi * (k + 0.75) / (count + 0.5))
        slope = 1.0
        for _ in range(100):
            before, here = 0.0, 1.0
            for j in range(count):
                before, here = here, ((2 * j + 1) * t * here - j * before) / (j + 1)
            slope = count * (t * here - before) / (t * t - 1.0)
            step = here / slope
            t -= step
            if abs(step) < 1e-15:
                break
        nodes[k] = 0.5 * (1.0 + t)
        weights[k] = 1.0 / ((1.0 - t * t) * slope * slope)


@njit(cache=True)  # type: ignore[untyped-decorator]
def multiply(
    left: Floats, degree: int, row: Floats, start: int, last: int, tie: float, top: int, out: Floats
) -> int:
    """Write left · (Σ_{i<last} row[start+i] zⁱ + tie · row[start+last] z^last) to `out`, cut off above z^top.

    `degree` is the degree of `left`; returns the degree of `out`.
    """
    result = min(degree + last, top)
    out[: result + 1] = 0.0
    for i in range(min(last, top) + 1):
        factor = row[start + i] * (tie if i == last else 1.0)
        for d in range(min(degree, top - i) + 1):
            out[d + i] += factor * left[d]
    return result


@njit(cache=True)  # type: ignore[untyped-decorator]
def rival_polynomial(
    rows: Floats, starts: Ints, first: int, last: int, m: int, top: int, out: Floats, a: Floats, b: Floats
) -> int:
    """Write ∫₀¹ Π_j (Σ_{i<m} row_j[i] zⁱ + x row_j[m] z^m) dx over answers first … last−1, up to z^top.

    `a` and `b` are work space; returns the degree of `out`.
    """
    # If m = 1, every power of z is a tie, so that the integral over x is 1/(d+1); else use Gauss–Legendre.
    count = 1 if m == 1 else (last - first) // 2 + 1
    nodes, weights = np.ones(count), np.ones(count)
    if m > 1:
        unit_legendre(count, nodes, weights)
    out[: top + 1] = 0.0
    degree = 0
    for k in range(count):
        a[0] = weights[k]
        degree = 0
        for j in range(first, last):
            degree = multiply(a, degree, rows, starts[j], m, nodes[k], top, b)
            a, b = b, a
        for d in range(degree + 1):
            out[d] += a[d] / (d + 1) if m == 1 else a[d]
    return degree


@njit(cache=True)  # type: ignore[untyped-decorator]
def question_curve(correct: int, wrong: Ints, nulls: int, n_max: int, rate: float, curve: Floats) -> None:
    """Write one question's vote accuracy at N = 1 … n_max to `curve`; `wrong` ascending, no zeros."""
    classes = wrong.size
    starts = np.zeros(classes + 1, np.int64)
    starts[1:] = np.cumsum(wrong + 1)
    pool = correct + nulls + wrong.sum()
    rows, own = np.empty(starts[classes]), np.empty(correct + 1)
    others, every = np.empty(pool + 1), np.empty(pool + 1)
    for j in range(classes):
        binomial_row(wrong[j], rate, rows, starts[j])
    binomial_row(correct, rate, own, 0)
    binomial_row(pool, rate, every, 0)
    rivals, product = np.empty(n_max + 1), np.empty(n_max + 1)
    a, b = np.empty(n_max + 1), np.empty(n_max + 1)
    curve[:n_max] = 0.0
    first, free, drawn = 0, nulls, -1  # `free` answers cannot reach m votes, so any number may be drawn
    for m in range(1, min(correct, n_max) + 1):
        while first < classes and wrong[first] < m:
            free += wrong[first]
            first += 1
        if free != drawn:
            binomial_row(free, rate, others, 0)
            drawn = free
        top = n_max - m
        degree = rival_polynomial(rows, starts, first, classes, m, top, rivals, a, b)
        degree = multiply(rivals, degree, others, 0, free, 1.0, top, product)
        for d in range(degree + 1):
            curve[m + d - 1] += own[m] * product[d]
    for n in range(1, n_max + 1):  # a tilt for N = n_max may underflow at small N, which are then unused
        curve[n - 1] = min(curve[n - 1] / every[n], 1.0) if every[n] > 0.0 else np.nan


@njit(cache=True)  # type: ignore[untyped-decorator]
def vote_curves(correct: Ints, wrong: Ints, starts: Ints, nulls: Ints, ns: Ints, out: Floats) -> None:
    """Write the vote accuracy of each question q at each N of `ns` (at most its pool) to out[q, :].

    wrong[starts[q] : starts[q + 1]] are the wrong counts of question q, ascending and without zeros.
    """
    n_max = ns.max()
    curve = np.empty(n_max)
    for q in range(correct.size):
        counts = wrong[starts[q] : starts[q + 1]]
        pool = correct[q] + nulls[q] + counts.sum()
        whole = pool <= WHOLE_CURVE
        for k in range(ns.size):
            if k == 0 or not whole:
                last, rate = (n_max, 0.5) if whole else (ns[k], ns[k] / pool)
                question_curve(correct[q], counts, nulls[q], last, rate, curve)
            out[q, k] = curve[ns[k] - 1]


@njit(cache=True)  # type: ignore[untyped-decorator]
def prefix_votes(
    votes: Ints, starts: Ints, orders: Any, ns: Ints, majority: Floats, best: Floats, every: Floats
) -> None:
    """Write the accuracy of the first N answers to each question: majority (ties shared), best-of-N, all.

    votes: (answers,) −1 null, 0 right, 1 … wrong answers; question q owns starts[q] : starts[q + 1].
    orders: (permutations, answers) positions within the question; outputs: (permutations, questions, ns).
    """
    for p in range(orders.shape[0]):
        for q in range(starts.size - 1):
            start, pool = starts[q], starts[q + 1] - starts[q]
            tally = np.zeros(pool + 1, np.int64)
            leading, leaders, k = 0, 0, 0
            for i in range(pool):
                vote = votes[start + orders[p, start + i]]
                if vote >= 0:
                    tally[vote] += 1
                    if tally[vote] > leading:
                        leading, leaders = tally[vote], 1
                    elif tally[vote] == leading:
                        leaders += 1
                if k < ns.size and ns[k] == i + 1:
                    wins = leading > 0 and tally[0] == leading
                    majority[p, q, k] = 1.0 / leaders if wins else 0.0
                    best[p, q, k] = 1.0 if tally[0] > 0 else 0.0
                    every[p, q, k] = 1.0 if tally[0] == i + 1 else 0.0
                    k += 1

"""Compiled loops behind `results.votes`: the exact vote of one question at every N.

One question with 3 right answers, wrong answers 2 and 1 times, and 1 that could not be read:

    vote_curves(correct=[3], wrong=[2, 1], starts=[0, 2], nulls=[1], …) -> accuracy at N = 1 … 7

Accuracy at N is the share of the C(pool, N) subsets whose most frequent answer is the right one, ties shared:

    sum over m of C(c, m) · [z^(N−m)] ∫₀¹ (1+z)^u Π_j (Σ_{i<m} C(c_j, i) zⁱ + x C(c_j, m) z^m) dx

where m is the number of right answers drawn and ∫ x^K dx = 1/(K+1) shares a tie with K wrong answers. Every
C(c, i) is tilted to the probability C(c, i) rⁱ (1−r)^(c−i), which cancels against the tilted C(pool, N): all
terms stay positive and within range, so nothing overflows and nothing cancels.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WHOLE_CURVE = 1000
"""Up to this pool one tilt of 1/2 serves every N: 2^−1000 is still a normal double."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def binomial_row(n: int, rate: float, row: Floats) -> None:
    """Write the Binomial(n, rate) probabilities (rate > 0) to row[0 … n], from the mode outwards."""
    mode = min(int((n + 1) * rate), n)
    row[mode] = 1.0
    for i in range(mode, n):
        row[i + 1] = row[i] * (n - i) * rate / ((i + 1) * (1.0 - rate))
    for i in range(mode, 0, -1):
        row[i - 1] = row[i] * i * (1.0 - rate) / ((n - i + 1) * rate)
    total = 0.0
    for i in range(n + 1):
        total += row[i]
    for i in range(n + 1):
        row[i] /= total


@njit(cache=True)  # type: ignore[untyped-decorator]
def unit_legendre(count: int, nodes: Floats, weights: Floats) -> None:
    """Gauss–Legendre rule on [0, 1]: exact for polynomials of degree up to 2·count − 1."""
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
def multiply(left: Floats, degree: int, right: Floats, last: int, top: int, out: Floats) -> int:
    """Write the product of two polynomials to `out`, cut off above z^top; the degree of what is left."""
    result = min(degree + last, top)
    out[: result + 1] = 0.0
    for i in range(min(last, top) + 1):
        factor = right[i]
        if factor != 0.0:
            for d in range(min(degree, top - i) + 1):
                out[d + i] += factor * left[d]
    return result


@njit(cache=True)  # type: ignore[untyped-decorator]
def rival_polynomial(
    rows: Floats, starts: Ints, first: int, last: int, m: int, top: int, out: Floats, work: Floats
) -> int:
    """Write ∫₀¹ Π_j (Σ_{i<m} row_j[i] zⁱ + x row_j[m] z^m) dx over answers first … last−1, up to z^top."""
    rivals = last - first
    a, b = work[0], work[1]
    if m == 1:  # each factor is 1 or a tie, so the power of z counts the ties
        a[0] = 1.0
        degree = 0
        for j in range(first, last):
            degree = multiply(a, degree, rows[starts[j] : starts[j] + 2], 1, top, b)
            a, b = b, a
        for d in range(degree + 1):
            out[d] = a[d] / (d + 1)
        return degree
    count = rivals // 2 + 1
    nodes, weights, factor = np.empty(count), np.empty(count), np.empty(m + 1)
    unit_legendre(count, nodes, weights)
    out[: top + 1] = 0.0
    degree = 0
    for k in range(count):
        a[0] = weights[k]
        degree = 0
        for j in range(first, last):
            factor[:] = rows[starts[j] : starts[j] + m + 1]
            factor[m] *= nodes[k]
            degree = multiply(a, degree, factor, m, top, b)
            a, b = b, a
        for d in range(degree + 1):
            out[d] += a[d]
    return degree


@njit(cache=True)  # type: ignore[untyped-decorator]
def question_curve(correct: int, wrong: Ints, nulls: int, n_max: int, rate: float, curve: Floats) -> None:
    """Write the vote accuracy of one question at N = 1 … n_max to `curve`; `wrong` rising, no zeros."""
    classes = wrong.size
    pool = correct + nulls + wrong.sum()
    largest = wrong[classes - 1] if classes else 0
    starts = np.zeros(classes + 1, np.int64)
    for j in range(classes):
        starts[j + 1] = starts[j] + wrong[j] + 1
    rows = np.empty(starts[classes])
    for j in range(classes):
        binomial_row(wrong[j], rate, rows[starts[j] : starts[j + 1]])
    own, others, every = np.empty(correct + 1), np.empty(pool + 1), np.empty(pool + 1)
    binomial_row(correct, rate, own)
    binomial_row(pool, rate, every)
    rivals, product, work = np.empty(n_max + 1), np.empty(n_max + 1), np.empty((2, n_max + 1))
    curve[:n_max] = 0.0
    first, free = 0, nulls  # `free` answers cannot reach m votes, so any number of them may be drawn
    for m in range(1, min(correct, n_max) + 1):
        while first < classes and wrong[first] < m:
            free += wrong[first]
            first += 1
        if m <= largest + 1:
            binomial_row(free, rate, others)
        top = n_max - m
        if m > largest:
            degree = min(free, top)
            product[: degree + 1] = others[: degree + 1]
        else:
            degree = rival_polynomial(rows, starts, first, classes, m, top, rivals, work)
            degree = multiply(rivals, degree, others, free, top, product)
        for d in range(degree + 1):
            curve[m + d - 1] += own[m] * product[d]
    for n in range(1, n_max + 1):
        curve[n - 1] = min(curve[n - 1] / every[n], 1.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def vote_curves(correct: Ints, wrong: Ints, starts: Ints, nulls: Ints, ns: Ints, out: Floats) -> None:
    """Write the vote accuracy of each question q at each N of `ns` (at most its pool) to out[q, :].

    The wrong counts of question q are wrong[starts[q] : starts[q + 1]].
    """
    n_max = ns.max()
    curve = np.empty(n_max)
    for q in range(correct.size):
        counts = np.sort(wrong[starts[q] : starts[q + 1]])
        pool = correct[q] + nulls[q] + counts.sum()
        if pool <= WHOLE_CURVE:
            question_curve(correct[q], counts, nulls[q], n_max, 0.5, curve)
            for k in range(ns.size):
                out[q, k] = curve[ns[k] - 1]
        else:
            for k in range(ns.size):
                question_curve(correct[q], counts, nulls[q], ns[k], ns[k] / pool, curve)
                out[q, k] = curve[ns[k] - 1]


@njit(cache=True)  # type: ignore[untyped-decorator]
def prefix_votes(votes: Ints, starts: Ints, orders: Any, ns: Ints, majority: Floats, best: Floats) -> None:
    """Write the vote (ties shared) and the best of the first N answers, in each order, for each question.

    votes: (answers,) −1 null, 0 right, 1 … wrong answers; question q owns starts[q] : starts[q + 1].
    orders: (permutations, answers) positions in the question; majority, best: (permutations, questions, ns).
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
                    k += 1

"""Compiled loops behind `results.votes.scored`.

Best by score: with L answers below a score, m at that score and ȳ the share of these m that are right,

    accuracy at N = Σ over scores of ȳ · [C(L+m, N) − C(L, N)] / C(n, N).

Weighted majority: with G_c(k, t) subsets of answer c of size k and weight t (a dynamic program over its
members),

    Σ_{k,t} G_right(k, t) [z^{N−k}] (1+z)^u ∫₀¹ Π_c (Σ_{j,s<t} G_c(j, s) z^j + x Σ_j G_c(j, t) z^j) dx
    over C(n, N),

where u counts the answers that cast no vote or cannot reach t, and ∫ x^K dx = 1/(K+1) shares a tie with K
answers. All counts are scaled by 2^−(answers) to avoid overflow; all terms are positive.

The effect of rounding the weights is the mean of (vote by the weights − vote by the rounded weights)
over random orders, for each N over the first N answers.
"""

from typing import Any

import numpy as np
from numba import njit

from results.votes.exact_kernel import Floats, Ints, binomial_row, multiply, unit_legendre


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_curve(level: Ints, right: Floats, ns: Ints, out: Floats) -> None:
    """Write the accuracy of the answer with the best score at each N of `ns` to `out`.

    level: (n,) ranks of the scores, ascending, ties equal; right: (n,) 1 or 0 (or credit), in that order.
    """
    for k in range(ns.size):
        chosen = 0.0
        end, within = level.size, 1.0  # C(end, N) / C(n, N): chance that all N are among the first `end`
        while end > 0 and within > 0.0:
            start, hits, below = end, 0.0, within
            while start > 0 and level[start - 1] == level[end - 1]:
                hits += right[start - 1]
                below *= max(start - ns[k], 0) / start  # C(L−1, N) = C(L, N) (L − N)/L
                start -= 1
            chosen += hits / (end - start) * (within - below)
            end, within = start, below
        out[k] = min(max(chosen, 0.0), 1.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def subset_table(weights: Ints, table: Floats) -> None:
    """Write the scaled count of subsets of size k and weight t to table[k, t], (members + 1, sum + 1)."""
    table[:] = 0.0
    table[0, 0] = 1.0
    reach = 0
    for i in range(weights.size):
        reach += weights[i]
        for k in range(i + 1, -1, -1):
            for t in range(reach, -1, -1):
                with_it = table[k - 1, t - weights[i]] if k > 0 and t >= weights[i] else 0.0
                table[k, t] = 0.5 * (table[k, t] + with_it)


@njit(cache=True)  # type: ignore[untyped-decorator]
def rival_tables(weights: Ints, starts: Ints, reach: int, equal: Any, less: Any) -> None:
    """Write the scaled counts of subsets of each wrong answer, (classes, weights up to `reach`, sizes).

    equal: subsets of weight t, up to `reach`; less: of less than t. Class 0, the right answer, stays 0.
    """
    for c in range(1, starts.size - 1):
        own = weights[starts[c] : starts[c + 1]]
        table = np.zeros((own.size + 1, own.sum() + 1))
        subset_table(own, table)
        for k in range(own.size + 1):
            for t in range(min(reach, own.sum()) + 1):
                equal[c, t, k] = table[k, t]
            for t in range(1, reach + 1):
                less[c, t, k] = less[c, t - 1, k] + equal[c, t - 1, k]


@njit(cache=True)  # type: ignore[untyped-decorator]
def rivals_at(
    equal: Any, less: Any, sizes: Ints, first: int, n_max: int, out: Floats, a: Floats, b: Floats
) -> int:
    """Write ∫₀¹ Π_c (less_c(z) + x equal_c(z)) dx over classes from `first` on to `out`, up to z^n_max.

    equal, less: (classes, sizes) counts for one weight; `a` and `b` are work space. Returns the degree.
    """
    ties = 0
    for c in range(first, sizes.size):
        ties += 1 if equal[c].sum() > 0.0 else 0
    nodes, shares = np.empty(ties // 2 + 1), np.empty(ties // 2 + 1)
    unit_legendre(nodes.size, nodes, shares)
    out[:] = 0.0
    degree = 0
    for i in range(nodes.size):
        a[0], degree = shares[i], 0
        for c in range(first, sizes.size):
            row = less[c] + nodes[i] * equal[c]
            degree = multiply(a, degree, row, 0, sizes[c], 1.0, n_max, b)
            a, b = b, a
        out[: degree + 1] += a[: degree + 1]
    return degree


@njit(cache=True)  # type: ignore[untyped-decorator]
def weighted_curve(weights: Ints, starts: Ints, silent: int, pool: int, ns: Ints, out: Floats) -> None:
    """Write the weighted vote's accuracy at each N of `ns` to `out`.

    weights: weights[starts[c] : starts[c + 1]] are those of class c, the right answer first, then
    wrong answers by ascending total; silent: number of answers without a vote.
    """
    n_max, sizes = ns.max(), starts[1:] - starts[:-1]
    totals = np.zeros(sizes.size, np.int64)
    for c in range(sizes.size):
        totals[c] = weights[starts[c] : starts[c + 1]].sum()
    reach = totals[0]
    right = np.zeros((sizes[0] + 1, reach + 1))
    subset_table(weights[: sizes[0]], right)
    equal = np.zeros((sizes.size, reach + 1, sizes.max() + 1))
    less = np.zeros(equal.shape)
    rival_tables(weights, starts, reach, equal, less)
    rivals, product, curve = np.zeros(n_max + 1), np.zeros(n_max + 1), np.zeros(n_max + 1)
    a, b = np.zeros(n_max + 1), np.zeros(n_max + 1)
    free_row, pool_row = np.zeros(pool + 1), np.zeros(pool + 1)
    binomial_row(pool, 0.5, pool_row, 0)
    first, free, filled = 1, silent, -1  # `free` answers cannot reach t, so any number may be drawn
    for t in range(1, reach + 1):
        if right[:, t].sum() == 0.0:
            continue
        while first < sizes.size and totals[first] < t:
            free += sizes[first]
            first += 1
        if free != filled:
            binomial_row(free, 0.5, free_row, 0)
            filled = free
        degree = rivals_at(equal[:, t], less[:, t], sizes, first, n_max, rivals, a, b)
        degree = multiply(rivals, degree, free_row, 0, free, 1.0, n_max, product)
        for k in range(1, min(sizes[0], n_max) + 1):
            for j in range(min(degree, n_max - k) + 1):
                curve[k + j] += right[k, t] * product[j]
    for k in range(ns.size):
        out[k] = min(curve[ns[k]] / pool_row[ns[k]], 1.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def credit(totals: Floats, top: float) -> float:
    """The credit of the right answer, class 0: 1/ties if it reaches `top`, else 0."""
    lead, ties = top * (1.0 - 1e-9), 0
    if totals[0] < lead:
        return 0.0
    for total in totals:
        ties += 1 if total >= lead else 0
    return 1.0 / ties


@njit(cache=True)  # type: ignore[untyped-decorator]
def lost_by_rounding(owner: Ints, real: Floats, rounded: Floats, orders: Any, out: Floats) -> None:
    """Add to out[N] the accuracy by real weights minus that by rounded ones, N = 0 … out.size − 1.

    owner, real, rounded: class and weights of each answer of the pool. orders: (R, answers) random
    orders. Only draws in which some rounded weight is above 0 count.
    """
    exact, whole = np.zeros(owner.max() + 1), np.zeros(owner.max() + 1)
    for order in orders:
        exact[:], whole[:], exact_top, whole_top = 0.0, 0.0, 0.0, 0.0
        for i in range(out.size - 1):
            drawn, c = order[i], owner[order[i]]
            exact[c] += real[drawn]
            whole[c] += rounded[drawn]
            exact_top, whole_top = max(exact_top, exact[c]), max(whole_top, whole[c])
            if whole_top > 0.0:
                out[i + 1] += (credit(exact, exact_top) - credit(whole, whole_top)) / len(orders)

"""Compiled loops behind `results.votes.scored`.

Best by score: with L answers below a score, m at it and ȳ the share of these that are right,

    accuracy at N = Σ over scores of ȳ · [C(L+m, N) − C(L, N)] / C(n, N).

Weighted majority: with G_c(k, t) subsets of answer c of size k and weight t (a dynamic program over its
members),

    Σ_{k,t} G_right(k, t) [z^{N−k}] (1+z)^u ∫₀¹ Π_c (Σ_{j,s<t} G_c(j, s) z^j + x Σ_j G_c(j, t) z^j) dx
    over C(n, N),

where u counts the answers that cast no vote or cannot reach t, and ∫ x^K dx = 1/(K+1) shares a tie with K
answers. All counts are scaled by 2^−(answers), so that nothing overflows; all terms are positive.
"""

import numpy as np
from numba import njit

from results.votes.kernel import Floats, Ints, binomial_row, multiply, unit_legendre


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_curve(level: Ints, right: Floats, ns: Ints, out: Floats) -> None:
    """Write the accuracy of the best by score at each N of `ns` to `out`.

    level: (n,) the rank of each answer's score, rising, ties equal; right: (n,) 1 or 0 in the same order.
    """
    n = level.size
    for k in range(ns.size):
        asked, above, total = (
            ns[k],
            1.0,
            0.0,
        )  # above = C(L+m, N) / C(n, N) of the scores so far, from the top
        end = n
        while end > 0 and above > 0.0:
            start, hits, below = end, 0.0, above
            while start > 0 and level[start - 1] == level[end - 1]:
                hits += right[start - 1]
                below *= max(start - asked, 0) / start  # C(L−1, N) = C(L, N) (L − N)/L
                start -= 1
            total += hits / (end - start) * (above - below)
            above, end = below, start
        out[k] = min(max(total, 0.0), 1.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def subset_table(weights: Ints, table: Floats) -> None:
    """Write the scaled count of subsets of size k and weight t to table[k, t], (members + 1, sum + 1)."""
    table[:] = 0.0
    table[0, 0] = 1.0
    reach = 0
    for i in range(weights.size):
        w = weights[i]
        for k in range(i + 1, -1, -1):
            for t in range(reach + w, -1, -1):
                with_it = table[k - 1, t - w] if k > 0 and t >= w else 0.0
                table[k, t] = 0.5 * (table[k, t] + with_it)
        reach += w


@njit(cache=True)  # type: ignore[untyped-decorator]
def weighted_curve(weights: Ints, starts: Ints, silent: int, pool: int, ns: Ints, out: Floats) -> None:
    """Write the weighted vote's accuracy at each N of `ns` to `out`.

    weights: of the right answers first, then of each wrong answer, those of class c being
    weights[starts[c] : starts[c + 1]], wrong ones by rising total; silent: answers without a vote.
    """
    classes, n_max = starts.size - 1, ns.max()
    totals, sizes = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    for c in range(classes):
        sizes[c] = starts[c + 1] - starts[c]
        totals[c] = weights[starts[c] : starts[c + 1]].sum()
    reach = totals[0]
    own = np.zeros((sizes[0] + 1, reach + 1))
    subset_table(weights[starts[0] : starts[1]], own)
    widest = sizes[1:].max() if classes > 1 else 0
    equal = np.zeros((classes, reach + 1, widest + 1))  # scaled counts of weight t, by size
    less = np.zeros((classes, reach + 1, widest + 1))  # of less than t
    for c in range(1, classes):
        table = np.zeros((sizes[c] + 1, totals[c] + 1))
        subset_table(weights[starts[c] : starts[c + 1]], table)
        for k in range(sizes[c] + 1):
            for t in range(reach + 1):
                equal[c, t, k] = table[k, t] if t <= totals[c] else 0.0
                if t > 0:
                    less[c, t, k] = less[c, t - 1, k] + equal[c, t - 1, k]
    curve, product = np.zeros(n_max + 1), np.zeros(n_max + 1)
    a, b, every = np.zeros(n_max + 1), np.zeros(n_max + 1), np.zeros(pool + 1)
    others = np.zeros(pool + 1)
    binomial_row(pool, 0.5, every, 0)
    first, free, drawn = 1, silent, -1
    for t in range(1, reach + 1):
        if own[:, t].sum() == 0.0:
            continue
        while first < classes and totals[first] < t:
            free += sizes[first]
            first += 1
        if free != drawn:
            binomial_row(free, 0.5, others, 0)
            drawn = free
        ties = 0
        for c in range(first, classes):
            ties += 1 if equal[c, t].sum() > 0.0 else 0
        nodes, shares = np.empty(ties // 2 + 1), np.empty(ties // 2 + 1)
        unit_legendre(nodes.size, nodes, shares)
        rivals = np.zeros(n_max + 1)
        degree = 0
        for i in range(nodes.size):
            a[0] = shares[i]
            degree = 0
            for c in range(first, classes):
                row = less[c, t] + nodes[i] * equal[c, t]
                degree = multiply(a, degree, row, 0, sizes[c], 1.0, n_max, b)
                a, b = b, a
            rivals[: degree + 1] += a[: degree + 1]
        degree = multiply(rivals, degree, others, 0, free, 1.0, n_max, product)
        for k in range(1, min(sizes[0], n_max) + 1):
            if own[k, t] > 0.0:
                for j in range(min(degree, n_max - k) + 1):
                    curve[k + j] += own[k, t] * product[j]
    for k in range(ns.size):
        out[k] = min(curve[ns[k]] / every[ns[k]], 1.0)

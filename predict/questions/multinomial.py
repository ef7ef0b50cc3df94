"""Exact accuracy of a vote of N answers drawn with replacement from given frequencies, ties shared.

    right 2, wrong [1, 1], null 1 of 5:   N = 1: 0.4,  N = 3: 0.528,  N = 5: 0.58944

Counts of N draws are independent Poisson counts of means N·f, given that they add up to N. So the chance
that the right answer wins with m votes is, over P(Poisson(N) = N),

    P(X = m) · [z^(N−m)] e^(N·f_free·(z−1)) ∫₀¹ Π_j (Σ_{i<m} P(X_j = i) zⁱ + x P(X_j = m) z^m) dx

where ∫ x^K dx = 1/(K+1) shares a tie with K wrong answers; nulls are free, and so are wrong answers that can
no longer reach m. The coefficient is a mean over points of the unit circle, where the next m only adds a
term to each sum and nothing exceeds 1. Counts less likely than `EPS` of the likeliest are left out, so that
few m and few points do; all that is lost is below 1e-12 (tested up to N = 512).
"""

import numpy as np
from numba import njit

from predict.protocol import Floats, Ints
from results.votes.kernel import unit_legendre

EPS = 1e-15


@njit(cache=True)  # type: ignore[untyped-decorator]
def pattern_votes(patterns: Ints, ns: Ints, out: Floats) -> None:
    """Write the vote accuracy of each pattern at each N of `ns` (at least 1) to out[pattern, :].

    patterns: (patterns, 2 + J) right answers, nulls, and the counts of the different wrong ones, those that
    are equal side by side, with zeros where there are fewer than J.
    """
    for n in range(ns.size):
        N = ns[n]
        totals = np.empty(4 * N + 60)
        least, most = poisson_row(float(N), totals)
        points = max(N - least, most - N) + 1  # sums this far from N do not occur, so none passes for N
        angles = 2.0 * np.pi / points * np.arange(points)
        cos, sin = np.empty((points, points // 2 + 1)), np.empty((points, points // 2 + 1))
        for i in range(points):
            for k in range(points // 2 + 1):
                angle = angles[i * k % points]
                cos[i, k], sin[i, k] = np.cos(angle), np.sin(angle)
        for q in range(patterns.shape[0]):
            right, nulls = patterns[q, 0], patterns[q, 1]
            wrong, times, groups = np.empty_like(patterns[q]), np.zeros_like(patterns[q]), 0
            for count in patterns[q, 2:]:
                if count > 0:
                    if groups == 0 or count != wrong[groups - 1]:
                        wrong[groups] = count
                        groups += 1
                    times[groups - 1] += 1
            chance = 0.0
            if right > 0:
                chance = joint_chance(right, nulls, wrong[:groups], times[:groups], N, cos, sin)
            out[q, n] = min(max(chance / totals[N], 0.0), 1.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def joint_chance(right: int, nulls: int, wrong: Ints, times: Ints, N: int, cos: Floats, sin: Floats) -> float:
    """P(the Poisson counts add up to N and the right answer wins), ties shared.

    wrong: the different counts of wrong answers; times: how many answers have each.
    cos, sin: (points, half) at the angles 2π·i·k / points, k = 0 … points // 2; the other half mirrors it.
    """
    groups, (points, half) = wrong.size, cos.shape
    share = N / (right + nulls + (wrong * times).sum())
    own, rows, ends = np.empty(N + points), np.empty((groups, N + points)), np.empty(groups, np.int64)
    start, last = poisson_row(share * right, own)
    for j in range(groups):
        begin, ends[j] = poisson_row(share * wrong[j], rows[j])
        start = max(start, begin)
    start, last = max(start, 1), min(last, N)

    below = np.zeros(groups)  # P(X_j < m), and re + i·im are Σ_{i<m} P(X_j = i) zⁱ on the circle
    re, im = np.zeros((groups, half)), np.zeros((groups, half))
    free_re, free_im, a_re, a_im = np.empty(half), np.empty(half), np.empty(half), np.empty(half)
    b_re, b_im, sums = np.empty(half), np.empty(half), np.zeros(half)
    nodes, weights = np.empty(0), np.empty(0)
    free, rivals, drawn = share * nulls, times.sum(), -1
    for m in range(1, last + 1):
        for j in range(groups):
            chance, at = rows[j, m - 1], (m - 1) % points
            if chance > 0.0:
                below[j] += chance
                for k in range(half):
                    re[j, k] += chance * cos[at, k]
                    im[j, k] += chance * sin[at, k]
            if ends[j] == m - 1:
                free += share * wrong[j] * times[j]
                rivals -= times[j]
        if m < start:
            continue
        if rivals == 0:
            return float(sums.sum() / points + two_counts(own, m, last, free, N))

        bound, ties = own[m], 0.0
        for j in range(groups):
            if ends[j] >= m:
                reach = below[j] + rows[j, m]
                bound *= reach ** times[j]
                ties += times[j] * rows[j, m] / reach
        if bound < EPS:
            continue
        if rivals != drawn:  # some answers are newly free
            drawn = rivals
            for k in range(half):
                size = (1.0 if k == 0 or 2 * k == points else 2.0) * np.exp(free * (cos[1, k] - 1.0))
                free_re[k] = size * np.cos(free * sin[1, k])
                free_im[k] = size * np.sin(free * sin[1, k])
        count = nodes_needed(bound, rivals, ties)
        if count != nodes.size:
            nodes, weights = np.empty(count), np.empty(count)
            unit_legendre(count, nodes, weights)
        at, back = m % points, (N - m) % points
        for g in range(count):
            a_re[:], a_im[:] = free_re, free_im
            for j in range(groups):
                if ends[j] >= m:
                    tie = nodes[g] * rows[j, m]
                    for k in range(half):
                        b_re[k] = re[j, k] + tie * cos[at, k]
                        b_im[k] = im[j, k] + tie * sin[at, k]
                    times_power(a_re, a_im, b_re, b_im, times[j])
            weight = own[m] * weights[g]
            for k in range(half):
                sums[k] += weight * (a_re[k] * cos[back, k] + a_im[k] * sin[back, k])
    return float(sums.sum() / points)


@njit(cache=True)  # type: ignore[untyped-decorator]
def poisson_row(mean: float, row: Floats) -> tuple[int, int]:
    """Write the Poisson(mean) probabilities to row[first … last], zeros elsewhere; returns first and last."""
    row[:] = 0.0
    first = last = int(mean)
    row[last] = total = 1.0
    while last + 1 < row.size and row[last] * mean > EPS * (last + 1):
        row[last + 1] = row[last] * mean / (last + 1)
        last += 1
        total += row[last]
    while first > 0 and row[first] * first > EPS * mean:
        row[first - 1] = row[first] * first / mean
        first -= 1
        total += row[first]
    for i in range(first, last + 1):
        row[i] /= total
    return first, last


@njit(cache=True)  # type: ignore[untyped-decorator]
def two_counts(own: Floats, first: int, last: int, mean: float, N: int) -> float:
    """Sum over m = first … last of own[m] · P(Poisson(mean) = N − m)."""
    rest, total = np.empty(own.size), 0.0
    poisson_row(mean, rest)
    for m in range(first, last + 1):
        total += own[m] * rest[N - m]
    return total


@njit(cache=True)  # type: ignore[untyped-decorator]
def nodes_needed(bound: float, rivals: int, ties: float) -> int:
    """Gauss–Legendre nodes for the integral over x: exact, or fewer where many ties at once are too unlikely.

    G nodes are exact up to K = 2G − 1 ties. P(K of `rivals` tie, none is ahead) ≤ bound · ties^K / K!, where
    bound is P(none is ahead) and ties the expected number of ties given that.
    """
    nodes = 1
    while 2 * nodes <= rivals:
        bound *= ties * ties / (2 * nodes * (2 * nodes - 1))
        if bound < EPS:
            break
        nodes += 1
    return nodes


@njit(cache=True)  # type: ignore[untyped-decorator]
def times_power(re: Floats, im: Floats, base_re: Floats, base_im: Floats, power: int) -> None:
    """Multiply re + i·im by base^power (power ≥ 1), element by element; `base` is used up."""
    while True:
        if power % 2:
            for k in range(re.size):
                here = re[k]
                re[k] = here * base_re[k] - im[k] * base_im[k]
                im[k] = here * base_im[k] + im[k] * base_re[k]
        power //= 2
        if power == 0:
            return
        for k in range(re.size):
            here = base_re[k]
            base_re[k] = here * here - base_im[k] * base_im[k]
            base_im[k] = 2.0 * here * base_im[k]

"""Probabilities that a vote's leader is, or will be, the most frequent answer: compiled, for many states.

counts [5, 2, 1]:   leader_is_mode 0.82 (each answer's rate a Gamma draw)    leader_will_win 0.87 (at 40)
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from scipy import special

from results.votes.exact import Floats, Ints

_NODES = 48


def leader_is_mode(counts: Ints) -> Floats:
    """P(p₁ is the largest | p ~ Dirichlet(counts + 1)) for each row of `counts` (S, K), leader first: (S,).

    Every column is a class, those with no votes included. With Gamma variables instead of shares this is
    ∫ f(x; c₁ + 1) Π_j F(x; c_j + 1) dx, done by Gauss–Legendre in the quantile u of the leader's, with
    u = t³ (10 − 15 t + 6 t²), which is flat where x → 0 and x → ∞.
    """
    largest = int(counts.max(initial=0))
    return np.asarray(_leader_is_mode(np.ascontiguousarray(counts, np.int64), *_gamma_tables(largest)))


@lru_cache(maxsize=4)
def _gamma_tables(largest: int) -> tuple[Floats, Floats]:
    """F(x; c + 1) at the nodes of each leader's quantiles, (leader, c, node); and the weights."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    counts = np.arange(largest + 1)
    t = (nodes + 1) / 2
    quantile, slope = t**3 * (10 - 15 * t + 6 * t**2), 30 * t**2 * (1 - t) ** 2
    x = special.gammaincinv(counts[:, None] + 1.0, quantile)
    below = special.gammainc(counts[None, :, None] + 1.0, x[:, None, :])
    return np.asarray(below, np.float64), np.asarray(weights / 2 * slope, np.float64)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _leader_is_mode(counts: Ints, below: Floats, weights: Floats) -> Floats:
    chance = np.zeros(len(counts))
    for s in range(len(counts)):
        for k in range(weights.size):
            product = weights[k]
            for j in range(1, counts.shape[1]):
                product *= below[counts[s, 0], counts[s, j], k]
            chance[s] += product
    return chance


@njit(cache=True)  # type: ignore[untyped-decorator]
def leader_will_win(counts: Ints, left: Ints, alpha: float) -> Floats:
    """P(the leader is alone in front after `left` further answers), for each row of `counts`: (S,).

    Further answers follow a Chinese restaurant process: an answer with c of n votes is next with probability
    c / (n + alpha), a new one with alpha / (n + alpha); all new ones count as one answer. The future counts x
    have a Dirichlet-multinomial law with weights Γ(c + x) / (Γ(c) x!); classes that can no longer catch up
    are merged, which does not change the law.
    """
    chance = np.zeros(len(counts))
    most = left.max() if left.size else 0
    own, other = np.empty(most + 1), np.empty(most + 1)
    product, work = np.empty(most + 1), np.empty(most + 1)
    for s in range(len(counts)):
        m, a, n = left[s], counts[s, 0], counts[s].sum()
        if a == 0:
            continue
        _weights(float(a), m, own)
        _weights(n + alpha, m, other)
        total = other[m]
        for x in range(m + 1):
            rest = m - x
            product[: rest + 1] = 0.0
            product[0] = 1.0
            merged = 0.0
            for j in range(counts.shape[1]):  # the last class is that of new answers
                c = counts[s, j + 1] if j + 1 < counts.shape[1] else 0
                weight = alpha if j + 1 == counts.shape[1] else float(c)
                if weight == 0.0:
                    continue
                room = a + x - c - 1  # further votes with which it stays behind
                if room >= rest:
                    merged += weight
                    continue
                _weights(weight, rest, other)
                _multiply(product, other, rest, room, work)
            if merged > 0.0:
                _weights(merged, rest, other)
                _multiply(product, other, rest, rest, work)
            chance[s] += own[x] * product[rest]
        chance[s] /= total
    return chance


@njit(cache=True)  # type: ignore[untyped-decorator]
def _weights(c: float, most: int, out: Any) -> None:
    """Γ(c + x) / (Γ(c) x!) for x = 0 … most."""
    out[0] = 1.0
    for x in range(most):
        out[x + 1] = out[x] * (c + x) / (x + 1)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _multiply(product: Any, factor: Any, top: int, room: int, work: Any) -> None:
    """product ← product · factor up to z^top, using only the terms of `factor` up to z^room."""
    work[: top + 1] = 0.0
    for i in range(min(room, top) + 1):
        for d in range(top - i + 1):
            work[d + i] += factor[i] * product[d]
    product[: top + 1] = work[: top + 1]

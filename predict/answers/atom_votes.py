"""Exact accuracy of the majority vote of N fresh answers from an atom, ties shared.

    p = 0.4, a = 0.6, Ewens(2):  N = 1: 0.400,  N = 5: 0.491,  N = 100: 0.677

N answers split into s right, l leading wrong and r = N − s − l others by a multinomial law. The right
answer wins if l ≤ s and no block of equal others is larger than s; K blocks of size s, and the leading wrong
answer if l = s, share the credit. Block sizes follow from generating functions: for Ewens(θ), with K blocks
of size s and none larger,

    r! / (θ)_r · [z^r]  (θ z^s / s)^K / K! · exp(θ Σ_{j<s} z^j / j),

and for choice(J, β), with b_j = (β)_j / j!,  r! / (Jβ)_r · [z^r] C(J, K) (b_s z^s)^K (Σ_{j<s} b_j z^j)^{J−K}.
"""

from functools import cache

import numpy as np
from scipy.special import comb, gammaln

from predict.answers.atoms import ATOMS, CHOICES, RESTS, THETAS, A, P
from predict.evidence.points import Floats, Ints

EVERY = 24

LARGEST = 512
"""Votes of more answers are approximated by a vote of this many: beyond it, only near-ties still change."""


def vote_table(N: int) -> Floats:
    """P(the vote of N answers is right) for every atom, ties shared: (ATOMS,). N is capped at `LARGEST`."""
    return _vote_table(min(N, LARGEST))


@cache
def _vote_table(N: int) -> Floats:
    s, lead = (grid.ravel() for grid in np.meshgrid(np.arange(1, N + 1), np.arange(N + 1), indexing="ij"))
    possible = (lead <= s) & (s + lead <= N)
    s, lead = s[possible], lead[possible]
    r = N - s - lead
    tied = (s == lead).astype(int)
    credit = np.stack(  # one `rest` at a time: all of them together take 40 MB at N = 512
        [_ewens_credit(N, theta)[tied, s, r] for theta in THETAS]
        + [_choice_credit(N, J, beta)[tied, s, r] for J, beta in CHOICES],
        axis=1,
    )
    ways = gammaln(N + 1) - gammaln(s + 1) - gammaln(lead + 1) - gammaln(r + 1)
    table = np.empty((len(P), len(A), RESTS))
    for i, p in enumerate(P):
        with np.errstate(divide="ignore"):
            logs = np.log([np.full(len(A), p), (1 - p) * A, (1 - p) * (1 - A)])
        chance = sum(
            np.where(k > 0, k * np.maximum(log[:, None], -1e9), 0.0)
            for k, log in zip((s, lead, r), logs, strict=True)
        )
        table[i] = np.exp(ways + chance) @ credit
    return np.minimum(table.reshape(ATOMS), 1.0)


def _ewens_credit(N: int, theta: float) -> Floats:
    """E[credit of the right answer | s, r], shape (2, N + 1, N + 1): leader not tied or tied, s, r."""
    scale = min(1.0, 100 / theta)  # scale·z instead of z keeps every coefficient within range
    n = np.arange(N + 1)
    smaller = np.zeros(N + 1)  # coefficients of exp(θ Σ_{j<s} z^j / j)
    smaller[0] = 1.0
    out = np.zeros((2, N + 1, N + 1))
    for s in range(1, N + 1):
        log_block = np.log(theta) + s * np.log(scale) - np.log(s)
        up_to_s = np.zeros(N + 1)
        for K in range(N // s + 1):
            part = np.exp(K * log_block - gammaln(K + 1)) * smaller[: N + 1 - K * s]
            up_to_s[K * s :] += part
            out[0, s, K * s :] += part / (1 + K)
            out[1, s, K * s :] += part / (2 + K)
        smaller = up_to_s
    return np.asarray(out / np.exp(gammaln(theta + n) - gammaln(theta) - gammaln(n + 1) + n * np.log(scale)))


def _choice_credit(N: int, J: int, beta: float) -> Floats:
    """The same as `_ewens_credit`, for choice(J, β)."""
    n = np.arange(N + 1)
    block = _rising(beta, n)
    out = np.zeros((2, N + 1, N + 1))
    for s in range(1, N + 1):
        powers: list[Floats] = [np.ones(1)]
        for _ in range(J):
            powers.append(np.asarray(np.convolve(powers[-1], block[:s])[: N + 1], dtype=np.float64))
        for K in range(min(J, N // s) + 1):
            part = comb(J, K) * block[s] ** K * powers[J - K][: N + 1 - K * s]
            out[0, s, K * s : K * s + len(part)] += part / (1 + K)
            out[1, s, K * s : K * s + len(part)] += part / (2 + K)
    return np.asarray(out / _rising(J * beta, n))


def _rising(x: float, n: Ints) -> Floats:
    """x (x + 1) … (x + n − 1) / n!"""
    return np.asarray(np.exp(gammaln(x + n) - gammaln(x) - gammaln(n + 1)))


def votes_cast(N: int) -> tuple[Floats, Floats]:
    """The vote's accuracy when 0 … N votes are cast, as a few tables and weights to interpolate between them.

    Returns: tables (ATOMS, T) and weights (N + 1, T); the accuracy with v votes is tables @ weights[v]. Up to
    `EVERY` votes each number has its own table; beyond, only odd numbers some 10 % apart (and N) do.
    """
    nodes = list(range(1, min(N, EVERY) + 1))
    while nodes[-1] < N:
        step = max(2, 2 * round(nodes[-1] / 20))
        nodes.append(min(nodes[-1] + step + (1 - nodes[-1] % 2), N))
    tables = np.stack([np.zeros(ATOMS), *(vote_table(n) for n in nodes)], axis=1)
    places = np.array([0, *nodes])
    cast = np.arange(N + 1)
    upper = np.clip(np.searchsorted(places, cast), 1, len(places) - 1)
    share = (cast - places[upper - 1]) / (places[upper] - places[upper - 1])
    weights = np.zeros((N + 1, len(places)))
    weights[cast, upper - 1] = 1 - share
    weights[cast, upper] += share
    return tables, weights

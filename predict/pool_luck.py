"""The luck of a pool: the sampling variance of the accuracy measured on its answers, given those seen.

    vote of N = 1 in a pool of 20: variance f(1 − f)/20;   of N = 19, all of a pool: f(1 − f), right or wrong
    the same with 5 answers of the 20 already seen: f(1 − f)·15/400

Accuracy at N is a mean over all subsets of N answers, so its variance is the mean covariance of two of them.
That depends on how many answers they share; the part due to shared answers already seen is known.
"""

from functools import lru_cache

import numpy as np
from scipy.stats import binom, hypergeom

from predict.evidence.points import Floats, Ints
from results.methods import METHODS

LARGEST = 128
"""Above this N the correlation of votes is that of the normal law."""


def luck_of_pool(f: Floats, N: int, pool: Ints, method: str, seen: Ints | int = 0) -> Floats:
    """Variance of a question's accuracy at N, of mean f, on `pool` answers of which some were `seen`.

    f: (…, Q); pool, seen: (Q,). Exact for best-of-N; for votes if two answers are equally likely, or N = 1;
    for best-by-score if two different answers chosen for a question are right independently of each other. A
    vote weighted by scores is treated as a plain one. With two possible answers, a vote of even N equals that
    of the odd N below it, as ties are shared.
    """
    votes = METHODS[method].votes
    n = N - (N % 2 == 0) if votes else N
    pairs = np.stack(np.broadcast_arrays(pool, seen, f[..., :].reshape(-1, f.shape[-1])[0])[:2])
    luck = np.empty(f.shape)
    for size, known in np.unique(pairs, axis=1).T:
        at = (pairs[0] == size) & (pairs[1] == known)
        weights = _shared(n, int(size), 0) - (_shared(n, int(size), int(known)) if known else 0.0)
        if method == "best_of_n":
            luck[..., at] = _best_covariance(f[..., at], n, weights)
        else:
            correlation = _vote_correlation(n) if votes else _same_choice(n)
            luck[..., at] = f[..., at] * (1 - f[..., at]) * (weights @ correlation)
    return np.maximum(luck, 0.0)  # if all of a pool was seen, rounding may leave less


def luck_of_mean(f: Floats, N: Ints, pools: Ints, method: str) -> Floats:
    """Variance of the mean over questions at each N, (M,), from each question's accuracy f (Q, M).

    f should be from votes of at most half of the answers: a vote of all is 0 or 1.
    """
    each = zip(f.T, N, strict=True)
    luck = [luck_of_pool(one, int(n), np.maximum(pools, n), method).mean() for one, n in each]
    return np.array(luck) / len(f)


@lru_cache(maxsize=256)
def _shared(n: int, pool: int, seen: int) -> Floats:
    """P(two subsets of n share j answers), j = 0 … n; with some `seen`, P(they share j of the seen ones)."""
    j = np.arange(n + 1)
    if not seen:
        return np.asarray(hypergeom.pmf(j, pool, n, n))
    first = hypergeom.pmf(j, pool, seen, n)  # the number of seen answers in the first subset
    also = hypergeom.pmf(j[None], pool, j[:, None], n)
    joint = first @ also
    joint[0] += 1 - joint.sum()
    return np.asarray(joint)


@lru_cache(maxsize=256)
def _vote_correlation(n: int) -> Floats:
    """The correlation of two votes of odd n that share j answers, by j, if two answers are equally likely.

    Above `LARGEST`, 2/π · arcsin(j/n): that of the signs of two normal variables (Sheppard 1899).
    """
    if n > LARGEST:
        return np.asarray(2 / np.pi * np.arcsin(np.arange(n + 1) / n))
    chances = np.empty(n + 1)
    for j in range(n + 1):
        right = np.arange(j + 1)
        wins = binom.sf(n // 2 - right, n - j, 0.5)
        chances[j] = binom.pmf(right, j, 0.5) @ (2 * wins - 1) ** 2
    return chances


def _same_choice(n: int) -> Floats:
    """P(two subsets of n that share j have the same highest answer), by j: it is then a shared one."""
    j = np.arange(n + 1)
    return np.asarray(j / (2 * n - j))


def _best_covariance(f: Floats, n: int, weights: Floats) -> Floats:
    """Σ_j weights[j] · (q^(2n − j) − q^(2n)), q = (1 − f)^(1/n) the chance that one answer is wrong."""
    q = np.clip(1 - f, 0.0, 1.0) ** (1 / n)
    total = np.zeros(f.shape)
    for weight in weights:  # Horner's rule: the term of j = n ends up without a power of q
        total = total * q + weight
    return np.asarray(q**n * (total - weights.sum() * q**n))

"""The luck of a pool: how far the accuracy measured on its answers scatters about that of endless ones.

vote of N = 1 in a pool of 20: f(1 − f)/20;   of N = 20, the whole pool: f(1 − f), right or wrong
"""

import numpy as np
from scipy.stats import hypergeom

from predict.evidence.points import Floats, Ints


def luck_of_pool(N: Ints, pool: Ints | Floats) -> Floats:
    """Variance of a question's measured accuracy at N on a pool, as a share of f(1 − f); both broadcast.

    Two subsets of N answers share j of them, a hypergeometric number; their margins then correlate by j/N
    and, near a tie, their votes by 2/π · arcsin(j/N) (Sheppard 1899). The mean of that over j is the variance
    of a mean over all subsets. Exact where N is 1 or the pool, and for two answers that are equally likely
    nearly so.
    """
    N, pool = np.broadcast_arrays(np.asarray(N), np.asarray(pool, dtype=np.int64))
    found = np.empty(N.shape)
    for at in np.ndindex(N.shape):
        n, size = int(N[at]), int(pool[at])
        shared = np.arange(max(0, 2 * n - size), n + 1)
        correlation = 2 / np.pi * np.arcsin(shared / n)
        found[at] = hypergeom.pmf(shared, size, n, n) @ correlation
    return found

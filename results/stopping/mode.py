"""What very many answers to a question would say most often, as its pool tells.

    votes 7, 7, 7, 5      7 with chance 0.875 and 5 with 0.125

A rule that ends on what the pool says most often is not right for that: the pool is finite, and
the answers that the rule has seen are some of it. On a pool no larger than the vote they agree
by themselves, in 99 of 100 votes where 88 end with the mode. The shares of the answers are
Dirichlet's given the pool (Rubin 1981, Annals of Statistics 9, the Bayesian bootstrap): those
of independent gamma variables of the counts.
"""

from itertools import pairwise

import numpy as np
from scipy import special

from results.stopping.votes_so_far import Floats, Ints

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(300)


def mode_chances(counts: Ints) -> Floats:
    """The chance of each answer, (K,) from its count ≥ 1, to be the mode: its gamma variable is the largest.

    Answers of one count have one chance, so that names make no difference.
    """
    sizes, place, many = np.unique(counts, return_inverse=True, return_counts=True)
    if len(counts) == 1:
        return np.ones(1)
    furthest = sizes[-1] + 12 * np.sqrt(sizes[-1]) + 30
    x, width = furthest * (_NODES + 1) / 2, furthest * _WEIGHTS / 2
    below = special.gammainc(sizes[:, None], x)
    density = np.exp((sizes[:, None] - 1) * np.log(x) - x - special.gammaln(sizes)[:, None])
    chances = np.empty(sizes.size)
    for i, law in enumerate(density):
        others = many - (np.arange(sizes.size) == i)
        chances[i] = width @ (law * np.prod(below ** others[:, None], axis=0))
    return np.asarray((chances / (chances @ many))[place])


def of_answers(votes: Ints, starts: Ints) -> Floats:
    """That chance of what each of the answers says, (answers,); of unreadable ones, −1, it is 0."""
    chances = np.zeros(votes.size)
    for start, end in pairwise(starts):
        own = votes[start:end]
        readable = own >= 0
        if readable.any():
            _, place, counts = np.unique(own[readable], return_inverse=True, return_counts=True)
            chances[start:end][readable] = mode_chances(counts)[place]
    return chances

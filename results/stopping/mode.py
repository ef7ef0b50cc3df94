"""The mode of very many answers to a question, as estimated from its pool.

    votes 7, 7, 7, 5      7 with chance 0.875 and 5 with 0.125

A rule is not right just because it ends on the pool's most frequent answer: the pool is finite
and includes the answers that the rule has seen. If it is no larger than the vote, the two agree
by construction, in 99 of 100 votes, although only 88 end with the mode. Given the pool, the
shares of the answers are Dirichlet (Rubin 1981, Annals of Statistics 9, the Bayesian bootstrap):
those of independent gamma variables with the counts as shapes.
"""

from itertools import pairwise

import numpy as np
from scipy import special

from results.stopping.votes_so_far import Floats, Ints

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(300)


def mode_chances(counts: Ints) -> Floats:
    """The chance, (K,), that each answer is the mode, its gamma variable the largest; counts: ≥ 1.

    Answers with equal counts have exactly equal chances, so that names make no difference.
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
    """The chance that each answer's vote is the mode, (answers,); 0 for unreadable ones, −1."""
    chances = np.zeros(votes.size)
    for start, end in pairwise(starts):
        own = votes[start:end]
        readable = own >= 0
        if readable.any():
            _, place, counts = np.unique(own[readable], return_inverse=True, return_counts=True)
            chances[start:end][readable] = mode_chances(counts)[place]
    return chances

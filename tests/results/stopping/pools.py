"""Pools of answers for tests of stopping rules."""

import numpy as np

from results.votes.exact import AnswerPools
from tests.by_hand import pools_of


def random_pools(rng: np.random.Generator, questions: int = 6, answers: int = 14) -> AnswerPools:
    """Pools with two to five different answers and some unreadable ones, all with token counts."""
    votes, tokens = [], []
    for _ in range(questions):
        kinds = int(rng.integers(2, 6))
        law = rng.dirichlet(np.ones(kinds + 1))
        votes.append([int(v) for v in rng.choice(np.arange(-1, kinds), answers, p=law)])
        tokens.append([float(t) for t in rng.integers(1, 9, answers)])
    return pools_of(votes, tokens)

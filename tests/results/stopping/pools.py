"""Pools of answers for tests of stopping rules."""

from collections.abc import Sequence

import numpy as np

from results.votes.exact import AnswerPools


def pools_of(votes: Sequence[Sequence[int]], tokens: Sequence[Sequence[float]] | None = None) -> AnswerPools:
    """Pools from lists of votes: −1 unreadable, 0 right, 1 … wrong answers."""
    starts = np.concatenate([[0], np.cumsum([len(one) for one in votes])])
    flat = np.array([vote for one in votes for vote in one], np.int64)
    lengths = (
        np.full(flat.size, np.nan) if tokens is None else np.array([t for one in tokens for t in one], float)
    )
    return AnswerPools([f"q{i}" for i in range(len(votes))], starts, flat, lengths)


def random_pools(rng: np.random.Generator, questions: int = 6, answers: int = 14) -> AnswerPools:
    """Questions with two to five answers and some unreadable ones, each with its tokens."""
    votes, tokens = [], []
    for _ in range(questions):
        kinds = int(rng.integers(2, 6))
        law = rng.dirichlet(np.ones(kinds + 1))
        votes.append([int(v) for v in rng.choice(np.arange(-1, kinds), answers, p=law)])
        tokens.append([float(t) for t in rng.integers(1, 9, answers)])
    return pools_of(votes, tokens)

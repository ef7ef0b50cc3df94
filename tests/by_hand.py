"""Votes counted by hand, the reference for the tests of every exact vote."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from statistics import fmean, mean

import numpy as np

from results.votes.exact import AnswerPools


def voted(answers: Sequence[Hashable], right: Hashable = "r", null: Hashable = None) -> float:
    """The credit of the answer `right` in one majority vote, ties shared; `null` answers cast no vote."""
    counts = Counter(answer for answer in answers if answer != null)
    leaders = [answer for answer, count in counts.items() if count == max(counts.values())]
    return leaders.count(right) / len(leaders) if leaders else 0.0


def by_subsets(
    answers: Sequence[Hashable],
    n: int,
    method: str = "majority",
    right: Hashable = "r",
    null: Hashable = None,
) -> float:
    """The mean of a vote, or of best-of-n, over every subset of `n` answers."""
    chosen = itertools.combinations(answers, n)
    return mean(voted(one, right, null) if method == "majority" else float(right in one) for one in chosen)


def pools_of(
    votes: Sequence[Sequence[int]],
    tokens: Sequence[Sequence[float]] | None = None,
    scores: Sequence[Sequence[float]] | None = None,
    logs: bool = False,
) -> AnswerPools:
    """Pools from lists of votes: −1 unreadable, 0 right, 1 … wrong answers."""
    starts = np.cumsum([0, *map(len, votes)])
    names = [f"q{i}" for i in range(len(votes))]
    lengths = np.full(starts[-1], np.nan) if tokens is None else np.concatenate(tokens).astype(float)
    scored = None if scores is None else np.concatenate(scores).astype(float)
    return AnswerPools(names, starts, np.concatenate(votes).astype(np.int64), lengths, scored, logs=logs)


def best_of_subset(votes: Sequence[int], scores: Sequence[float]) -> float:
    """The credit of the highest-scored answer, ties shared; unreadable ranks below unscored, below scored."""

    def rank(i: int) -> tuple[int, float]:
        if votes[i] < 0:
            return 0, 0.0
        return (1, 0.0) if math.isnan(scores[i]) else (2, scores[i])

    ranks = [rank(i) for i in range(len(votes))]
    top = [i for i, one in enumerate(ranks) if one == max(ranks)]
    return sum(votes[i] == 0 for i in top) / len(top)


def weighted_of_subset(votes: Sequence[int], scores: Sequence[float]) -> float:
    """The credit in a vote weighted by scores; an answer without a positive score casts no vote."""
    totals: dict[int, float] = {}
    for vote, score in zip(votes, scores, strict=True):
        if vote >= 0 and score > 0:
            totals[vote] = totals.get(vote, 0) + score
    leading = [vote for vote, total in totals.items() if total == max(totals.values())]
    return (0 in leading) / len(leading) if leading else 0.0


def scored_by_subsets(
    one: Callable[[Sequence[int], Sequence[float]], float],
    votes: Sequence[int],
    scores: Sequence[float],
    n: int,
) -> float:
    """The mean credit of a choice by score over every subset of `n` answers."""
    subsets = itertools.combinations(range(len(votes)), n)
    return fmean(one([votes[i] for i in s], [scores[i] for i in s]) for s in subsets)

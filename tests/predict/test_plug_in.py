"""The plug-in forecast against every outcome of drawing with replacement."""

import itertools

import numpy as np
import pytest

from predict.plug_in import frequencies_vote
from results.votes import VoteCounts


def drawn_with_replacement(pool: list[int], n: int) -> float:
    """Vote accuracy over all len(pool)^n ordered draws; 0 is right, −1 casts no vote, ties share."""
    total = 0.0
    for draw in itertools.product(pool, repeat=n):
        votes = [answer for answer in draw if answer >= 0]
        counts = [votes.count(kind) for kind in set(votes)]
        if votes and votes.count(0) == max(counts):
            total += 1 / counts.count(max(counts))
    return total / len(pool) ** n


def test_vote_of_fresh_answers_from_the_observed_frequencies() -> None:
    counts = VoteCounts(np.array([2]), np.array([1, 1]), np.array([0, 2]), np.array([1]))
    found = frequencies_vote(counts, np.array([1, 3, 5]), "majority")[0]
    expected = [drawn_with_replacement([0, 0, 1, 2, -1], n) for n in (1, 3, 5)]
    assert found == pytest.approx(expected, abs=0.006)


def test_best_of_fresh_answers() -> None:
    counts = VoteCounts(np.array([1, 0]), np.array([3, 4]), np.array([0, 1, 2]), np.array([0, 0]))
    found = frequencies_vote(counts, np.array([4]), "best_of_n")[:, 0]
    assert found == pytest.approx([1 - 0.75**4, 0.0])

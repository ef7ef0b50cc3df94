"""predict.stopped.survival: the vote of answers with known chances, against votes drawn one by one."""

from dataclasses import replace

import numpy as np
import pytest

from predict.answers.atoms import ATOMS, P
from predict.stopped.survival import WrongAnswers, vote_accuracy, wrong_answers
from results.votes.exact import VoteCounts

ALIKE = VoteCounts(np.full(40, 1), np.full(40, 60), np.arange(41), np.zeros(40, int))
"""40 questions with one right answer and 60 times the same wrong one: only one wrong answer exists."""


@pytest.mark.parametrize(
    ("right", "other", "n"), [(0.3, 0.3, 8), (0.5, 0.2, 5), (0.1, 0.6, 16), (0.4, 0.0, 3), (0.0, 0.0, 8)]
)
def test_a_vote_against_votes_drawn_one_by_one(right: float, other: float, n: int) -> None:
    """One wrong answer that everybody gives, so that the split is known: a race of right against wrong."""
    rng = np.random.default_rng(0)
    shape = np.ones((1, 40))
    readable = replace(wrong_answers(ALIKE), unreadable=np.zeros(40))

    found = vote_accuracy(readable, right * shape, other * shape, n)

    votes = rng.multinomial(n, [right, other, 1 - right - other], size=100_000)
    ahead, level = votes[:, 0] > votes[:, 1], votes[:, 0] == votes[:, 1]
    expected = np.where(ahead, 1.0, np.where(level & (votes[:, 0] > 0), 0.5, 0.0)).mean()
    assert found == pytest.approx(np.full((1, 40), expected), abs=0.02)


def test_wrong_answers_that_never_agree_split_the_vote() -> None:
    """With as many right as wrong answers, the right one wins where wrong ones differ and ties where not."""
    different = VoteCounts(np.full(40, 1), np.ones(400, int), np.arange(0, 401, 10), np.zeros(40, int))
    at = np.full((1, 40), 0.4)

    alone, split = (vote_accuracy(wrong_answers(one), at, at, 15).mean() for one in (ALIKE, different))

    assert alone == pytest.approx(0.5, abs=0.03)
    assert split > 0.9


def test_each_question_has_the_split_of_its_own_wrong_answers() -> None:
    wrong = np.concatenate([np.full(20, 10), np.ones(200, int)])
    starts = np.concatenate([np.arange(21), 20 + 10 * np.arange(1, 21)])
    both = VoteCounts(np.zeros(40, int), wrong, starts, np.zeros(40, int))
    at = np.full((1, 40), 0.4)

    found = vote_accuracy(wrong_answers(both), at, at, 15)[0]

    assert found[:20] == pytest.approx(np.full(20, found[0]))
    assert found[20:] == pytest.approx(np.full(20, found[20]))
    assert found[20] > found[0] + 0.2


def test_unreadable_answers_are_a_share_of_those_not_right() -> None:
    """Of ten answers to each question five are right, two wrong and three unreadable."""
    counts = VoteCounts(np.full(40, 5), np.full(40, 2), np.arange(41), np.full(40, 3))

    assert wrong_answers(counts).unreadable == pytest.approx(np.full(40, 0.6), abs=0.01)


def test_a_question_with_few_answers_takes_the_share_of_unreadable_ones_of_all() -> None:
    """A tenth of 1,000 answers that are not right; each question's own share, with 4 answers of that."""
    nulls, wrong = np.array([99, 1, 0]), np.array([900, 0])
    counts = VoteCounts(np.zeros(3, int), wrong[:1], np.array([0, 1, 1, 1]), nulls)

    found = wrong_answers(counts).unreadable

    shared = (100 + 0.1) / (1000 + 1)
    assert found == pytest.approx([(99 + 4 * shared) / 1003, (1 + 4 * shared) / 5, shared])


def test_unreadable_answers_cast_no_vote() -> None:
    split = np.full((1, len(P), ATOMS // len(P)), len(P) / ATOMS)
    one = WrongAnswers(split, np.zeros(3, int), np.array([0.0, 0.5, 1.0]))

    found = vote_accuracy(one, np.full((1, 3), 0.3), np.full((1, 3), 0.6), 9)[0]

    assert (np.diff(found) > 0.05).all()
    assert found[2] == pytest.approx(1 - 0.7**9, abs=0.01)

"""predict.stopped.survival: the vote of answers with known probabilities, against simulated votes.

Also the luck of a finite pool, against pools completed by drawing.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from predict.answers.atoms import ATOMS, P
from predict.estimate import Status
from predict.evidence.points import Floats, Run
from predict.stopped.observed import seen_at
from predict.stopped.simulate import Simulated
from predict.stopped.survival import Ahead, WrongAnswers, _accuracies, vote_accuracy, wrong_answers
from results.votes.exact import AnswerPools, VoteCounts, best_of_n

ALIKE = VoteCounts(np.full(40, 1), np.full(40, 60), np.arange(41), np.zeros(40, int))
"""40 questions with one right answer and 60 times the same wrong one, so only one wrong answer exists."""


@pytest.mark.parametrize(
    ("right", "other", "n"), [(0.3, 0.3, 8), (0.5, 0.2, 5), (0.1, 0.6, 16), (0.4, 0.0, 3), (0.0, 0.0, 8)]
)
def test_a_vote_against_votes_drawn_one_by_one(right: float, other: float, n: int) -> None:
    """With a single wrong answer the split is known: right against wrong."""
    rng = np.random.default_rng(0)
    shape = np.ones((1, 40))
    readable = replace(wrong_answers(ALIKE), unreadable=np.zeros(40))

    found = vote_accuracy(readable, right * shape, other * shape, n)

    votes = rng.multinomial(n, [right, other, 1 - right - other], size=100_000)
    ahead, level = votes[:, 0] > votes[:, 1], votes[:, 0] == votes[:, 1]
    expected = np.where(ahead, 1.0, np.where(level & (votes[:, 0] > 0), 0.5, 0.0)).mean()
    assert found == pytest.approx(np.full((1, 40), expected), abs=0.02)


def test_wrong_answers_that_never_agree_split_the_vote() -> None:
    """With equally many right and wrong answers, the right one wins if wrong ones differ, else it ties."""
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
    """The overall share is a tenth of 1,000 not-right answers; it adds 4 answers to each question's own."""
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


POOL, CHANCE, CAP, Q = 16, 0.2, 100, 40


def accuracies(known: Sequence[int], R: int, cap: list[int], N: list[int], pool: int) -> Floats:
    """Draws of best-of-N at the caps, for a run with `pool` answers to each question."""
    ahead = look(known, R)
    nothing = AnswerPools([], np.zeros(1, int), np.zeros(0, int), np.zeros(0))
    run = Run("s", nothing, CAP, {"cap": CAP}, np.full(len(known), pool))
    return _accuracies(ahead, run, np.array(cap), np.array(N), "best_of_n", 0)[0]


def look(known: Sequence[int], R: int) -> Ahead:
    """`known` answers to each question, a quarter of them unfinished; the probabilities are certain."""
    starts = np.concatenate([[0], np.cumsum(known)])
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], known)
    tokens = np.where(place % 4 == 0, CAP + 1.0, 50.0)
    names = [f"q{q}" for q in range(len(known))]
    pools = AnswerPools(names, starts, np.arange(starts[-1]) % 2, tokens)
    ones = np.ones((R, len(known), 1))
    return Ahead(seen_at(pools, CAP), Simulated(CHANCE * ones, ones, ones), Status.OK)


def luck(known: int, N: np.ndarray) -> Floats:
    """The variance of one question's best-of-N from a pool, by completing the pool twice."""
    rng = np.random.default_rng(0)
    drawn = rng.binomial(known, CHANCE, (20_000, 1))
    first, second = (
        best_of_n(np.full_like(drawn, POOL), drawn + rng.binomial(POOL - known, CHANCE, drawn.shape), N)
        for _ in range(2)
    )
    return np.asarray(((first - second) ** 2).mean(axis=0) / 2)


@pytest.mark.parametrize("known", [(4,) * Q, (12,) * Q, (4, 12) * (Q // 2), (POOL,) * Q])
def test_the_luck_of_a_pool_is_that_of_the_answers_not_yet_seen(known: tuple[int, ...]) -> None:
    """Best-of-4 and of-8 from 16, even with all 16 known. With 4,000 draws a spread is known to 1.1 %."""
    N = np.array([4, 8])

    found = accuracies(known, 4000, [0, 0], [4, 8], POOL)

    expected = np.sqrt(np.mean([luck(one, N) for one in known[:2]], axis=0) / Q)
    assert found.mean(axis=0) == pytest.approx(1 - (1 - CHANCE) ** N, abs=0.005)
    assert found.std(axis=0) == pytest.approx(expected, rel=0.05, abs=1e-12)


@pytest.mark.parametrize(("clusters", "draws"), [(None, Q), (list("abcd") * (Q // 4), 4)])
def test_new_questions_are_drawn_by_clusters(clusters: list[str] | None, draws: int) -> None:
    """Half of the clusters are always right, half never; the spread of their mean is known to 1.1 %."""
    ahead = look((8,) * Q, 4000)
    right = np.broadcast_to((np.arange(Q) % 2).astype(float)[:, None], (4000, Q, 1))
    ahead = replace(ahead, simulated=Simulated(right, np.ones_like(right), np.ones_like(right)))
    names = AnswerPools(
        [f"q{q}" for q in range(Q)], np.arange(Q + 1), np.zeros(Q, int), np.ones(Q), None, clusters
    )
    run = Run("s", names, CAP, {"cap": CAP}, np.full(Q, 8))
    _, new = _accuracies(ahead, run, np.array([0]), np.array([4]), "best_of_n", 0)
    assert new.std() == pytest.approx(0.5 / np.sqrt(draws), rel=0.07)


def test_a_larger_n_beside_it_changes_no_target() -> None:
    """Each target has its own pool, of N answers unless a larger pool is given."""
    alone = accuracies((4,) * Q, 50, [0], [8], 4)
    beside = accuracies((4,) * Q, 50, [0, 0], [8, 64], 4)

    assert beside[:, 0].tolist() == alone[:, 0].tolist()
    assert beside[:, 1].std() > 0

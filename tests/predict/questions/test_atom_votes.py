"""Atoms and votes: probabilities sum to 1, tables of votes agree with answers drawn one by one."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from scipy.special import comb

from predict.questions.atom_votes import vote_table, votes_cast
from predict.questions.atoms import ATOMS, CHOICES, RESTS, THETAS, A, P, Patterns, log_likelihood, patterns


def set_partitions(n: int) -> list[tuple[int, ...]]:
    """Block sizes of every set partition of n things, one entry a partition (restricted growth strings)."""
    strings = [()]
    for _ in range(n):
        strings = [(*s, k) for s in strings for k in range(max(s, default=-1) + 2)]
    return [tuple(sorted(Counter(s).values(), reverse=True)) for s in strings]


def test_probabilities_of_all_outcomes_of_five_answers_sum_to_one_for_every_atom() -> None:
    total = np.zeros(ATOMS)
    for s in range(6):
        for blocks, times in Counter(set_partitions(5 - s)).items():
            one = Patterns(np.array([s]), (np.array(blocks, dtype=np.int64),), np.ones(1), np.zeros(1))
            total += comb(5, s) * times * np.exp(log_likelihood(one)[0])
    assert total == pytest.approx(np.ones(ATOMS), abs=1e-10)


def simulated_vote(p: float, a: float, rest: int, N: int, rounds: int, rng: np.random.Generator) -> float:
    """The vote of N answers from an atom, one answer after the other."""
    won = 0.0
    for _ in range(rounds):
        blocks: Counter[object] = Counter()
        others: list[int] = []
        shares = None
        if rest >= len(THETAS):
            J, beta = CHOICES[rest - len(THETAS)]
            shares = rng.dirichlet(np.full(J, beta))
        for _ in range(N):
            u = rng.random()
            if u < p:
                blocks["right"] += 1
            elif u < p + (1 - p) * a:
                blocks["lead"] += 1
            elif shares is not None:
                blocks[int(rng.choice(len(shares), p=shares))] += 1
            else:
                theta = THETAS[rest]
                new = rng.random() < theta / (theta + len(others))
                kind = len(set(others)) if new else int(rng.choice(others))
                others.append(kind)
                blocks[kind] += 1
        top = max(blocks.values())
        if blocks["right"] == top:
            won += 1 / sum(count == top for count in blocks.values())
    return won / rounds


@pytest.mark.parametrize(
    ("p", "a", "rest", "N"),
    [
        (12, 4, 1, 5), (10, 2, 7, 9), (9, 0, 8, 8), (14, 5, 0, 9),
        (8, 0, 2, 16), (6, 0, 4, 12), (9, 1, 8, 15), (8, 2, 9, 14),
    ],
)  # fmt: skip
def test_vote_table_agrees_with_answers_drawn_one_by_one(p: int, a: int, rest: int, N: int) -> None:
    rng = np.random.default_rng(p)
    rounds = 4000
    exact = vote_table(N).reshape(len(P), len(A), RESTS)[p, a, rest]
    assert simulated_vote(P[p], A[a], rest, N, rounds, rng) == pytest.approx(
        exact, abs=3.5 * 0.5 / np.sqrt(rounds)
    )


def test_one_answer_is_right_with_probability_p_and_no_vote_leaves_the_unit_interval() -> None:
    one = vote_table(1).reshape(len(P), len(A), RESTS)
    assert one == pytest.approx(np.broadcast_to(P[:, None, None], one.shape))
    far = vote_table(100)
    assert np.isfinite(far).all()
    assert (far >= 0).all()
    assert (far <= 1).all()


def test_votes_beyond_the_largest_table_keep_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("predict.questions.atom_votes.LARGEST", 32)
    assert vote_table(10**6) is vote_table(32)


def test_two_answers_vote_as_well_as_one() -> None:
    assert vote_table(2) == pytest.approx(vote_table(1), abs=1e-10)


def test_tables_by_votes_cast_are_exact_up_to_24_and_close_beyond() -> None:
    tables, weights = votes_cast(40)
    assert weights.sum(axis=1) == pytest.approx(np.ones(41))
    assert tables @ weights[17] == pytest.approx(vote_table(17))
    assert tables @ weights[33] == pytest.approx(vote_table(33), abs=0.01)


def test_answers_counted_zero_times_are_no_answers() -> None:
    with_zero = patterns(np.array([2]), [np.array([0, 3, 0, 1])])
    assert with_zero.wrong[0].tolist() == [3, 1]


def test_a_table_keeps_no_more_memory_than_itself() -> None:
    """The credits it is made of, 400 times as large, are forgotten."""
    tracemalloc.start()
    table = vote_table(121)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 20 * table.nbytes

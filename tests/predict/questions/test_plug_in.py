"""The plug-in forecast against every outcome of drawing with replacement; for large N against other sums."""

import numpy as np
import pytest
from scipy.stats import poisson

from predict.questions.plug_in import frequencies_vote
from results.votes.exact import VoteCounts, majority_accuracy

POOLS = {
    "usual": (20, [3, 1, 12, 8, 3], 17),
    "level": (4, [4, 4, 4, 4], 0),
    "behind": (9, [12, 1], 2),
    "certain": (62, [1], 1),
    "scattered": (5, [1] * 40 + [2] * 5 + [4], 5),
    "one right": (1, [1, 2], 60),
    "mostly null": (3, [2], 59),
}


def counted(*pools: tuple[int, list[int], int]) -> VoteCounts:
    """Counts of the questions (right, wrong, nulls)."""
    return VoteCounts(
        np.array([right for right, _, _ in pools]),
        np.array([count for _, wrong, _ in pools for count in wrong], np.int64),
        np.concatenate([[0], np.cumsum([len(wrong) for _, wrong, _ in pools])]),
        np.array([nulls for _, _, nulls in pools]),
    )


def by_convolution(right: int, wrong: list[int], nulls: int, n: int) -> float:
    """Vote accuracy from the law of the sum of Poisson counts, convolved for each winning count and ties."""
    share = n / (right + sum(wrong) + nulls)
    count = np.arange(n + 1)
    own, free = poisson.pmf(count, share * right), poisson.pmf(count, share * nulls)
    rows = [poisson.pmf(count, share * c) for c in wrong]
    total = 0.0
    for m in np.flatnonzero(own * (count > 0) > 1e-16):
        top = n - m
        law = free[
            None, : top + 1
        ]  # law[K, s]: K wrong answers have m votes too, s votes besides the right m
        for row in rows:
            more = np.zeros((len(law) + 1, top + 1))
            more[:-1] = [np.convolve(part, row[:m])[: top + 1] for part in law]
            more[1:, m:] += law[:, : max(top + 1 - m, 0)] * row[m]
            law = more
        total += own[m] * (law[:, top] / np.arange(1, len(law) + 1)).sum()
    return float(total / poisson.pmf(n, n))


@pytest.mark.parametrize(
    ("name", "n"),
    # 46 wrong answers at N = 512 take the reference too long
    [(name, n) for name in POOLS for n in (1, 2, 16, 17, 128, 512) if (name, n) != ("scattered", 512)],
)
def test_vote_of_many_fresh_answers(name: str, n: int) -> None:
    found = frequencies_vote(counted(POOLS[name]), np.array([n]), "majority")
    assert found[0, 0] == pytest.approx(by_convolution(*POOLS[name], n), abs=1e-12)


def test_the_limit_of_many_copies_of_the_pool() -> None:
    """A subset of N of c copies differs from fresh answers by about N² / (c · pool)."""
    ns = np.array([1, 4, 16, 32])
    exact = frequencies_vote(counted((20, [3, 1, 12, 8, 3], 17)), ns, "majority")[0]
    gaps = []
    for copies in (10, 20, 40, 80):
        many = counted((20 * copies, [c * copies for c in (3, 1, 12, 8, 3)], 17 * copies))
        gaps.append(np.abs(majority_accuracy(many, ns)[0] - exact).max())
    assert np.allclose(np.array(gaps[:-1]) / gaps[1:], 2.0, atol=0.05)
    assert gaps[-1] < 1e-3


def test_each_question_keeps_its_own_row() -> None:
    """Wrong counts and N may come in any order."""
    pools = [*POOLS.values(), (9, [1, 12], 2), (0, [3], 1), (0, [], 4), (3, [], 0), *POOLS.values()]
    ns = np.array([40, 1, 9])
    found = frequencies_vote(counted(*pools), ns, "majority")
    alone = [
        frequencies_vote(counted(pool), ns[k : k + 1], "majority")[0, 0] for pool in pools for k in range(3)
    ]
    assert np.array_equal(found, np.reshape(alone, (len(pools), 3)))
    assert np.array_equal(found[7], found[2])
    assert found[8:11] == pytest.approx(np.array([[0.0] * 3, [0.0] * 3, [1.0] * 3]), abs=1e-12)


def test_a_question_with_more_answers_than_others_weighs_them_by_frequency() -> None:
    found = frequencies_vote(counted((2, [1], 1), (4, [2], 2)), np.array([5, 50]), "majority")
    assert found[0] == pytest.approx(found[1], abs=1e-14)


def test_best_of_fresh_answers() -> None:
    counts = VoteCounts(np.array([1, 0]), np.array([3, 4]), np.array([0, 1, 2]), np.array([0, 0]))
    found = frequencies_vote(counts, np.array([4]), "best_of_n")[:, 0]
    assert found == pytest.approx([1 - 0.75**4, 0.0])

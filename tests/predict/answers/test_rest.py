"""Pools completed from the answers seen, against pools drawn answer by answer."""

from collections import defaultdict
from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import softmax

from predict.answers.atoms import CHOICES, RESTS, THETAS, A, P, leading, log_likelihood, patterns
from predict.answers.best_of_n import RATES
from predict.answers.rest import bests_of_pools, pool_sizes, vote_of, votes_of_pools
from predict.answers.unread import Unread
from results.votes.exact import VoteCounts, best_of_n, majority_curve

RIGHT, LEADER = 0, 1


def answers_of(p: float, a: float, rest: int, number: int, rng: np.random.Generator) -> list[int]:
    """Answers drawn one by one by the definition of an atom; the others are numbered from 2, by an urn."""
    given: list[int] = []
    urn: list[int] = []
    for _ in range(number):
        if rng.random() < p:
            given.append(RIGHT)
        elif rng.random() < a:
            given.append(LEADER)
        else:
            urn.append(_next(urn, rest, rng))
            given.append(urn[-1])
    return given


def _next(urn: list[int], rest: int, rng: np.random.Generator) -> int:
    if rest < len(THETAS):
        new = rng.random() * (THETAS[rest] + len(urn)) < THETAS[rest]
        return max(urn, default=LEADER) + 1 if new else int(rng.choice(urn))
    J, beta = CHOICES[rest - len(THETAS)]
    weight = np.array([beta + urn.count(LEADER + 1 + i) for i in range(J)])
    return LEADER + 1 + int(rng.choice(J, p=weight / weight.sum()))


def counts_of(given: list[int]) -> tuple[int, tuple[int, ...]]:
    """The number of right answers, and the counts of wrong ones in descending order."""
    wrong = [given.count(kind) for kind in set(given) - {RIGHT}]
    return given.count(RIGHT), tuple(sorted(wrong, reverse=True))


def counted(right: int, wrong: tuple[int, ...], nulls: int = 0) -> VoteCounts:
    of_wrong = np.array(wrong, np.int64)
    return VoteCounts(np.array([right]), of_wrong, np.array([0, len(wrong)]), np.array([nulls]))


MIXED = [(17, 4, 1), (20, 0, 3), (12, 5, len(THETAS)), (24, 3, len(THETAS) + 2), (9, 2, 0)]
"""Indices of p, a and rest: an even leader, hardly any agreement, multiple-choice options, few others."""


@pytest.mark.parametrize("pools", [10_000, pytest.param(40_000, marks=pytest.mark.release)])
def test_the_vote_of_a_pool_is_that_of_pools_drawn_one_answer_after_another(pools: int) -> None:
    """5 of 8 answers are seen; frequencies in 40,000 pools are off by at most 2 points."""
    rng, votes = np.random.default_rng(0), defaultdict(list)
    for _ in range(pools):
        i, j, k = MIXED[rng.integers(len(MIXED))]
        given = answers_of(P[i], A[j], k, 8, rng)
        right, wrong = counts_of(given)
        votes[counts_of(given[:5])].append(majority_curve(right, wrong)[[5, 7]])
    atoms = np.array([np.ravel_multi_index(one, (len(P), len(A), RESTS)) for one in MIXED])
    common = sorted(votes, key=lambda key: -len(votes[key]))[:8]
    for right, wrong in common:
        seen = counted(right, wrong)
        logs = log_likelihood(patterns(seen))[0, atoms]
        drawn = rng.choice(atoms, (1, 20_000), p=softmax(logs))
        N, pool = np.array([6, 8]), np.array([[8, 8]])
        found = votes_of_pools(seen, N, pool, drawn, None, 0)[0]
        nobodys = counted(right, (*wrong, 0))  # a wrong answer that was never given is ignored
        assert (votes_of_pools(nobodys, N, pool, drawn, None, 0)[0] == found).all()
        expected = np.array(votes[right, wrong])
        noise = expected.std(axis=0) / np.sqrt(len(expected))
        assert found.mean(axis=0) == pytest.approx(expected.mean(axis=0), abs=4 * noise.max() + 0.01)
        assert found.std(axis=0) == pytest.approx(expected.std(axis=0), abs=0.03)


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_the_vote_of_a_counted_pool_is_the_mean_over_all_its_parts(left_out: int) -> None:
    """Right, unreadable, two wrong answers and some that all differ, each occurring up to twice."""
    for counts in product(range(3), repeat=5):
        right, unread, one, other, different = counts
        pool = [0] * right + [-1] * unread + [1] * one + [2] * other + list(range(3, 3 + different))
        values = []
        for part in combinations(pool, max(len(pool) - left_out, 1)):
            times = [part.count(kind) for kind in set(part) - {-1}]
            wins = part.count(0) == max(times, default=0) > 0
            values.append(wins / times.count(part.count(0)) if wins else 0.0)
        if values:
            found = vote_of(np.array([counts]), max(len(pool) - left_out, 1))
            assert found == pytest.approx([np.mean(values)], abs=1e-12), counts


def test_who_leads_is_the_share_of_a_term_in_the_likelihood() -> None:
    """For counts 3, 1, 1, the terms in brackets computed by hand, with Ewens' law and a = 0.6."""
    found = leading(np.array([3, 1, 1]))[:, list(A).index(0.6), 1]
    theta, a = THETAS[1], 0.6

    def eppf(*counts: int) -> float:
        rising = np.prod(theta + np.arange(sum(counts)))
        return theta ** len(counts) * np.prod([np.prod(np.arange(1, c)) for c in counts]) / rising

    none, first, other = (1 - a) ** 5 * eppf(3, 1, 1), a**3 * (1 - a) ** 2 * eppf(1, 1), 2 * a * (1 - a) ** 4
    terms = np.array([none, first, other * eppf(3, 1), 0.0])
    assert found == pytest.approx(terms / terms.sum())


def test_unreadable_answers_come_as_often_as_questions_of_this_p_have_them() -> None:
    """Four of eight are unreadable; with Beta(3, 1) at p = 1, 7 of 12 of those to come are."""
    seen = VoteCounts(np.full(50, 3), np.full(50, 1), np.arange(51), np.full(50, 4))
    unread = Unread(np.where(P == 1, 3.0, 1.0), np.ones(len(P)))
    always = np.full((50, 400), np.ravel_multi_index((len(P) - 1, 0, 0), (len(P), len(A), RESTS)))
    found = votes_of_pools(seen, np.array([1]), np.full((50, 1), 16), always, unread, 0)
    assert found.mean() == pytest.approx((3 + 8 * 5 / 12) / 16, abs=0.01)


def test_best_of_a_pool_holds_those_seen() -> None:
    """2 of 4 are right; 4 more are right with probability 1/2: best-of-4 from 8, over their binomial law."""
    rate = int(np.argmin(np.abs(RATES - 0.5)))
    seen = counted(2, (2,))
    found = bests_of_pools(seen, np.array([4, 8]), np.array([[8, 8]]), np.full((1, 40_000), rate), 0)[0]
    more = np.arange(5)
    chance = np.array([1, 4, 6, 4, 1]) / 16
    for column, N in enumerate((4, 8)):
        value = best_of_n(8, 2 + more, N)
        mean = chance @ value
        assert found[:, column].mean() == pytest.approx(mean, abs=0.005)
        assert found[:, column].std() == pytest.approx(np.sqrt(chance @ (value - mean) ** 2), abs=0.01)


def test_every_target_has_a_pool_of_its_own() -> None:
    """The measured pool if it has N answers to all questions, else N; fresh answers if all were seen."""
    N = np.array([4, 9, 12, 64])
    part = pool_sizes(np.array([4, 4]), np.array([16.0, 9.0]), N)
    assert part.tolist() == [[16, 16, 12, 64], [9, 9, 12, 64]]
    assert pool_sizes(np.array([16, 9]), np.array([16.0, 9.0]), N).tolist() == [
        [np.inf, np.inf, 16, 64],
        [np.inf, np.inf, 12, 64],
    ]
    assert np.isinf(pool_sizes(np.array([4]), np.array([np.inf]), N)).all()

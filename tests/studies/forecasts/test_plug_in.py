"""The plug-in forecast: fresh answers from each question's own frequencies, with resampled questions."""

import numpy as np
import pytest

from predict.estimate import Options
from results.normal import Z90
from results.votes.exact import VoteCounts
from results.votes.multinomial import vote_accuracy
from studies.forecasts.plug_in import frequencies_vote, plug_in
from tests.predict.answers.pools import drawn_pool, observed, targets


def counted(*pools: tuple[int, list[int], int]) -> VoteCounts:
    """Counts of the questions (right, wrong, nulls)."""
    return VoteCounts(
        np.array([right for right, _, _ in pools]),
        np.array([count for _, wrong, _ in pools for count in wrong], np.int64),
        np.concatenate([[0], np.cumsum([len(wrong) for _, wrong, _ in pools])]),
        np.array([nulls for _, _, nulls in pools]),
    )


POOLS = [
    (20, [3, 1, 12, 8, 3], 17),
    (4, [4, 4, 4, 4], 0),
    (9, [12, 1], 2),
    (9, [1, 12], 2),
    (0, [3], 1),
    (0, [], 4),
    (3, [], 0),
    (1, [1, 2], 60),
]


def test_each_question_votes_by_its_own_frequencies() -> None:
    ns = np.array([40, 1, 9])
    found = frequencies_vote(counted(*POOLS), ns, "majority")
    for row, (right, wrong, nulls) in zip(found, POOLS, strict=True):
        shares = np.array([[right, *wrong]]) / (right + sum(wrong) + nulls)
        assert row == pytest.approx(vote_accuracy(shares, np.array([0]), ns)[0], abs=1e-12)
    assert found[2] == pytest.approx(found[3], abs=1e-12)


def test_best_of_fresh_answers() -> None:
    found = frequencies_vote(counted((1, [3], 0), (0, [4], 0)), np.array([4]), "best_of_n")[:, 0]
    assert found == pytest.approx([1 - 0.75**4, 0.0])


def test_new_questions_are_questions_drawn_again() -> None:
    seen, _ = observed(drawn_pool(100, 8, np.random.default_rng(0)), 8)
    found = plug_in(seen, targets([4, 1]), Options(replicates=4000))
    each = frequencies_vote(seen.pools[0].answers.counts(), np.array([4, 1]), "majority")
    assert found.mean == pytest.approx(each.mean(axis=0))
    assert found.new.high - found.new.low == pytest.approx(2 * Z90 * each.std(axis=0) / 10, rel=0.06)
    assert plug_in(seen, targets([4], "other"), Options()).status.tolist() == ["not_identifiable"]


def test_of_these_questions_it_is_the_luck_of_the_answers_to_come() -> None:
    """A single answer from a pool of 40, 8 of them seen: the 32 others, binomial, are 32/40 of the mean."""
    seen, _ = observed(drawn_pool(100, 40, np.random.default_rng(0)), 8, "best_of_n")
    found = plug_in(seen, targets([1]), Options(replicates=4000))
    counts = seen.pools[0].answers.counts()
    p = counts.correct / counts.pools
    sd = np.sqrt((32 * p * (1 - p)).sum()) / 40 / 100
    assert found.these.high - found.these.low == pytest.approx([2 * Z90 * sd], rel=0.08)

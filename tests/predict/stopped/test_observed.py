"""predict.stopped.observed: what is visible up to a cap, and which answers the fit uses."""

import numpy as np
import pytest

from predict.stopped.observed import BINS, seen_at, stopped, thinned
from results.votes.exact import AnswerPools
from tests.predict.stopped.simulated import answers, questions


def pools(*of_questions: list[tuple[int, float]]) -> AnswerPools:
    """Each question's answers as (vote, tokens)."""
    sizes = [len(one) for one in of_questions]
    votes, tokens = zip(*(answer for one in of_questions for answer in one), strict=True)
    names = [f"q{q}" for q in range(len(sizes))]
    return AnswerPools(names, np.cumsum([0, *sizes]), np.array(votes), np.array(tokens, dtype=float))


TWO = pools([(2, 50), (0, 10), (1, 90), (-1, 20)], [(-1, 60), (0, 60), (1, 61)])


def test_a_longer_answer_is_unfinished_and_one_of_exactly_the_cap_has_ended_if_it_can_be_read() -> None:
    cut = stopped(TWO, 60)

    assert cut.votes.tolist() == [1, 0, -1, -1, -1, 0, -1]  # the first wrong answer's number is reused
    assert cut.tokens.tolist() == [50, 10, 61, 20, 61, 60, 61]


def test_what_is_seen_of_each_question() -> None:
    """The pools are of different sizes."""
    seen = seen_at(TWO, 60)

    assert seen.questions == 2
    assert seen.unfinished.tolist() == [1, 2]
    assert seen.ended_counts.sum(axis=1).tolist() == [3, 1]
    assert seen.right.sum(axis=1).tolist() == [1, 1]
    assert seen.other.sum(axis=1).tolist() == [2, 0]
    assert seen.ended_share == pytest.approx(4 / 7)
    votes = seen.votes  # those of the ended answers
    assert votes.correct.tolist() == [1, 1]
    assert votes.wrong.tolist() == [1]
    assert votes.starts.tolist() == [0, 1, 1]
    assert votes.nulls.tolist() == [1, 0]
    assert votes.pools.tolist() == [3, 1]


def test_each_length_is_a_bin_where_there_are_few_and_the_last_ends_at_the_cap() -> None:
    """A bin includes its upper edge, and its middle is the mean log length of its answers."""
    seen = seen_at(TWO, 70)

    assert seen.edges[0] == -np.inf
    assert np.exp(seen.edges[1:]) == pytest.approx([10, 20, 50, 60, 70])
    assert np.exp(seen.middles) == pytest.approx([10, 20, 50, 60, 61])
    assert seen.right.tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 1, 0]]
    assert seen.other.tolist() == [[0, 1, 1, 0, 0], [0, 0, 0, 1, 1]]


def test_a_last_bin_without_answers_has_the_cap_for_its_middle_and_no_tokens_count_as_one() -> None:
    seen = seen_at(pools([(0, 0), (0, 20), (0, 20), (0, 90)]), 60)

    assert np.exp(seen.edges[1:]) == pytest.approx([1, 20, 60])
    assert np.exp(seen.middles) == pytest.approx([1, 20, 60])


def test_bins_hold_equally_many_answers_and_their_middles_are_means_of_logs() -> None:
    tokens = np.arange(1, 10 * BINS + 1)
    shuffled = np.random.default_rng(0).permutation(tokens)

    seen = seen_at(pools([(0, one) for one in shuffled]), tokens[-1])

    # the quantile at i/32 of 1 … 320 lies at place 319·i/32, counted from 0
    limits = [1 + (319 * i) // BINS for i in range(1, BINS)] + [320]
    assert np.exp(seen.edges[1:]) == pytest.approx(limits)
    for k, (low, high) in enumerate(zip([0, *limits[:-1]], limits, strict=True)):
        inside = tokens[(tokens > low) & (tokens <= high)]
        assert seen.right[0, k] == len(inside)
        assert seen.middles[k] == pytest.approx(np.log(inside).mean())


def test_a_cap_below_every_answer_shows_nothing() -> None:
    with pytest.raises(ValueError, match="9 tokens"):
        seen_at(TWO, 9)


def test_fewer_questions_keep_their_first_answers_and_what_is_less_is_kept_whole() -> None:
    rng = np.random.default_rng(0)
    even = answers(questions(20, rng), 6, rng)
    uneven = even.kept(np.arange(len(even.votes)) % 7 > 0)
    assert len(set(uneven.sizes.tolist())) > 1

    few, whole, cut = (thinned(uneven, *limits) for limits in ((5, 4), (99, 99), (99, 5)))

    assert few.sizes.tolist() == [4] * 5
    for name, start in zip(few.question_ids, few.starts[:-1], strict=True):
        first = uneven.starts[uneven.question_ids.index(name)]
        assert few.tokens[start : start + 4].tolist() == uneven.tokens[first : first + 4].tolist()
    assert whole.tokens.tolist() == uneven.tokens.tolist()
    assert whole.votes.tolist() == uneven.votes.tolist()
    assert cut.sizes.tolist() == np.minimum(uneven.sizes, 5).tolist()

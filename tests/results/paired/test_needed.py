"""results.paired.needed: the named numbers of questions and answers decide as often as they say."""

import numpy as np
import pytest

from results.normal import Interval
from results.paired.differences import Differences, fewest_questions, mean_differences
from results.paired.needed import answer_variance, more_answers_needed, questions_needed
from results.votes.exact import AnswerPools, accuracy_by_question
from tests.results.paired.made import pools, varied_laws


def known(questions: int, mean: float | list[float], stderr: float, row_level: float = 0.95) -> Differences:
    """A measured difference and its standard error."""
    mean = np.atleast_1d(np.array(mean))
    unknown = np.full(mean.shape, np.nan)
    every = np.full(mean.shape, stderr)
    ends = Interval(unknown, unknown, 0.95)
    return Differences(questions, questions, 1, mean, every, ends, row_level, unknown)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_part_of_the_answers_is_the_variance_between_repeated_runs(n):
    rng = np.random.default_rng(2)
    laws = varied_laws(40, rng)
    runs = [pools(laws, 24, rng) for _ in range(150)]
    measured = np.mean([answer_variance(run, "majority", np.array([n]))[0] for run in runs[:25]])
    accuracy = np.array([accuracy_by_question(run.counts(), "majority", [n])[:, 0] for run in runs])
    assert measured / accuracy.var(axis=0, ddof=1).mean() == pytest.approx(1.0, abs=0.06 if n == 1 else 0.15)


def test_halves_too_small_for_a_vote_are_no_halves():
    run = pools(np.full((3, 2), 0.5), 9, np.random.default_rng(0))
    told = np.isfinite(answer_variance(run, "majority", np.array([1, 4, 5, 9])))
    assert told.tolist() == [True, True, False, False]
    starts, votes = np.cumsum([0] + [4, 2] * 200), np.array([0, 1, 0, 1, 0, 1] * 200)
    uneven = AnswerPools([str(q) for q in range(400)], starts, votes, np.full(1200, np.nan))
    expected = (0.25 / 3 + 0.25 / 1) / 2  # p (1 − p) / (n − 1) of pools of 4 and of 2
    assert answer_variance(uneven, "majority", np.array([1])) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("row_level", [0.95, 0.99])
@pytest.mark.parametrize("gain", [0.05, 0.3])
def test_as_many_questions_as_are_named_give_the_verdict_in_80_of_100_runs(row_level, gain):
    """By the interval of the verdict, at the level of one of several rows; few questions, too."""
    rng = np.random.default_rng(3)
    spread, questions = 0.3, 150
    (needed,) = questions_needed(known(questions, gain, spread / np.sqrt(questions), row_level)).astype(int)
    runs = rng.normal(gain, spread, (needed, 4000))
    found = np.mean(mean_differences(runs, row_level=row_level).interval.low > 0)
    assert 0.78 <= found <= (0.84 if gain < 0.1 else 0.92)  # a whole number of questions, at least so many


def test_as_many_answers_as_are_named_give_the_verdict_in_80_of_100_runs():
    rng = np.random.default_rng(3)
    gain, between, within, questions = 0.05, 0.2, 0.4, 150
    before = known(questions, gain, np.hypot(between, within) / np.sqrt(questions))
    (times,) = more_answers_needed(before, np.array([within**2]))
    runs = rng.normal(gain, np.hypot(between, within / np.sqrt(times)), (questions, 4000))
    assert np.mean(mean_differences(runs).interval.low > 0) == pytest.approx(0.80, abs=0.02)


def test_what_no_number_of_answers_can_show():
    differences = known(50, [0.0, 0.01, 0.2], 0.05)
    assert questions_needed(differences)[0] == np.inf
    times = more_answers_needed(differences, np.array([0.1, 0.1, np.nan]))
    assert times.tolist()[:2] == [np.inf, np.inf]
    assert np.isnan(times[2])
    few = known(fewest_questions(0.95) - 1, 0.9, 0.05)
    assert more_answers_needed(few, np.array([0.1])) == np.inf
    one = known(1, 0.9, np.nan)
    assert np.isnan(questions_needed(one)).all()


def test_never_fewer_questions_than_can_decide():
    alike = known(20, 1.0, 0.0)
    assert questions_needed(alike) == fewest_questions(0.95)


def test_six_passages_are_the_fewest_whatever_their_questions_and_answers():
    """Of two questions each. Ten questions of five are too few with any answers; ten alone are enough."""
    differences = np.array([1.0, 0.8, 0.9, 1.0, 0.7, 0.9, 1.0, 0.8, 0.9, 1.0])[:, None]
    from_answers = np.array([0.001])
    passages = mean_differences(differences, clusters=list("aabbccddee"))
    assert np.isinf(more_answers_needed(passages, from_answers)).all()
    assert np.isfinite(more_answers_needed(mean_differences(differences), from_answers)).all()
    assert questions_needed(passages).tolist() == [12]  # of six passages
    assert questions_needed(mean_differences(differences)).tolist() == [6]

"""results.paired.differences against scipy, and against simulated runs whose truth is known."""

import numpy as np
import pytest
from scipy import stats

from results.paired.differences import (
    Differences,
    answer_variance,
    mean_differences,
    more_answers_needed,
    questions_needed,
)
from results.votes.exact import AnswerPools, Floats, accuracy_by_question

QUESTIONS = 120

TRUE_GAIN = (0.4 - 0.2) * (0.3 - 0.3**2 / 2)


def pools(laws: Floats, answers: int, rng: np.random.Generator) -> AnswerPools:
    """Fresh answers to questions of the given laws (Q, answers), the right one in column 0."""
    votes = [rng.choice(len(law), answers, p=law) for law in laws]
    starts = np.arange(len(laws) + 1) * answers
    names = [f"q{i}" for i in range(len(laws))]
    return AnswerPools(names, starts, np.concatenate(votes), np.full(starts[-1], np.nan))


def varied_laws(questions: int, rng: np.random.Generator) -> Floats:
    """Questions of all kinds: easy, hard, and with a wrong answer that leads."""
    right = rng.beta(0.8, 0.6, questions)
    return np.column_stack([right, (1 - right)[:, None] * rng.dirichlet([1.0, 0.5, 0.2], questions)])


def test_mean_interval_and_p_value_are_those_of_a_paired_t_test():
    by_question = np.random.default_rng(0).normal(0.05, 0.3, (40, 3))
    found = mean_differences(by_question)
    expected = stats.ttest_1samp(by_question, 0.0)
    np.testing.assert_allclose(found.p_value, expected.pvalue)
    low, high = expected.confidence_interval(0.90)
    np.testing.assert_allclose([found.low, found.high], [low, high])


def test_no_difference_in_any_question_and_a_single_question():
    nothing = mean_differences(np.zeros((5, 1)))
    assert (nothing.low[0], nothing.high[0], nothing.p_value[0]) == (0, 0, 1)
    one = mean_differences(np.array([[0.5]]))
    assert one.mean[0] == 0.5
    assert np.isnan([one.stderr[0], one.low[0], one.high[0], one.p_value[0]]).all()
    wide = mean_differences(np.array([[1.0, -1.0], [0.5, -0.5]]))  # no difference is beyond 1
    assert (wide.high[0], wide.low[1]) == (1, -1)


@pytest.mark.parametrize(
    ("method", "n"), [("majority", 1), ("majority", 3), ("majority", 8), ("best_of_n", 4)]
)
def test_a_run_against_itself_is_a_false_alarm_in_one_of_twenty(method, n):
    """3,000 pairs of runs of one model: the share has a standard error of 0.4 %."""
    rng = np.random.default_rng(11)
    runs, answers = 3000, 8
    laws = varied_laws(QUESTIONS, rng)
    counts = np.array([rng.multinomial(answers, law, size=(2, runs)) for law in laws])
    digits = (answers + 1) ** np.arange(4)  # each kind of pool is worked out once
    kinds, where = np.unique(counts @ digits, return_inverse=True)
    votes = np.concatenate([np.repeat(np.arange(4), kind // digits % (answers + 1)) for kind in kinds])
    starts = np.arange(len(kinds) + 1) * answers
    every = AnswerPools([""] * len(kinds), starts, votes, np.zeros(votes.size))
    accuracy = accuracy_by_question(every.counts(), method, [n])[where.reshape(QUESTIONS, 2, runs), 0]
    found = mean_differences(accuracy[:, 1] - accuracy[:, 0])
    assert 0.04 <= np.mean(found.p_value < 0.05) <= 0.06
    assert 0.04 <= np.mean(found.low > 0) <= 0.06
    assert 0.04 <= np.mean(found.high < 0) <= 0.06


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
    known = np.isfinite(answer_variance(run, "majority", np.array([1, 4, 5, 9])))
    assert known.tolist() == [True, True, False, False]
    starts, votes = np.cumsum([0] + [4, 2] * 200), np.array([0, 1, 0, 1, 0, 1] * 200)
    uneven = AnswerPools([str(q) for q in range(400)], starts, votes, np.full(1200, np.nan))
    expected = (0.25 / 3 + 0.25 / 1) / 2  # p (1 − p) / (n − 1) of pools of 4 and of 2
    assert answer_variance(uneven, "majority", np.array([1])) == pytest.approx(expected, abs=0.01)


def test_as_many_questions_or_answers_as_are_named_find_the_difference_in_80_of_100_runs():
    rng = np.random.default_rng(3)
    gain, between, within, questions = 0.05, 0.2, 0.4, 150
    stderr = np.sqrt((between**2 + within**2) / questions)
    known = Differences(questions, *(np.array([part]) for part in (gain, stderr, np.nan, np.nan, np.nan)))
    for needed, noise in (
        (int(questions_needed(known)[0]), within),
        (questions, within / np.sqrt(more_answers_needed(known, np.array([within**2]))[0])),
    ):
        runs = gain + rng.normal(0, np.hypot(between, noise), (needed, 4000))
        assert np.mean(mean_differences(runs).p_value < 0.05) == pytest.approx(0.80, abs=0.02)


def test_what_no_number_of_answers_can_show():
    known = Differences(50, *(np.array([0.0, 0.01, 0.2]), np.full(3, 0.05)), *([np.full(3, np.nan)] * 3))
    assert questions_needed(known)[0] == np.inf
    assert more_answers_needed(known, np.array([0.1, 0.1, np.nan])).tolist()[:2] == [np.inf, np.inf]
    assert np.isnan(more_answers_needed(known, np.array([0.1, 0.1, np.nan]))[2])


def test_nine_of_ten_intervals_hold_the_difference_of_the_population():
    """New questions every time, with differences of their own: the interval is about the kind of question."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(2000):
        right = rng.beta(1, 1, 60)
        better = np.clip(right + rng.choice([-0.3, 0.0, 0.3], 60, p=[0.2, 0.4, 0.4]), 0, 1)
        d = rng.binomial(4, better) / 4 - rng.binomial(4, right) / 4
        found = mean_differences(d[:, None])
        held.append(found.low[0] <= TRUE_GAIN <= found.high[0])
    assert 0.88 <= np.mean(held) <= 0.92

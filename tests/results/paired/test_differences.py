"""results.paired.differences against scipy, and against simulated runs with a known truth."""

import numpy as np
import pytest
from scipy import stats

from results.paired.differences import fewest_questions, least_stderr, mean_differences
from tests.results.paired.made import accuracies, varied_laws

QUESTIONS = 120

TRUE_GAIN = (0.4 - 0.2) * (0.3 - 0.3**2 / 2)


@pytest.mark.parametrize(("level", "row_level"), [(0.90, None), (0.95, None), (0.99, None), (0.95, 0.99)])
def test_one_row_is_a_paired_t_test_at_its_level(level, row_level):
    """The interval is labelled with the level of all rows together."""
    by_question = np.random.default_rng(0).normal(0.05, 0.3, (40, 3))
    found = mean_differences(by_question, level, row_level)
    expected = stats.ttest_1samp(by_question, 0.0)
    np.testing.assert_allclose(found.p_value, expected.pvalue)
    ends = expected.confidence_interval(row_level or level)
    np.testing.assert_allclose([found.interval.low, found.interval.high], ends)
    assert found.interval.level == level


def test_questions_that_differ_alike_still_have_an_interval():
    """It is as wide as if one of the Q questions differed by 1 more: a standard error of 1 / Q."""
    for value in (0.0, 0.2):
        one_off = np.full((10, 1), value)
        alike = mean_differences(one_off).interval
        one_off[0] += 1.0
        stderr = one_off.std(ddof=1) / np.sqrt(10)
        assert least_stderr(10) == pytest.approx(stderr)
        assert alike.high[0] - value == pytest.approx(stats.t(9).ppf(0.975) * stderr)
        assert alike.low[0] + alike.high[0] == pytest.approx(2 * value)


def test_few_questions_decide_nothing_however_alike_they_differ():
    """Sign test: by chance all Q questions differ the same way in 2 of 2^Q cases, 6 % for 5 and 3 % for 6."""
    assert [fewest_questions(level) for level in (0.5, 0.90, 0.95, 0.99)] == [2, 5, 6, 8]
    for level in (0.90, 0.95, 0.99):
        fewest = fewest_questions(level)
        assert stats.binomtest(fewest, fewest).pvalue <= 1 - level
        assert stats.binomtest(fewest - 1, fewest - 1).pvalue > 1 - level
    for questions in (2, 5):
        found = mean_differences(np.full((questions, 1), 0.5)).interval
        assert (found.low[0], found.high[0]) == (-1, 1)
    assert mean_differences(np.ones((6, 1))).interval.low[0] > 0
    for draws in (2, 3, 6, 12):  # questions, or clusters of two
        chance = pytest.approx(stats.binomtest(draws, draws).pvalue)
        pairs = [f"c{question // 2}" for question in range(2 * draws)]
        assert mean_differences(np.ones((draws, 1))).p_value[0] == chance
        assert mean_differences(np.ones((2 * draws, 1)), clusters=pairs).p_value[0] == chance


def test_no_difference_in_any_question_and_a_single_question():
    nothing = mean_differences(np.zeros((12, 1)))
    assert nothing.p_value[0] == 1
    assert nothing.interval.low[0] < 0 < nothing.interval.high[0]
    one = mean_differences(np.array([[0.5]]))
    assert one.mean[0] == 0.5
    assert np.isnan([one.stderr[0], one.interval.low[0], one.interval.high[0], one.p_value[0]]).all()
    wide = mean_differences(np.array([[1.0, -1.0]] * 3 + [[0.5, -0.5]] * 3))  # no difference can exceed 1
    assert (wide.interval.high[0], wide.interval.low[1]) == (1, -1)


@pytest.mark.parametrize("questions", [2, 3, 5, 8, 10, 20, 40, 100])
@pytest.mark.parametrize("share", [0.05, 0.10])
def test_intervals_hold_a_gain_on_few_of_the_questions(questions, share):
    """A gain of 1 on a few questions: the interval of ten equal differences used to be [0, 0], covering 40 %.

    The lowest coverage, 86 %, is where at most two or three differences were seen; 4,000 runs each.
    """
    rng = np.random.default_rng([questions, int(100 * share)])
    gained = (rng.random((questions, 4000)) < share).astype(np.float64)
    interval = mean_differences(gained).interval
    assert np.mean((interval.low <= share) & (share <= interval.high)) >= 0.86


@pytest.mark.parametrize(("questions", "lost"), [(20, 0.05), (60, 0.02)])
def test_a_model_that_gains_a_little_and_loses_some_questions_outright_is_not_better(questions, lost):
    """The models are equal on average; 36 and 30 of 100 question sets contain none of the lost questions."""
    rng = np.random.default_rng(2)
    missed = rng.random((questions, 4000)) < lost
    small = lost / (1 - lost) * rng.uniform(0.5, 1.5, missed.shape)
    interval = mean_differences(np.where(missed, -1.0, small)).interval
    assert np.mean(missed.sum(axis=0) == 0) > 0.25
    assert np.mean(interval.low > 0) <= 0.025


@pytest.mark.parametrize(
    ("method", "n"), [("majority", 1), ("majority", 3), ("majority", 8), ("best_of_n", 4)]
)
def test_a_run_against_itself_is_a_false_alarm_in_one_of_twenty(method, n):
    """3,000 pairs of runs of one model, compared at one N: the share has a standard error of 0.4 %."""
    rng = np.random.default_rng(11)
    runs, answers = 3000, 8
    laws = varied_laws(QUESTIONS, rng)
    column = 0 if method == "majority" else 1
    accuracy = accuracies(laws, answers, np.array([n]), 2 * runs, rng)[:, :, column]
    found = mean_differences((accuracy[:runs] - accuracy[runs:]).T)
    assert 0.04 <= np.mean(found.p_value < 0.05) <= 0.06
    assert 0.02 <= np.mean(found.interval.low > 0) <= 0.035
    assert 0.02 <= np.mean(found.interval.high < 0) <= 0.035


def test_as_many_intervals_as_their_level_says_hold_the_difference_of_the_population():
    """New questions with new differences each time: the interval is for the population of questions."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(2000):
        right = rng.beta(1, 1, 60)
        better = np.clip(right + rng.choice([-0.3, 0.0, 0.3], 60, p=[0.2, 0.4, 0.4]), 0, 1)
        d = rng.binomial(4, better) / 4 - rng.binomial(4, right) / 4
        interval = mean_differences(d[:, None], 0.90).interval
        held.append(interval.low[0] <= TRUE_GAIN <= interval.high[0])
    assert 0.88 <= np.mean(held) <= 0.92

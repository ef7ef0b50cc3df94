"""results.paired.needed: the advised numbers of questions and answers have the promised power."""

import numpy as np
import pytest
from scipy import integrate, stats

from results.normal import Interval
from results.paired.differences import Differences, fewest_questions, mean_differences
from results.paired.needed import (
    LEAST_SCALE,
    POWER,
    SCALE,
    Decision,
    answer_variance,
    given,
    more_answers_needed,
    questions_needed,
    truths,
)
from results.votes.exact import AnswerPools, accuracy_by_question
from tests.results.paired.made import pools, varied_laws


def measured(
    questions: int, mean: float | list[float], stderr: float, row_level: float = 0.95
) -> Differences:
    """Measured differences, all with one standard error."""
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
@pytest.mark.parametrize("scale", [0.03, 0.08])
def test_what_is_advised_after_an_undecided_comparison_decides_four_times_in_five(scale, row_level):
    """True differences are drawn and measured; after an undecided one, a fresh run has the advised size.

    The size planned for a difference as large as the one seen would decide in only 60 to 72 of 100 cases.
    """
    rng = np.random.default_rng(3)
    spread, questions = 0.3, 150
    test = Decision(row_level)
    decided, by_size = [], []
    for true in rng.normal(0, scale, 300):
        found = mean_differences(rng.normal(true, spread, (questions, 1)), row_level=row_level)
        if found.interval.low > 0 or found.interval.high < 0:
            continue
        plain = test.questions(questions * found.stderr[0] ** 2, given(found.mean[0], 0.0))
        for number, told in ((questions_needed(found)[0], decided), (plain, by_size)):
            told.append(test.decided(number, spread**2, given(true, 0.0)))
    assert 0.75 <= np.mean(decided) <= 0.92
    assert np.mean(by_size) < 0.75


@pytest.mark.parametrize("whole", [False, True])
def test_the_chance_is_that_of_simulated_comparisons(whole):
    """A true difference of 10 points; with `whole`, each question is gained, lost or unchanged."""
    rng = np.random.default_rng(5)
    shape = (80, 20_000)
    differences = (
        rng.choice([1.0, -1.0, 0.0], shape, p=[0.16, 0.06, 0.78]) if whole else rng.normal(0.1, 0.45, shape)
    )
    found = mean_differences(differences)
    share = np.mean((found.interval.low > 0) | (found.interval.high < 0))
    test = Decision(whole=whole)
    assert test.decided(80, differences.var(), given(0.1, 0.0)) == pytest.approx(share, abs=0.015)
    assert test.decided(
        80, differences.var(), given(test.detectable(80, differences.var()), 0.0)
    ) == pytest.approx(POWER, abs=1e-6)


@pytest.mark.parametrize("questions", [8, 30, 100, 1000])
def test_the_fewest_gained_that_decide_are_those_of_the_interval(questions):
    """For example, 4 of 100 gained and none lost exclude 0 from Student's interval; 3 do not."""
    count = np.arange(1, 9)
    differences = (np.arange(questions)[:, None] < count).astype(float)
    decides = mean_differences(differences).interval.low > 0
    assert Decision(whole=True).fewest_gained(questions) == count[decides][0]
    if questions > 8:  # in clusters of 4, Student's t has fewer degrees of freedom
        reach = stats.t.ppf(0.975, questions / 4 - 1) * np.sqrt(count * (questions - count) / (questions - 1))
        assert Decision(whole=True, size=4).fewest_gained(questions) == count[count > reach][0]


def test_what_a_measurement_leaves_open_is_bayes_rule_on_a_half_cauchy_law():
    """Integrated numerically over the scale, without its lowest hundredth, as in the prior."""
    difference, stderr = 0.05, 0.03

    def over_scales(value=np.ones_like):
        return integrate.quad(
            lambda tau: (
                value(tau**2 / (tau**2 + stderr**2))
                * stats.halfcauchy.pdf(tau, scale=SCALE)
                * stats.norm.pdf(difference, 0, np.hypot(tau, stderr))
            ),
            LEAST_SCALE,
            np.inf,
            limit=200,
        )[0]

    mean = over_scales(lambda kept: kept * difference) / over_scales()
    assert given(difference, stderr).expected == pytest.approx(mean, rel=0.02)
    assert given(0.5, 0.01).expected == pytest.approx(0.5, abs=0.002)  # a clear difference is not shrunk


def test_as_many_answers_as_are_named_have_that_chance():
    gain, between, within, questions = 0.08, 0.1, 0.4, 150
    before = measured(questions, gain, np.hypot(between, within) / np.sqrt(questions))
    (times,) = more_answers_needed(before, np.array([within**2]))
    variance = between**2 + within**2 / times
    (truth,) = truths(before)
    assert Decision().decided(questions, variance, truth) == pytest.approx(POWER, abs=1e-6)


def test_what_no_number_of_answers_can_show():
    differences = measured(50, [0.0, 0.01, 0.2], 0.05)
    assert questions_needed(differences)[0] == np.inf
    times = more_answers_needed(differences, np.array([0.1, 0.1, np.nan]))
    assert times.tolist()[:2] == [np.inf, np.inf]
    assert np.isnan(times[2])
    few = measured(fewest_questions(0.95) - 1, 0.9, 0.05)
    assert more_answers_needed(few, np.array([0.1])) == np.inf
    one = measured(1, 0.9, np.nan)
    assert np.isnan(questions_needed(one)).all()

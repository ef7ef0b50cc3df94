"""Which gains are clear: the interval excludes 0, and an unknown standard error is not 0."""

import numpy as np
import pandas as pd
import pytest

from results.paired.differences import mean_differences
from results.summary.gains import gain
from results.words.findings import gain_words


def row(value, stderr, paired=np.nan, questions=np.nan, clusters=np.nan):
    told = {"value": value, "stderr": stderr, "paired": paired, "questions": questions}
    return pd.Series(told | {"clusters": clusters})


def test_a_difference_is_clear_beyond_its_interval():
    """Standard errors of 0.03 and 0.04 give 0.05 for the difference: it is clear beyond 1.96 of these."""
    for change, expected in ((0.0979, "undecided"), (0.0981, "better"), (-0.0981, "worse")):
        assert gain(row(0.5, 0.03), row(0.5 + change, 0.04), "paired").verdict == expected
    before, after = row(0.5, 0.03), row(0.55, 0.04, paired=0.02)
    assert gain_words(gain(before, after, "paired")) == "+5.0 ± 3.9 points"
    # the row before has a paired error of its own, for another difference
    assert gain(row(0.5, 0.03, paired=0.01), after, "paired").verdict == "undecided"


def test_a_gain_is_judged_as_a_comparison_would():
    """A table's standard errors yield the interval that `compare` computes from the differences."""
    rng = np.random.default_rng(5)
    for questions in (2, 5, 6, 12, 300):
        differences = rng.normal(0.1, 0.2, (questions, 1)).clip(-1, 1) * rng.integers(0, 2, (questions, 1))
        paired = mean_differences(differences)
        before = row(0.4, 0.1, questions=questions)
        after = row(0.4 + paired.mean[0], 0.1, paired.stderr[0], questions)
        found = gain(before, after, "paired")
        ends = paired.mean[0] - found.margin, paired.mean[0] + found.margin
        np.testing.assert_allclose(np.clip(ends, -1, 1), [paired.interval.low[0], paired.interval.high[0]])


@pytest.mark.parametrize(("stderr", "questions"), [(np.nan, np.nan), (np.nan, 1), (0.0, 5)])
def test_nothing_pays_without_a_standard_error_or_with_few_questions(stderr, questions):
    found = gain(row(0.1, stderr, questions=questions), row(0.9, stderr, questions=questions), "paired")
    assert found.verdict == "undecided"
    assert gain_words(found) == "+80.0 points"
    assert found.known == (questions == 5)


def test_a_side_with_few_questions_decides_how_sure_a_difference_is():
    few, many = row(0.4, 0.01, questions=5), row(0.9, 0.01, questions=300)
    for before, after in ((few, many), (many, few)):
        assert gain(before, after, "paired").verdict == "undecided"
    assert gain(row(0.4, 0.01, questions=300), many, "paired").verdict == "better"
    in_clusters = row(0.4, 0.01, questions=300, clusters=5)  # no better than five questions
    for before, after in ((in_clusters, many), (many, in_clusters)):
        assert gain(before, after, "paired").margin == gain(few, many, "paired").margin


def test_differences_that_are_all_alike_may_still_be_noise():
    """Ten questions that all gain nothing, or one point: a standard error of 0 is not trusted."""
    alike = [gain(row(0.5, 0.1, questions=10), row(after, 0.1, 0.0, 10), "paired") for after in (0.5, 0.51)]
    assert [one.verdict for one in alike] == ["undecided"] * 2
    assert alike[0].margin > 0.1

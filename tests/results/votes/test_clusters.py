"""results.votes.clusters against sums over all pairs of questions, and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.paired.differences import mean_differences
from results.votes.clusters import equal_draws, look_clustered, redrawn, shared_variance, standard_error
from studies.promises.clusters import DESIGNS, equal_runs


def by_pairs(values, clusters):
    """The clustered standard error: products of errors over pairs in one cluster, times C / (C − 1)."""
    errors = values - values.mean()
    pairs = [
        errors[i] * errors[j]
        for i, one in enumerate(clusters)
        for j, other in enumerate(clusters)
        if one == other
    ]
    draws = len(set(clusters))
    return np.sqrt(draws / (draws - 1) * sum(pairs)) / len(values)


QUESTIONS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcdef")), min_size=2, max_size=20)


@given(QUESTIONS, st.randoms(use_true_random=False))
def test_the_error_is_that_of_all_pairs_in_any_order_and_by_any_names(questions, random):
    values, clusters = np.array([v for v, _ in questions]), [c for _, c in questions]
    found = standard_error(values[:, None], clusters)[0]
    if len(set(clusters)) < 2:
        assert np.isnan(found)
        return
    assert found == pytest.approx(by_pairs(values, clusters), abs=1e-10)
    order = random.sample(range(len(values)), len(values))
    renamed = [f"{ord(clusters[i])} again" for i in order]
    assert standard_error(values[order][:, None], renamed)[0] == pytest.approx(found, abs=1e-10)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_clusters_of_one_question_are_the_ordinary_formula(values):
    own, columns = [f"q{i}" for i in range(len(values))], np.array(values)[:, None]
    ordinary = np.std(values, ddof=1) / np.sqrt(len(values))
    assert standard_error(columns, own)[0] == pytest.approx(ordinary, abs=1e-11)
    assert shared_variance(columns, own)[0] == pytest.approx(0, abs=1e-9)
    plain, clustered = mean_differences(columns), mean_differences(columns, clusters=own)
    np.testing.assert_allclose(plain.interval.low, clustered.interval.low, atol=1e-9)
    assert (plain.draws, plain.largest) == (clustered.draws, clustered.largest)


@pytest.mark.parametrize("design", DESIGNS)
def test_equal_runs_are_called_different_in_at_most_six_of_a_hundred(design):
    """12,000 pairs of equal runs with differences of −1, 0 and 1: the standard error is 0.2 %."""
    d, clusters = equal_runs(design, 12_000, np.random.default_rng(1))
    found = mean_differences(d, clusters=clusters)
    assert 0.03 <= np.mean(found.p_value < 0.05) <= 0.06
    decided = (found.interval.low > 0) | (found.interval.high < 0)
    assert np.mean(decided) <= 0.06
    if design.startswith("12 clusters of 10"):
        assert np.mean(mean_differences(d).p_value < 0.05) > 0.2


def test_clusters_are_drawn_whole():
    clusters = [f"c{i // 5}" for i in range(20)]
    drawn = redrawn((50, 20), clusters, np.random.default_rng(0))
    for row in drawn:
        times = np.bincount(row, minlength=20).reshape(4, 5)
        assert (times == times[:, :1]).all()
        assert times.sum() == 20
    uneven = redrawn((50, 6), ["a", "a", "a", "a", "b", "c"], np.random.default_rng(0))
    assert set(uneven.ravel()) == set(range(6))


def test_names_that_begin_alike_are_told_of_where_they_are_right_together():
    rng = np.random.default_rng(5)
    names = [f"p{i // 10}-{i % 10}" for i in range(300)]
    together = np.repeat(rng.random(30), 10)
    assert look_clustered(names, together)
    assert look_clustered(names, rng.permutation(together)) is None
    assert look_clustered([f"gsm8k-{i:04d}" for i in range(300)], together) is None
    assert look_clustered([f"{i}" for i in range(300)], together) is None


@pytest.mark.parametrize("questions", [20, 21, 26, 60])
def test_twenty_draws_of_one_size_are_twenty_to_the_last_digit(questions: int) -> None:
    """A count above twenty by rounding would get no Student's interval."""
    assert equal_draws(np.full(20, questions / 20)) == 20

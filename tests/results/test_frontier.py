"""The Pareto frontier against a comparison of every pair of choices."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from results.frontier import pareto_frontier


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(-2, 6)), min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_it_is_what_no_cheaper_or_equally_dear_choice_equals(points: list[tuple[int, int]]) -> None:
    choices = pd.DataFrame(points, columns=["cost", "gain"], dtype=float)
    kept = pareto_frontier(choices, "gain")
    expected = {
        (cost, gain)
        for cost, gain in points
        if not any((c <= cost and g > gain) or (c < cost and g >= gain) for c, g in points)
    }
    assert list(map(tuple, kept.to_numpy())) == sorted(expected)


def test_choices_without_a_value_are_left_out() -> None:
    choices = pd.DataFrame({"cost": [1.0, 2.0, 3.0], "value": [0.5, np.nan, 0.6]})
    assert pareto_frontier(choices, "value")["cost"].tolist() == [1.0, 3.0]

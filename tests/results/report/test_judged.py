"""Judges side by side: the figure of a model that has curves by score."""

import pandas as pd

from results.figures.along_n import judged_figure
from results.summary.panels import make_panels
from results.words.names import METHOD_NAMES
from tests.results.made_tables import curves

SCORED = ("majority", "best_of_n", "best_by_score", "weighted_majority")


def table(methods):
    return pd.concat([curves(method=method) for method in methods], ignore_index=True)


def test_the_picture_has_a_line_for_each_way_at_the_dearest_setting():
    figure = judged_figure(make_panels(table(SCORED)))
    assert figure is not None
    rows = figure.layers[-1].data
    assert set(rows["way"]) == {METHOD_NAMES[method] for method in SCORED}
    assert set(rows["setting"]) == {"high"}
    assert sorted(set(rows["N"])) == [1, 16]

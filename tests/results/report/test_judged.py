"""Judges side by side: a figure if a model has curves by score, and none otherwise."""

import pandas as pd
import pytest

from results.figures.along_n import judged_figure
from results.report.selectors import curve_choices
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


@pytest.mark.parametrize("methods", [("majority", "best_of_n"), ("best_by_score",)])
def test_there_is_none_without_a_comparison(methods):
    assert judged_figure(make_panels(table(methods))) is None


@pytest.mark.parametrize("method", ["best_by_score", "weighted_majority"])
def test_the_report_says_what_choosing_by_score_adds(method):
    (choice,) = curve_choices(make_panels(table([method])))
    assert "4.0" in choice.figures[0][0]  # from 70 to 74 per cent


def test_panels_that_stand_together_have_the_same_axis_of_lengths():
    longer = curves(model="longer").assign(tokens_per_answer=lambda rows: 9 * rows["tokens_per_answer"])
    choices = curve_choices(make_panels(pd.concat([curves(), longer])), shared=True)
    one, other = (choice.figures[-1][1].spec["layer"][-1]["encoding"]["x"]["scale"] for choice in choices)
    assert one == other

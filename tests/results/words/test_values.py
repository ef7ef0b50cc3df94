"""The tables of values and fits."""

import pandas as pd
import pytest

from results.report.selectors import number_tables
from results.summary.panels import make_panels
from results.words.values import short_lines
from tests.results.made_tables import FIT, GAP, curves


def test_fits_are_told_with_what_speaks_against_them():
    ((name, (fits,)),) = number_tables([], pd.DataFrame([FIT, GAP])).items()
    assert name == "Fits: m on sums, majority vote"
    falls = "N, at setting 10|0.7|−0.2|0.1|0.447|0.0030|accuracy falls|the accuracy falls with N"
    assert fits.rows == [falls.split("|"), ["Δ², at N = 4", "0.9", "−0.2", "0.1", "–", "0.0030", "ok", ""]]


@pytest.mark.parametrize("whose", [["ma"], ["ma", "na"], ["ma", "mb", "nb"]])
def test_every_line_for_a_terminal_says_whose_it_is(whose):
    """By model alone, or by model and data set where a model has several."""
    tables = [curves(model=model, dataset=dataset) for model, dataset in whose]
    best = [table.assign(method="best_of_n") for table in tables]
    _, *lines = short_lines(make_panels(pd.concat([*tables, *best])))
    starts = [line.partition("0.0")[0].rpartition("  ")[0] for line in lines]
    assert len(set(starts)) == len(starts) == 4 * len(whose)

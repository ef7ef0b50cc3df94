"""The tables of values and fits."""

import pandas as pd

from results.report.selectors import number_tables
from tests.results.made_tables import FIT, GAP


def test_fits_are_told_with_what_speaks_against_them():
    ((name, (fits,)),) = number_tables([], pd.DataFrame([FIT, GAP])).items()
    assert name == "Fits: m on sums, majority vote"
    falls = "N, at setting 10|0.7|−0.2|0.1|0.447|0.0030|accuracy falls|the accuracy falls with N"
    assert fits.rows == [falls.split("|"), ["Δ², at N = 4", "0.9", "−0.2", "0.1", "–", "0.0030", "ok", ""]]

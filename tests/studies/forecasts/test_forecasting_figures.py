"""The figure of studies/forecasts/README.md: the numbers it is based on, and every row drawn."""

import pandas as pd
import pytest

from studies.forecasts.figures import errors_figure, relative_error


def test_errors_are_relative_to_the_best_simple_rival_of_their_set_and_all_drawn() -> None:
    table = pd.DataFrame(
        {
            "set": ["one", "one", "one", "two", "two"],
            "predictor": ["flat", "power-law", "mixture", "flat", "mixture"],
            "mean_error": [0.04, 0.02, 0.01, 0.03, 0.06],
        }
    )
    assert relative_error(table)["ratio"].tolist() == pytest.approx([2, 1, 0.5, 1, 2])
    assert sorted(map(len, errors_figure(table, "e", "E").file_spec()["datasets"].values()))[-1] == len(table)

"""The picture of studies/forecasts/README.md: the numbers it stands on, and every row drawn."""

import re

import pandas as pd
import pytest
import vl_convert

from results.figures.theme import Figure, combined_spec
from studies.forecasts.figures import errors_figure, relative_error


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "set": ["one", "one", "one", "two", "two"],
            "predictor": ["flat", "power-law", "mixture", "flat", "mixture"],
            "mean_error": [0.04, 0.02, 0.01, 0.03, 0.06],
        }
    )


def test_errors_are_relative_to_the_best_simple_rival_of_their_set(table: pd.DataFrame) -> None:
    assert relative_error(table)["ratio"].tolist() == pytest.approx([2, 1, 0.5, 1, 2])


def drawn(figure: Figure, mark: str) -> int:
    """How many marks of a kind the figure's SVG has."""
    svg = vl_convert.vegalite_to_svg(combined_spec([[figure]]))
    groups = re.findall(rf'<g class="mark-{mark} role-mark[^>]*>(.*?)</g>', svg, re.DOTALL)
    return sum(group.count("<path") for group in groups)


def test_every_error_is_a_mark(table: pd.DataFrame) -> None:
    assert drawn(errors_figure(table, "errors", "Errors"), "symbol") == len(table)

"""The sentence on a comparison quotes the table."""

import re

import numpy as np
import pandas as pd

from results.words.cells import cells_of
from results.words.compared import COLUMNS, both_ways, quoted, verdict
from tests.results.made_tables import DIFFERENCE


def test_every_difference_of_the_sentence_stands_in_a_row_that_it_quotes():
    """60 comparisons with clear and unclear rows, by two methods, with costs known for some rows."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        rows = pd.DataFrame([DIFFERENCE | {"N": n} for n in (1, 2, 4, 8)] * 2)
        rows["method"] = ["majority"] * 4 + ["best_of_n"] * 4
        for end in ("", "_at_cost"):
            middle, half = rng.uniform(-0.1, 0.1, 8).round(3), rng.uniform(0.02, 0.12, 8).round(3)
            own = {"difference": middle, "low": middle - half, "high": middle + half}
            rows = rows.assign(**{name + end: values for name, values in own.items()})
        rows.loc[rng.random(8) < 0.4, "difference_at_cost"] = None
        told = re.findall(r"(?:\(|… |by |is )[+−]?(\d+\.\d)", verdict(rows))
        cells = " ".join(" ".join(row) for row in cells_of(both_ways(rows.loc[quoted(rows)]), COLUMNS))
        assert len(told) >= 3 or "undecided" in verdict(rows)
        assert len(set(rows.loc[quoted(rows), "method"])) == 1 or "undecided" in verdict(rows)
        assert set(told) <= set(re.findall(r"\d+\.\d", cells))

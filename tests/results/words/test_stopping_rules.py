"""The report's part on stopping rules: a choice per setting, its figure, its table, and escaped names."""

import pandas as pd
import pytest

from results.report.selectors import stopping_choices
from results.stopping import RULES, arena
from results.tables.contract import as_samples, write_table
from tests.results.report.pages import page_of

MODEL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rows = [
        {
            "question_id": f"q{q}",
            "sample": i,
            "answer": str(i % (q + 1)),
            "gold": "0",
            "tokens": 5 + i,
            "setting": s,
        }
        for s in ("10", "20")
        for q in range(6)
        for i in range(10)
    ]
    rules = {RULES["lead"]: [2.0, 4.0], RULES["fixed"]: [3.0], RULES["asc-beta"]: [0.95]}
    return arena(as_samples(pd.DataFrame(rows).assign(model=MODEL)), rules, n_max=8, orders=4)


@pytest.mark.usefixtures("undrawn")
def test_the_page_shows_them_and_runs_no_name(table, tmp_path):
    write_table(table, tmp_path / "stop.csv", "stopping")
    page = page_of(tmp_path / "stop.csv")
    assert 'id="stopping"' in page
    assert MODEL not in page
    assert page.count('data-figure="stop-') == 2
    assert len({choice.name for choice in stopping_choices(table)}) == 2

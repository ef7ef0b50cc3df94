"""Pictures come out of curves tables, one a dataset, and hold the lines they should."""

import pandas as pd
import pytest

from results import BadInput
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.figures import MOST_LINES, figure, save_figures
from synthetic.panels.running import run_experiment


@pytest.fixture(scope="module")
def curves() -> pd.DataFrame:
    tables = [
        run_experiment(name, EXPERIMENTS[name], repeats=1, tasks=2).curves for name in ("fig2h", "fig2b")
    ]
    return pd.concat(tables, ignore_index=True)


def test_one_small_png_a_dataset(curves, tmp_path):
    written = save_figures(curves, tmp_path / "images")
    assert [path.name for path in written] == ["fig2h.png", "fig2b.png"]
    for path in written:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < 200_000


def test_accuracy_panels_have_a_row_for_each_line_and_few_curves(curves):
    chart = figure(curves[curves["dataset"] == "fig2h"]).to_dict()
    assert len(chart["vconcat"]) == 2
    for row in chart["vconcat"]:
        votes = chart["datasets"][row["hconcat"][0]["layer"][0]["data"]["name"]]
        assert len({point["t"] for point in votes}) <= MOST_LINES
        assert {point["how"] for point in votes} == {"majority vote", "best of N"}


def test_risk_panels_compare_settings_with_gradient_descent(curves):
    chart = figure(curves[curves["dataset"] == "fig2b"]).to_dict()
    (row,) = chart["vconcat"]
    names = [row["hconcat"][0]["layer"][i]["data"]["name"] for i in (0, 1)]
    ensemble, descent = (chart["datasets"][name] for name in names)
    assert {point["t"] for point in ensemble} == {950}
    assert {point["line"] for point in ensemble} == {point["line"] for point in descent}
    assert {point["how"] for point in descent} == {"gradient descent"}


def test_a_table_without_the_twin_is_refused(curves, tmp_path):
    with pytest.raises(BadInput, match="no synthetic rows"):
        save_figures(curves.assign(source="llm"), tmp_path)

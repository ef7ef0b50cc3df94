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


def drawn(panel):
    """The rows that a panel draws, of all its layers."""
    names = {layer["data"]["name"] for layer in panel["layer"]}
    return [row for name in names for row in panel["datasets"][name]]


def panels(curves, dataset):
    chart = figure(curves[curves["dataset"] == dataset]).to_dict()
    return [{**panel, "datasets": chart["datasets"]} for panel in chart["concat"]]


def test_one_small_png_a_dataset(curves, tmp_path):
    written = save_figures(curves, tmp_path / "images")
    assert [path.name for path in written] == ["fig2h.png", "fig2b.png"]
    for path in written:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < 200_000


def test_accuracy_panels_have_a_row_for_each_line_and_few_curves(curves):
    found = panels(curves, "fig2h")
    assert len(found) == 4
    for panel, axis in zip(found, "tNtN", strict=True):
        votes = [row for row in drawn(panel) if not row["baseline"]]
        assert len({row[axis] for row in votes}) <= MOST_LINES
        assert {row["how"] for row in votes} == {"majority vote", "best of N"}


def test_risk_panels_compare_settings_with_gradient_descent(curves):
    by_votes, _ = panels(curves, "fig2b")
    rows = drawn(by_votes)
    assert "t = 950" in by_votes["title"]["text"]
    assert {row["line"] for row in rows if row["baseline"]} == {row["line"] for row in rows}
    assert {row["how"] for row in rows if row["baseline"]} == {"gradient descent"}
    assert all(row["low"] < row["risk"] < row["high"] for row in rows)


def test_figures_of_the_paper_are_drawn_where_all_their_panels_are_there(curves, tmp_path):
    panel = curves[curves["dataset"] == "fig2b"]
    binary = curves[curves["dataset"] == "fig2h"]
    both = [panel.assign(dataset="fig1-continuous"), binary.assign(dataset="fig1-binary")]
    written = save_figures(pd.concat(both), tmp_path)
    assert [path.name for path in written][2:] == ["figure1.png", "figure1.svg", "figure1.pdf"]
    assert (tmp_path / "figure1.pdf").read_bytes().startswith(b"%PDF")


def test_a_table_without_the_twin_is_refused(curves, tmp_path):
    with pytest.raises(BadInput, match="no synthetic rows"):
        save_figures(curves.assign(source="llm"), tmp_path)

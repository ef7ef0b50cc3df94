"""Pictures come out of curves tables, one a dataset, and hold the lines they should."""

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from results import BadInput, write_curves
from synthetic.cli import cli
from synthetic.panels import figures
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.figures import save_figures
from synthetic.panels.running import run_experiment


@pytest.fixture(scope="module")
def curves() -> pd.DataFrame:
    tables = [run_experiment(name, EXPERIMENTS[name], repeats=1, tasks=2)[0] for name in ("fig2h", "fig2b")]
    return pd.concat(tables, ignore_index=True)


def test_one_small_svg_a_dataset(curves, tmp_path):
    tables = [str(tmp_path / f"{name}.csv") for name in ("fig2h", "fig2b")]
    for table, name in zip(tables, ("fig2h", "fig2b"), strict=True):
        write_curves(curves[curves["dataset"] == name], Path(table))
    result = CliRunner().invoke(cli, ["figures", *tables, "--out", str(tmp_path / "images")])
    assert result.exit_code == 0, result.output
    for name in ("fig2h", "fig2b"):
        path = tmp_path / "images" / f"{name}.svg"
        assert path.read_bytes().startswith(b"<svg")
        assert path.stat().st_size < 200_000


def test_permutations_and_other_sources_are_not_drawn(curves, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(figures, "make_panels", lambda rows: drawn.append(rows) or [])
    others = [curves.assign(permutation="0"), curves.assign(source="llm")]
    assert figures.save_figures(pd.concat([*others, curves]), tmp_path) == []
    pd.testing.assert_frame_equal(drawn[0], curves)


def test_figures_of_the_paper_are_drawn_where_all_their_panels_are_there(curves, tmp_path, monkeypatch):
    laid_out = []
    combined = figures.combined_spec
    monkeypatch.setattr(figures, "combined_spec", lambda rows: laid_out.append(rows) or combined(rows))
    panel = curves[curves["dataset"] == "fig2b"]
    binary = curves[curves["dataset"] == "fig2h"]
    both = [panel.assign(dataset="fig1-continuous"), binary.assign(dataset="fig1-binary")]
    written = save_figures(pd.concat(both), tmp_path)
    assert [path.name for path in written][2:] == ["figure1.png", "figure1.svg", "figure1.pdf"]
    assert [len(row) for row in laid_out[-1]] == [2, 2, 2]
    assert (tmp_path / "figure1.pdf").read_bytes().startswith(b"%PDF")


def test_a_table_without_the_twin_is_refused(curves, tmp_path):
    with pytest.raises(BadInput, match="no synthetic rows"):
        save_figures(curves.assign(source="llm"), tmp_path)

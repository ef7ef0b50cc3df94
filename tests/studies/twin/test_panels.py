"""Figures are made from curves tables, one per dataset, with the right lines."""

import pandas as pd
import pytest
from click.testing import CliRunner

from results import BadInput, write_curves
from studies.twin import panels as figures
from studies.twin.panels import save_figures
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.running import run_experiment


@pytest.fixture(scope="module")
def curves() -> pd.DataFrame:
    tables = [run_experiment(name, EXPERIMENTS[name], repeats=1, tasks=2)[0] for name in ("fig2h", "fig2b")]
    return pd.concat(tables, ignore_index=True)


def test_one_small_svg_a_dataset(curves, tmp_path):
    """None of the paper's figures is drawn, as panels are missing."""
    tables, images = [tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "images"
    for table, name in zip(tables, ("fig2h", "fig2b"), strict=True):
        write_curves(curves[curves["dataset"] == name], table)
    result = CliRunner().invoke(figures.main, [*map(str, tables), "--out", str(images)])
    assert result.exit_code == 0, result.output
    assert {path.name for path in images.iterdir()} == {"fig2h.svg", "fig2b.svg"}
    for path in images.iterdir():
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
    monkeypatch.setattr(figures, "combined_spec", lambda rows: laid_out.append(rows))
    monkeypatch.setattr(figures, "rendered", lambda *_: {".png": b"png", ".svg": b"svg"})
    risks, votes = (curves[curves["dataset"] == name] for name in ("fig2b", "fig2h"))
    names = ["fig1-continuous", "fig1-binary", *(f"fig2{panel}" for panel in "abcdefgh")]
    copies = [(votes if name[-1] in "yefgh" else risks).assign(dataset=name) for name in names]
    written = save_figures(pd.concat(copies), tmp_path)
    whole = ["figure1.png", "figure1.svg", "figure2.png", "figure2.svg"]
    assert [path.name for path in written] == [*(f"{name}.svg" for name in names), *whole]
    assert (tmp_path / "figure2.png").read_bytes() == b"png"
    # two lines of votes have a pair of pictures each; Figure 2 has one picture per panel and line
    assert [[len(row) for row in rows] for rows in laid_out[-2:]] == [[2, 2, 2], [3, 3, 3, 3]]


def test_a_table_without_the_twin_is_refused(curves, tmp_path):
    with pytest.raises(BadInput, match="no synthetic rows"):
        save_figures(curves.assign(source="llm"), tmp_path)

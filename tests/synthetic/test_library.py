"""synthetic.library: the same curves as from the command. Its documented lines: tests/docs/test_pages.py."""

from pathlib import Path
from typing import Any

import pandas as pd
from click.testing import CliRunner

from results import read_curves
from synthetic import run_panel
from synthetic.cli import cli
from synthetic.panels.experiments import EXPERIMENTS


def test_curves_are_those_of_the_command(tmp_path: Path) -> None:
    options = ["--tasks", "2", "--repeats", "2", "--seed", "5", "--set", "d=3", "--out", str(tmp_path)]
    result = CliRunner().invoke(cli, ["run", "fig2g", *options])
    assert "too few positive entries" in result.output
    expected = read_curves(tmp_path / "fig2g.csv")
    found = run_panel("fig2g", d=3, tasks=2, repeats=2, seed=5)
    pd.testing.assert_frame_equal(found[list(expected)], expected, check_dtype=False, rtol=1e-9)


def test_an_experiment_of_ones_own_is_solved_as_a_panel_is() -> None:
    given: dict[str, Any] = {"solver": "monte-carlo", "tasks": 3, "repeats": 1, "paths": 4}
    panel, mine = (run_panel(one, **given) for one in ("fig2g", EXPERIMENTS["fig2g"]))
    assert (panel["N"].max(), panel["questions"].max()) == (4, 3)
    exact = panel["permutation"] == "exact"
    pd.testing.assert_frame_equal(mine.assign(dataset="fig2g")[exact], panel[exact])

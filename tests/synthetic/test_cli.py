"""The commands as a user runs them: valid tables, clear refusals, and nothing half-written."""

import importlib
import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click import UsageError
from click.testing import CliRunner

from results import BadInput, build_curves, read_curves, read_samples
from synthetic import run_panel
from synthetic.cli import cli
from synthetic.panels.experiments import EXPERIMENTS


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=False)


@pytest.mark.parametrize("solver", ["exact", "monte-carlo"])
def test_run_writes_a_curves_table_with_every_method(tmp_path, solver):
    small = ["--repeats", 2, "--tasks", 2, "--seed", 3, "--steps", "1,16,50", "--out", tmp_path]
    paths = [] if solver == "exact" else ["--paths", 4]
    result = run("run", "fig1-binary", "--solver", solver, *small, *paths)
    assert result.exception is None, result.exception
    curves = read_curves(tmp_path / "fig1-binary.csv")
    assert f"fig1-binary: {len(curves)} rows of 4 tasks, {solver}, " in result.output
    assert set(curves["source"]) == {"synthetic"}
    assert set(curves["method"]) == {"majority", "best_of_n", "greedy"}
    assert (curves["questions"] == 4).all()
    assert (curves["T"] == curves["setting"].astype(float)).all()
    single = curves[(curves["N"] == 1) & (curves["permutation"] == "exact")]
    single = single.pivot_table(index="setting", columns="method", values="accuracy")
    np.testing.assert_allclose(single["majority"], single["best_of_n"], atol=1e-9)
    drawn = tmp_path / "fig1-binary.samples.parquet"
    assert drawn.exists() == (solver != "exact")
    if drawn.exists():
        again = build_curves(read_samples(drawn), ns=[1, 2, 4], permutations=10, seed=3)
        columns = ["model", "method", "setting", "N", "permutation", "accuracy", "T"]
        pd.testing.assert_frame_equal(again[columns], curves[columns], check_dtype=False, rtol=1e-9)


def test_curves_of_the_library_are_those_of_the_command(tmp_path):
    options = ["--tasks", 2, "--repeats", 2, "--seed", 5, "--set", "d=3", "--set", "sigma_eps=0"]
    with pytest.warns(UserWarning, match="too few positive entries"):
        found = run_panel("fig2g", d=3, sigma_eps=0, tasks=2, repeats=2, seed=5)
    assert "too few positive entries" in run("run", "fig2g", *options, "--out", tmp_path).output
    expected = read_curves(tmp_path / "fig2g.csv")
    pd.testing.assert_frame_equal(found[list(expected)], expected, check_dtype=False, rtol=1e-9)


def test_an_experiment_of_ones_own_is_solved_as_a_panel_is():
    given = {"solver": "monte-carlo", "tasks": 3, "repeats": 1, "paths": 4}
    panel, mine = (run_panel(one, **given) for one in ("fig2g", EXPERIMENTS["fig2g"]))
    assert (panel["N"].max(), panel["questions"].max()) == (4, 3)
    exact = panel["permutation"] == "exact"
    pd.testing.assert_frame_equal(mine.assign(dataset="fig2g")[exact], panel[exact])
    assert set(run_panel("fig2g", ns=[1, 3], **given)["N"]) == {1, 3}


def test_each_of_several_experiments_has_files_of_its_own(tmp_path, monkeypatch):
    two = {name: EXPERIMENTS[name] for name in ("fig1-binary", "fig2f")}
    monkeypatch.setattr("synthetic.panels.experiments.EXPERIMENTS", two)
    small = ["--repeats", 1, "--tasks", 1, "--steps", "1,16", "--paths", 2, "--out", tmp_path]
    assert run("run", "all", "--solver", "monte-carlo", *small).exception is None
    written = {f"{name}{end}" for name in two for end in (".csv", ".samples.parquet")}
    assert {file.name for file in tmp_path.iterdir()} == written
    names = "--set", "k=1,2"  # right answers differ, so questions must
    assert run("run", "fig2f", "--solver", "monte-carlo", *names, *small).exception is None
    two["fig1-binary"] = EXPERIMENTS["fig2d"]  # the paths asked for are those of the only one that is sampled
    first, second = run("run", "all", *small).output.splitlines()[-2:]
    assert "sampled where there is no formula, 2 paths per task" in first
    assert ", exact," in second


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "fig9"], "no such experiment"),
        (["run", "fig2f", "--tasks", 0], "tasks=0"),
        (["run", "fig2f", "--repeats", -1], "repeats=-1"),
        (["run", "fig2d", "--paths", 10**12], "paths=1000000000000"),
        (["run", "fig2f", "--paths", 9], "samples nothing"),
        (["run", "fig2f", "--paths", 0], "paths=0"),
        (["run", "fig2d", "--n", 512], "of 256 sampled paths N=512"),
        (["run", "fig2f", "--jobs", 0], "jobs=0"),
        (["run", "fig2a", "--solver", "monte-carlo", "--tasks", 1, "--paths", 1], "at least 2 paths"),
        (["run", "fig2a", "--set", "eta=1"], "diverges by step"),
        (["run", "fig2b", "--set", "noise_scale=raw"], "noise_scale=raw"),
        (["run", "fig2b", "--set", "noise_scale=raw", "--set", "eta=0.007"], "in 72 dimensions, not below"),
        (["run", "fig2f", "--repeats", 1000, "--tasks", 10**6], "repeats × tasks"),
        (["run", "fig2f", "--set", "d=60", "--set", "k=5"], "--solver monte-carlo"),
        (["claims"], "unknown kind of file"),
        (["run", "fig2a", "--set", "noise=dropout"], "expected one of constant, linear"),
        (["run", "fig2h", "--set", "sampler=beam"], "expected one of clip-norm, temperature, top-k"),
        (["run", "fig2h", "--set", "sampler=top-k", "--set", "dial=0.5"], "dial=0.5"),
        (["run", "fig2h", "--set", "sampler=top-k", "--set", "dial=1.5"], "dial=1.5"),
        (["run", "fig2h", "--set", "sampler=temperature", "--set", "dial=0.009"], "dial=0.009"),
        (["run", "fig2h", "--steps", 10**6], "steps=1000000"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, arguments, message):
    result = run(*arguments, "--out", tmp_path / "out")
    assert isinstance(result.exception, BadInput)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_refused_before_the_work(tmp_path):
    (tmp_path / "taken").write_text("")
    result = run("run", "fig2f", "--repeats", 10_000, "--tasks", 100, "--out", tmp_path / "taken")
    assert isinstance(result.exception, UsageError)


@pytest.mark.parametrize(
    ("called", "words", "options", "defaults"),
    [
        (
            "panels.running.run_experiment",
            ["run", "fig2g"],
            {"solver": "monte-carlo", "repeats": 2, "tasks": 3, "paths": 4, "seed": 7, "jobs": 6},
            ["exact", 5, None, None, 0, 1],
        ),
        ("panels.checking.check", ["check", "fig2h"], {"tasks": 3, "paths": 4, "seed": 7}, [2, 16, 0]),
        ("theory.claims.claims_table.evaluate", ["claims"], {"seed": 7}, [0]),
    ],
)
def test_every_option_reaches_what_it_is_for(tmp_path, monkeypatch, called, words, options, defaults):
    module, name = f"synthetic.{called}".rsplit(".", 1)
    signature, bound = inspect.signature(getattr(importlib.import_module(module), name)), {}

    def stand_in(*arguments, **named):
        bound.update(signature.bind(*arguments, **named).arguments)
        raise BadInput("enough")

    monkeypatch.setattr(f"{module}.{name}", stand_in)
    given = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)]
    out = [] if words[0] == "check" else ["--out", tmp_path / "out.csv"]
    for said, expected in ((given, options), ([], dict(zip(options, defaults, strict=True)))):
        assert str(run(*words, *said, *out).exception) == "enough"
        assert bound.items() >= expected.items()


def test_help_loads_no_compiled_votes():
    words = [sys.executable, "-X", "importtime", "-m", "synthetic", "run", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "results.votes.multinomial" not in done.stderr

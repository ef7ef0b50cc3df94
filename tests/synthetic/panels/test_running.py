"""Running an experiment: the numbers depend on neither workers nor blocks, and the paper's are met."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from results import BadInput
from synthetic.panels import running
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.running import run_experiment

SMALL = {"repeats": 2, "tasks": 3}


def test_neither_workers_nor_blocks_change_a_number(monkeypatch):
    for name, solver in (("fig2g", "exact"), ("fig2g", "monte-carlo"), ("fig1-continuous", "exact")):
        alone, _ = run_experiment(name, EXPERIMENTS[name], solver, paths=8, **SMALL)
        monkeypatch.setattr(running, "TASKS_AT_ONCE", 2)
        shared, _ = run_experiment(name, EXPERIMENTS[name], solver, paths=8, jobs=2, **SMALL)
        monkeypatch.undo()
        pd.testing.assert_frame_equal(alone, shared, rtol=1e-12)


def test_the_slow_solver_reports_after_every_task():
    request = running.Request("transformer", [(0, 0), (0, 1), (0, 2)], 0, 1, 1, False)
    assert running._over_blocks(len, request, "") == [1, 1, 1]


def test_standard_error_is_that_of_the_mean_over_tasks():
    curves, _ = run_experiment("fig2g", EXPERIMENTS["fig2g"], repeats=2, tasks=20)
    greedy = curves[curves["method"] == "greedy"]
    p, n = greedy["accuracy"], 40
    np.testing.assert_allclose(greedy["stderr"], np.sqrt(p * (1 - p) / (n - 1)))
    assert (greedy["questions"] == n).all()


def test_continuous_roads_agree():
    experiment = EXPERIMENTS["fig1-continuous"]
    exact, sampled = (
        run_experiment("fig1-continuous", experiment, solver, repeats=1, tasks=2, paths=256)[0]
        for solver in ("exact", "monte-carlo")
    )
    fewer, _ = run_experiment("fig1-continuous", experiment, repeats=1, tasks=2, paths=2)
    most = fewer[fewer["method"] != "greedy"].groupby("model")["N"].max()
    assert set(most[most.index.str.contains("constant")]) == {256}  # by formula
    assert set(most[most.index.str.contains("linear noise")]) == {2}
    ensembles = (table.query("method == 'ensemble' and N <= 2")["risk"] for table in (exact, fewer))
    np.testing.assert_array_equal(*ensembles)  # where best-of-N is sampled the ensemble is still exact
    key = ["model", "method", "setting", "N"]
    both = exact.merge(sampled, on=key, suffixes=("", "_sampled")).set_index(key)
    assert len(both) == len(exact)
    # 256 paths of each of 2 tasks: within 5 % for single paths, and N = 256 leaves one subset a task
    near = both[both.index.get_level_values("N") <= 16]
    np.testing.assert_allclose(near["risk"], near["risk_sampled"], rtol=0.05)


def test_fallbacks_of_clip_norm_are_reported():
    """With one example of two coordinates, both of the wrong sign, nothing is positive at the first step."""
    with pytest.warns(UserWarning, match="too few positive entries in"):
        run_experiment("fig2g", EXPERIMENTS["fig2g"], repeats=1, tasks=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_experiment("fig2e", EXPERIMENTS["fig2e"], repeats=1, tasks=2)
        run_experiment("fig2b", EXPERIMENTS["fig2b"], repeats=1, tasks=1)  # nothing is sampled either


def test_the_literal_transformer_says_how_long_it_takes(capsys):
    """Once per experiment: the paths of all its lines and tasks, and hours, minutes and seconds."""
    experiment = replace(EXPERIMENTS["fig2h"], steps=(1, 4))
    run_experiment("fig2h", experiment, "transformer", repeats=2, tasks=3, paths=4, progress=True)
    (line,) = capsys.readouterr().err.splitlines()
    assert "fig2h: 48 paths" in line
    assert re.search(r"\d\d:\d\d", line)


@pytest.mark.parametrize(("solver", "paths"), [("monte-carlo", 256), ("transformer", 16)])
def test_a_task_gets_as_many_paths_as_the_help_says(solver, paths):
    one_step = replace(EXPERIMENTS["fig2g"], steps=(1,))
    _, samples = run_experiment("fig2g", one_step, solver, repeats=1, tasks=1)
    assert (samples["decoding"] == "sample").sum() == paths


def test_more_answers_than_memory_holds_are_refused_before_any_is_drawn(monkeypatch):
    """Eleven steps of two tasks: 22 answers a path."""
    monkeypatch.setattr(running, "MAX_ANSWERS", 44)
    few = {"repeats": 1, "tasks": 2}
    run_experiment("fig2g", EXPERIMENTS["fig2g"], "monte-carlo", paths=2, **few)
    with pytest.raises(BadInput, match="66 sampled answers"):
        run_experiment("fig2g", EXPERIMENTS["fig2g"], "monte-carlo", paths=3, **few)

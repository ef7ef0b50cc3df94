"""Running an experiment: results depend on neither workers nor blocks, and match the paper's."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from results import BadInput, build_curves
from synthetic.binary.chain import law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys
from synthetic.panels import running
from synthetic.panels.experiments import EXPERIMENTS, Experiment, Variant
from synthetic.panels.running import run_experiment

SMALL = {"repeats": 2, "tasks": 3}
CONTINUOUS = replace(EXPERIMENTS["fig1-continuous"], steps=(50, 200))


@pytest.mark.integration
def test_neither_workers_nor_blocks_change_a_number(monkeypatch):
    binary = EXPERIMENTS["fig2g"]
    for experiment, solver in ((binary, "exact"), (binary, "monte-carlo"), (CONTINUOUS, "exact")):
        alone, _ = run_experiment("mine", experiment, solver, paths=8, **SMALL)
        monkeypatch.setattr(running, "TASKS_AT_ONCE", 2)
        shared, _ = run_experiment("mine", experiment, solver, paths=8, jobs=2, **SMALL)
        monkeypatch.undo()
        pd.testing.assert_frame_equal(alone, shared, rtol=1e-12)


def test_the_slow_solver_reports_after_every_task():
    request = running.PanelRequest("transformer", [(0, 0), (0, 1), (0, 2)], 0, 1, 1)
    assert running._over_blocks(len, request, "") == [1, 1, 1]


def test_continuous_roads_agree():
    exact, sampled = (
        run_experiment("fig1-continuous", CONTINUOUS, solver, repeats=1, tasks=2)[0]
        for solver in ("exact", "monte-carlo")
    )
    with pytest.warns(UserWarning, match="fig1-continuous: best-of-N .* linear noise: 2 sampled paths"):
        fewer, _ = run_experiment("fig1-continuous", CONTINUOUS, repeats=1, tasks=2, paths=2)
    most = fewer[fewer["method"] != "greedy"].groupby("model")["N"].max()
    assert set(most[most.index.str.contains("constant")]) == {256}  # by formula
    assert set(most[most.index.str.contains("linear noise")]) == {2}
    ensembles = (table.query("method == 'ensemble' and N <= 2")["risk"] for table in (exact, fewer))
    np.testing.assert_array_equal(*ensembles)  # where best-of-N is sampled the ensemble is still exact
    key = ["model", "method", "setting", "N"]
    both = exact.merge(sampled, on=key, suffixes=("", "_sampled"))
    assert len(both) == len(exact)
    # 256 paths of each of 2 tasks: single paths are within 5 %; N = 256 leaves one subset per task
    near = both[both["N"] <= 16]
    np.testing.assert_allclose(near["risk"], near["risk_sampled"], rtol=0.05)


@pytest.mark.parametrize("name", ["fig2h", "fig2e", "fig1-continuous"])
def test_the_literal_transformer_gives_the_sampled_curves(name):
    """Both use the same random numbers, so their tables are equal."""
    short = replace(EXPERIMENTS[name], steps=(1, 3))
    fast, slow = (
        run_experiment(name, short, solver, paths=4, seed=2, **SMALL)[0]
        for solver in ("monte-carlo", "transformer")
    )
    pd.testing.assert_frame_equal(fast, slow, rtol=1e-8)


def test_binary_roads_agree():
    """Greedy decoding is the same in both, and sampled answers are right as often as the exact law says."""
    settings = [BinarySetting(n=n, d=6, k=2, eta=1 / 4, sigma_eps=0.3) for n in (2, 5)]
    lines = tuple(Variant(one, f"n={one.n}") for one in settings)
    experiment = Experiment("", lines, (1, 3, 8), ("majority", "best_of_n", "greedy"), 5, votes=(1, 4, 16))
    exact, sampled = (
        run_experiment("mine", experiment, solver, repeats=3, paths=400)[0]
        for solver in ("exact", "monte-carlo")
    )
    key = ["model", "method", "setting", "N"]
    sampled = sampled[sampled["permutation"] == "exact"]
    both = exact.merge(sampled, on=key, suffixes=("", "_sampled"), validate="one_to_one")
    assert len(both) == len(exact) == len(sampled) == 2 * 3 * 7
    assert (both["questions_sampled"] == 15).all()
    greedy = both["method"] == "greedy"
    for name in ("accuracy", "stderr"):
        np.testing.assert_allclose(both[name][greedy], both[f"{name}_sampled"][greedy])
    # a vote of N is a mean over at least 400/N independent votes of each task
    spread = 0.5 / np.sqrt(15 * 400 / both["N"])
    assert (abs(both["accuracy"] - both["accuracy_sampled"])[~greedy] < 4 * spread[~greedy]).all()


def test_fallbacks_of_clip_norm_are_reported():
    """If both coordinates of a single example have the wrong sign, nothing is positive at the first step.

    The share is over tasks, which are in blocks of 25 and 15 here.
    """
    experiment = EXPERIMENTS["fig2g"]
    setting = experiment.variants[0].setting
    law = law_of_paths(draw_tasks(setting, task_keys(1, 40), seed=0), setting, experiment.steps)
    with pytest.warns(UserWarning, match=f"fig2g: too few positive entries in {law.fallback.mean():.2%} of"):
        run_experiment("fig2g", experiment, repeats=1, tasks=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_experiment("fig2e", EXPERIMENTS["fig2e"], repeats=1, tasks=2)
        run_experiment("fig2b", EXPERIMENTS["fig2b"], repeats=1, tasks=1)  # nothing is sampled either


@pytest.mark.parametrize(("solver", "paths"), [("monte-carlo", 256), ("transformer", 16)])
def test_a_task_gets_as_many_paths_as_the_help_says(solver, paths):
    one_step = replace(EXPERIMENTS["fig2g"], steps=(1,))
    _, samples = run_experiment("fig2g", one_step, solver, repeats=1, tasks=1)
    assert (samples["decoding"] == "sample").sum() == paths


def test_more_answers_than_memory_holds_are_refused_before_any_is_drawn(monkeypatch):
    """Eleven steps of two tasks: 22 answers per path."""
    monkeypatch.setattr(running, "MAX_ANSWERS", 44)
    few = {"repeats": 1, "tasks": 2}
    for solver, paths in (("monte-carlo", 2), ("exact", 3)):
        run_experiment("fig2g", EXPERIMENTS["fig2g"], solver, paths=paths, **few)
    with pytest.raises(BadInput, match="66 sampled answers"):
        run_experiment("fig2g", EXPERIMENTS["fig2g"], "monte-carlo", paths=3, **few)


def test_the_orders_of_sampled_answers_are_those_of_the_seed():
    """Another seed gives other answers, and other orders of the same answers."""
    experiment = EXPERIMENTS["fig2g"]
    curves, samples = run_experiment("fig2g", experiment, "monte-carlo", paths=8, seed=5, **SMALL)
    again, _ = run_experiment("fig2g", experiment, "monte-carlo", paths=8, seed=5, **SMALL)
    pd.testing.assert_frame_equal(curves, again)
    ns = sorted(set(curves["N"]))
    own = build_curves(samples, ns=ns, permutations=10, seed=5)
    columns = ["setting", "N", "method", "permutation", "accuracy"]
    both = curves[columns].merge(own[columns], on=columns[:4], suffixes=("", "_own"))
    orders = both[both["permutation"] != "exact"]
    assert len(orders)
    assert (orders["accuracy"] == orders["accuracy_own"]).all()

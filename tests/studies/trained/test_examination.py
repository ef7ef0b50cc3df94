"""The examination of the paper's own layer reproduces the exact twin."""

import numpy as np
import pytest

from studies.trained.examination import BLIND, EXACT, SAMPLED, STEPS, TUNED, examine, mean_path_risk
from studies.trained.layer import gradient_layer
from studies.trained.lessons import FEW_DIMENSIONS, LINEAR

PATHS, TASKS = 128, 6


@pytest.mark.parametrize(("dataset", "d"), [("fig2e", 30), ("fig2h", 10)])
def test_votes_of_the_papers_layer_are_the_exact_ones(dataset, d, monkeypatch):
    monkeypatch.setattr("studies.trained.examination.STEPS", (1, 4))
    monkeypatch.setattr("studies.trained.examination.VOTES", (1, 4))
    model = f"{LINEAR} paths"
    curves = examine({(dataset, model): vars(gradient_layer(d, 1.0))}, 5, TASKS, PATHS)
    table = curves.pivot_table(index=["method", "T", "N"], columns="model", values="accuracy")
    assert set(curves["questions"]) == {TASKS}
    np.testing.assert_array_equal(table[model], table[SAMPLED])  # the same layer on the same random numbers
    # A vote of N from 128 paths is a mean over at least 128/N independent votes of each task.
    spread = 0.5 / np.sqrt(TASKS * PATHS / table.index.get_level_values("N"))
    apart = (table[model] - table[EXACT]).abs()
    assert (apart < 4 * spread).all()
    assert apart.xs(1, level="N").mean() < 0.02


def test_the_papers_layer_is_blind_to_its_thoughts_and_tuned_at_its_best_step():
    key = FEW_DIMENSIONS, f"{LINEAR} loop"
    curves = examine({key: vars(gradient_layer(5, 0.5))}, 5, 20, PATHS)
    table = curves.pivot_table(index="T", columns="model", values="risk")
    np.testing.assert_allclose(table[key[1]], table[BLIND])
    assert TUNED in table


def test_no_infinite_risk_is_told_where_some_tasks_diverge(monkeypatch):
    """Here one of twenty tasks diverges at the longest paths, for one model only."""
    key = FEW_DIMENSIONS, f"{LINEAR} loop"

    def diverging(model, tasks, steps):
        risk = mean_path_risk(model, tasks, steps)
        risk[3, -1] = np.inf
        return risk

    monkeypatch.setattr("studies.trained.examination.mean_path_risk", diverging)
    curves = examine({key: vars(gradient_layer(5, 0.5))}, 5, 20, PATHS)
    assert np.isfinite(curves["risk"]).all()
    assert curves["T"].nunique() == len(STEPS) - 1

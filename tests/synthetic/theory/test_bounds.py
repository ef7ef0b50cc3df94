"""Every bound is drawn beside the exact curve it bounds, and is on the right side of it."""

import numpy as np
import pytest
from click.testing import CliRunner

from synthetic.cli import cli
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys
from synthetic.panels.figures import bounds_figure
from synthetic.theory.bounds import Panel, bounds_table


@pytest.fixture(scope="module")
def table():
    return bounds_table(seed=0)


def lines(table, panel):
    rows = table[table["panel"].str.startswith(panel)]
    return {name: part["value"].to_numpy() for name, part in rows.groupby("line", sort=False)}


def test_fitted_bounds_touch_the_exact_curve_from_above(table):
    for panel in ("gradient descent", "ensemble, constant noise", "ensemble, linear noise"):
        exact, *bounds = lines(table, panel).items()
        assert exact[0] == "exact"
        assert bounds
        for name, bound in bounds:
            assert name.endswith("(fitted)")
            assert (exact[1] / bound).max() == pytest.approx(1)


def test_bounds_without_a_hidden_constant_hold_as_they_are(table):
    for panel in ("vote", "Δ"):
        exact, bound = lines(table, panel).values()
        assert np.all(exact >= bound)
    greedy, vote, most, least = lines(table, "one example").values()
    assert np.all(greedy <= most + 3 * 0.5 / np.sqrt(10_000))
    assert np.all(vote >= least - 3 * 0.5 / np.sqrt(400))


@pytest.mark.parametrize(
    ("panel", "n", "d", "t", "each", "shrink"),
    [
        ("gradient descent", 100, 100, 1000, 6, 1.0),
        ("ensemble, constant noise", 60, 40, 100, 4, 1.0),
        ("ensemble, linear noise", 40, 80, 800, 4, 1 - 1 / 80),
    ],
)
def test_exact_curves_end_at_half_the_squared_error_of_the_mean_path(table, panel, n, d, t, each, shrink):
    """Step by step: the mean of paths under linear noise shrinks by 1 − σ² at each; 4,096 paths leave 1 %."""
    setting = ContinuousSetting(n=n, d=d, eta=0.5, sigma_eps=1.0, sigma=0.0, step_rule="eta/n", decay=1.0)
    tasks = draw_tasks(setting, task_keys(5, each), seed=0)
    w = np.zeros_like(tasks.w_star)
    for _ in range(t):
        residual = np.einsum("bnd,bd->bn", tasks.x, w) - tasks.y
        w = shrink * (w - 0.5 / n * np.einsum("bn,bnd->bd", residual, tasks.x))
    excess = ((w - tasks.w_star) ** 2 / np.arange(1, d + 1) ** 2).sum(axis=1).mean() / 2
    assert lines(table, panel)["exact"][-1] == pytest.approx(excess, rel=0.01)


def test_the_factor_is_the_least_that_lifts_the_bound():
    panel = Panel(
        "p", "N", (1, 2), {"exact": np.array([2.0, 3.0])}, {"b": np.array([4.0, 4.0])}, relative=True
    )
    found = lines(panel.rows(), "p")
    np.testing.assert_allclose(found["b × 0.75 (fitted)"], [3, 3])


def test_every_panel_is_drawn(table):
    chart = bounds_figure(table).to_dict()
    assert [panel["title"] for panel in chart["concat"]] == list(table["panel"].unique())
    assert len(chart["concat"]) == 6


def test_the_command_refuses_another_kind_of_picture(tmp_path):
    result = CliRunner().invoke(cli, ["bounds", "--out", str(tmp_path / "bounds.csv")], standalone_mode=False)
    assert "unknown kind of picture" in str(result.exception)
    assert not any(tmp_path.iterdir())

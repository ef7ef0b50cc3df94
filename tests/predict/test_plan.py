"""The planner: prices, frontier, cheapest and best choices."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from predict.cli import main
from predict.data import Group, read_groups
from predict.plan import frontier, plan
from predict.protocol import Options
from results import BadInput


@pytest.fixture(scope="module")
def group(curves_file: Path) -> Group:
    return next(g for g in read_groups([curves_file], "majority") if g.model == "large")


def test_cheapest_choice_reaches_the_target_and_nothing_cheaper_does(group: Group) -> None:
    found = plan(group, "joint", 64, Options(replicates=60), target_accuracy=0.8)
    assert found.chosen is not None
    assert found.chosen["predicted"] >= 0.8
    cheaper = found.options[found.options["cost"] < found.chosen["cost"]]
    assert (cheaper["predicted"] < 0.8).all()
    assert found.cautious is not None
    assert found.cautious["low"] >= 0.8
    assert found.cautious["cost"] >= found.chosen["cost"]


def test_known_surface_gives_the_known_choice(group: Group) -> None:
    found = plan(group, "joint", 64, Options(replicates=60), target_accuracy=0.8)
    lengths = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0])
    places = [(1000 * T * n, T, n) for T in lengths for n in 2 ** np.arange(7)]
    gap = {T: (0.8 - 0.5 * np.exp(-0.6 * T)) ** 2 / 2 for T in lengths}
    true = min(cost for cost, T, n in places if 0.9 - 0.4 * np.exp(-gap[T] * n) >= 0.8)
    assert found.chosen is not None
    assert found.chosen["cost"] == pytest.approx(true)


def test_best_choice_keeps_to_the_budget(group: Group) -> None:
    found = plan(group, "joint", 64, Options(replicates=60), token_budget=9000)
    assert found.chosen is not None
    assert found.chosen["cost"] <= 9000
    within = found.options[found.options["cost"] <= 9000]
    assert found.chosen["predicted"] == within["predicted"].max()


def test_nothing_is_chosen_where_nothing_reaches(group: Group) -> None:
    assert plan(group, "joint", 8, Options(replicates=60), target_accuracy=0.99).chosen is None
    assert plan(group, "joint", 8, Options(replicates=60), token_budget=1).chosen is None


def test_frontier_rises_in_cost_and_accuracy(group: Group) -> None:
    rows = frontier(plan(group, "joint", 64, Options(replicates=60), token_budget=1).options)
    assert rows["cost"].is_monotonic_increasing
    assert (np.diff(rows["predicted"]) > 0).all()


def test_unpriced_data_are_refused(group: Group, data_dir: Path) -> None:
    source = data_dir / "samples" / "gpt-3.5-turbo_biggsm_t0.8.csv"
    with pytest.raises(BadInput, match="no token counts"):
        plan(read_groups([source], "majority")[0], "flat", 8, Options(replicates=20), token_budget=100)


def test_command_prints_the_choice_and_refuses_two_goals(curves_file: Path) -> None:
    done = CliRunner().invoke(main, ["plan", str(curves_file), "--target-accuracy", "0.75", "--max-n", "32"])
    assert done.exit_code == 0, done.output
    assert "To reach 75.0 %: setting" in done.output
    both = ["plan", str(curves_file), "--target-accuracy", "0.75", "--token-budget", "5"]
    assert CliRunner().invoke(main, both).exit_code == 2

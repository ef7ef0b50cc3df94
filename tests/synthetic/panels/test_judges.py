"""The panel of rewards: its rows, and what a sampling solver says of it."""

import pytest

from results import write_curves
from synthetic import run_panel
from synthetic.binary.rewards import REWARDS
from synthetic.panels.experiments import EXPERIMENTS

FEW = {"tasks": 3, "repeats": 1, "ns": [1, 4, 16], "steps": [2, 4]}


@pytest.fixture(scope="module")
def curves():
    return run_panel("judges", **FEW)


def test_each_reward_has_a_row_of_best_by_score(curves, tmp_path):
    write_curves(curves, tmp_path / "judges.csv")  # the contract holds
    judged = curves[curves["method"] == "best_by_score"]
    told = {model.rsplit(", ", 1)[1] for model in judged["model"]}
    assert told == {f"{name} reward" for name in REWARDS if name != "oracle"}
    assert len(judged) == len(told) * len(EXPERIMENTS["judges"].variants) * 2 * 3
    one = curves[curves["N"] == 1].groupby(["setting", curves["model"].str.split(",").str[0]])["accuracy"]
    assert (one.max() - one.min()).max() < 1e-9  # a single answer leaves nothing to choose


def test_a_sampling_solver_leaves_rewards_out_and_says_so():
    with pytest.warns(UserWarning, match="context, noisy"):
        sampled = run_panel("judges", solver="monte-carlo", paths=4, **FEW)
    assert set(sampled["method"]) == {"majority", "best_of_n", "greedy"}

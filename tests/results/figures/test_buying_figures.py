"""The planner's figure: its content and its files."""

import pandas as pd
import pytest

from results.figures.buying import plan_figure
from results.pictures import Picture
from results.report.selectors import plan_choices
from results.summary.buying import Plan


def view(**changes: float | None) -> Plan:
    options = pd.DataFrame(
        {
            "cost": [10.0, 40.0, 50.0, 200.0],
            "setting": ["a", "a", "b", "b"],
            "T": [10.0, 10.0, 50.0, 50.0],
            "N": [1, 4, 1, 4],
            "predicted": [0.5, 0.6, 0.58, 0.8],
            "low": [0.45, 0.55, 0.5, 0.75],
            "high": [0.55, 0.66, 0.64, 1.05],
            "known": ["measured", "forecast", "measured", "forecast"],
        }
    )
    names = {
        "source": "llm",
        "dataset": "gsm8k",
        "model": "<b>llama</b>",
        "method": "majority",
        "predictor": "default",
    }
    return Plan(options.assign(**names), **{"target_accuracy": 0.7, **changes})


def test_band_and_goal_lie_within_the_axis():
    figure = plan_figure(view(), "p")
    band = next(rows for rows in figure.file_spec()["datasets"].values() if len(rows) == 3)
    assert max(row["upper"] for row in band) == 1.0  # clipped to the axis; the table keeps the number
    far = plan_figure(view(target_accuracy=0.2), "p").page_spec()["layer"][0]["encoding"]["y"]
    assert far["scale"]["domain"][0] <= 0.2
    dear = plan_figure(view(target_accuracy=None, token_budget=900.0), "p").page_spec()["layer"][0]
    assert dear["encoding"]["x"]["scale"]["domain"][1] > 900
    assert [choice.name[-10:] for choice in plan_choices([view(target_accuracy=None)])] == ["by default"]
    priced = Plan(view().options.assign(usd=[0.1, 0.4, 0.5, 2.0]), token_budget=900.0)  # in dollars
    assert plan_figure(priced, "p").page_spec()["layer"][0]["encoding"]["x"]["scale"]["domain"][1] < 3


def test_plans_of_several_goals_can_be_told_apart():
    plans = [view(), view(target_accuracy=None), view(target_accuracy=None, token_budget=900.0)]
    reach, best, within = (choice.name for choice in plan_choices(plans))
    assert reach == f"{best}, to reach 70.0\u00a0%"
    assert within == f"{best}, within 900 tokens per question"


@pytest.mark.parametrize("suffix", [".png", ".html"])
def test_several_plans_share_a_file(tmp_path, suffix):
    path = tmp_path / f"plan{suffix}"
    Picture(path).draw("Plan", plan_choices([view(), view(target_accuracy=None)]))
    content = path.read_bytes()
    assert content.startswith({".png": b"\x89PNG", ".html": b"<!doctype html>"}[suffix])
    if suffix == ".html":
        assert b"<b>llama" not in content  # names come from files: they are data, not markup
        assert content.count(b'"width":"container"') == 2

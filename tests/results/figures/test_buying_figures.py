"""The planner's picture: what is in it, and the files it becomes."""

import pandas as pd
import pytest

from results.figures.buying import plan_figure
from results.pictures import Picture, draw
from results.report.selectors import plan_choices
from results.summary.buying import Plan
from tests.results.figures.made import rows_of


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
    data = figure.file_spec()["datasets"]
    band = next(rows for rows in data.values() if len(rows) == 3)
    highest = max(row["upper"] for row in band)
    assert highest == 1.0  # drawn within the axis; the table keeps the number
    assert rows_of(figure, "rule")["predicted"].tolist() == [0.7]
    far = plan_figure(view(target_accuracy=0.2), "p").page_spec()["layer"][0]["encoding"]["y"]
    assert far["scale"]["domain"][0] <= 0.2


@pytest.mark.parametrize("budget", [45.0, 900.0])
def test_a_budget_is_drawn_within_the_chart(budget):
    figure = plan_figure(view(target_accuracy=None, token_budget=budget), "p")
    (line,) = (layer for layer in figure.page_spec()["layer"] if layer["mark"]["style"] == "goal")
    assert line["encoding"]["x"]["field"] == "cost"
    assert rows_of(figure, "rule")["cost"].tolist() == [budget]
    low, high = line["encoding"]["x"]["scale"]["domain"]
    assert low < 10 < max(200, budget) < high


def test_a_budget_of_tokens_is_not_drawn_along_prices():
    options = view().options.assign(usd=[0.01, 0.04, 0.05, 0.2])
    figure = plan_figure(Plan(options, token_budget=45.0, by="usd"), "p")
    layers = figure.page_spec()["layer"]
    assert "goal" not in {layer["mark"]["style"] for layer in layers}
    assert layers[0]["encoding"]["x"]["scale"]["domain"][1] < 1


def test_settings_take_their_colours_in_the_order_of_their_length():
    options = view().options.assign(N=[1, 16, 1, 2], cost=[10.0, 160.0, 50.0, 100.0])
    colours = plan_figure(Plan(options), "p").page_spec()["layer"][2]["encoding"]["color"]
    assert colours["scale"]["domain"] == ["a", "b"]  # 10 and 50 tokens an answer


@pytest.mark.parametrize("suffix", [".png", ".svg", ".html"])
def test_several_plans_share_a_file(tmp_path, suffix):
    path = tmp_path / f"plan{suffix}"
    draw("Plan", plan_choices([view(), view(target_accuracy=None)]), Picture(path))
    content = path.read_bytes()
    assert content.startswith({".png": b"\x89PNG", ".svg": b"<svg", ".html": b"<!doctype html>"}[suffix])
    if suffix == ".html":
        assert b"<b>llama" not in content  # names come from files: they are data, not markup
        assert content.count(b'"width":"container"') == 2

"""The paper's Figure 2: its panels, their order, and the theory's laws against simulations."""

import numpy as np
import pandas as pd
import pytest

from results.summary.panels import make_panels
from studies.twin.figure_2 import average_law, figure_2, risk_figure
from tests.results.figures.made import curves, rows_of


def twin(dataset, **columns):
    return curves(
        ("1", "2", "4"),
        permutations=0,
        source="synthetic",
        dataset=dataset,
        **{"model": "linear-attention", **columns},
    )


def risk(dataset, model="linear-attention", **columns):
    table = twin(dataset, method="ensemble", model=model, **columns).drop(columns="accuracy")
    return table.assign(risk=5 + 8 / table["N"])


def test_panels_come_in_the_papers_order_and_over_its_axes():
    table = pd.concat(
        [twin("fig2h", model="linear-attention step=1"), twin("fig2f"), twin("other"), risk("fig2a")]
    )
    found = figure_2(make_panels(pd.concat([table, curves(model="fig2g", dataset="fig2g")])))
    assert [heading[:2] for heading, _ in found] == ["2a", "2f", "2h"]
    titles = [figure.page_spec()["layer"][-1]["encoding"]["x"]["title"] for _, figure in found]
    assert [title[-1] for title in titles] == ["N", "T", "N"]
    grey = [figure.subtitle[-1].count("2/d") for _, figure in found]
    assert grey == [0, 1, 0]


def test_the_risk_of_an_average_is_bias_and_a_share_of_the_variance():
    """Paths of variance 3 around a mean 2 off the truth: the average of N has the risk 4 + 3/N."""
    rng = np.random.default_rng(0)
    paths = rng.normal(2, np.sqrt(3), (40_000, 16))
    measured = {n: (paths[:, :n].mean(axis=1) ** 2).mean() for n in (1, 2, 4, 16)}
    law = average_law(pd.DataFrame({"N": [1, 16], "value": [measured[1], measured[16]]}))
    for n in (2, 4):
        assert np.interp(n, law["N"], law["value"]) == pytest.approx(measured[n], rel=0.02)


def test_risks_have_a_line_for_each_setting_and_gradient_descent_beside_them():
    descent = risk("fig2a").query("N == 1").assign(method="greedy", risk=[8.0, 7.0, 6.0])
    both = pd.concat([risk("fig2a"), risk("fig2a", "linear-attention b"), descent])
    figure = risk_figure(make_panels(both), "N")
    points = rows_of(figure, "circle")
    assert set(points["line"]) == {"", "b"}
    assert set(points["setting"]) == {"4"}
    assert set(rows_of(figure, "rule")["value"]) == {6.0}
    assert len(rows_of(figure, "line")) == 2 * 60  # the law of an average; best-of-N has none
    best = risk_figure(make_panels(both.replace("ensemble", "best_of_n")), "N")
    assert len(rows_of(best, "line")) == 2 * 3

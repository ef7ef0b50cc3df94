"""One page on what training found: weights, risk, the missing chain of thought, and the paper's panels.

page(curves, weights)  ->  a Vega-Lite specification of two rows of three charts
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import value_axis
from results.figures.theme import INK, QUIET, Figure, combined_spec
from studies.trained.examination import BLIND, EXACT, TUNED
from studies.trained.layer import Layer, gradient_layer
from studies.trained.lessons import (
    BINARY,
    EXAMPLES,
    FEW_DIMENSIONS,
    LINEAR,
    SOFTMAX,
    TRAINED_LENGTH,
    noiseless,
)
from studies.trained.weights import Weights
from synthetic.model.settings import ContinuousSetting

BLUE, RED, ORANGE, GREEN = "#2c728e", "#c8385a", "#f08a24", "#28ae80"
DECADES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
Lines = dict[str, tuple[str, str]]
"""Model to its name in the legend and its colour."""


def page(curves: pd.DataFrame, weights: Weights) -> dict[str, Any]:
    """The whole figure, for a file."""
    top = [_matrices(weights), _risk(curves), _without_chain(curves)]
    return combined_spec([top, [_panel(curves, dataset) for dataset in BINARY]])


def _matrices(weights: Weights) -> Figure:
    """V and W of the looped d = 5 layer beside the paper's, as coloured squares."""
    learned = Layer(**weights[FEW_DIMENSIONS, f"{LINEAR} loop"]).normalised()
    d, eta = learned.d, float(np.mean(learned.step_sizes()))
    cells, words = [], []
    for x0, title, layer in ((0, "learned", learned), (2 * d + 4, "paper", gradient_layer(d, eta))):
        for y0, name, matrix in (
            (1, "V, rows of w", layer.value),
            (d + 5, "W, w and flag", layer.key_query.T),
        ):
            cells += [(x0 + column, y0 + row, value) for (row, column), value in np.ndenumerate(matrix)]
            words.append((x0, y0 - 1, f"{name}, {title}"))
            words += [
                (x0 + at, y0 + len(matrix), w) for at, w in ((d // 2, "x"), (d, "y"), (d + 1 + d // 2, "w"))
            ]
            words.append((x0 + 2 * d + 1, y0 + len(matrix), "1"))
    place = [
        alt.X("x:O", axis=None, scale=alt.Scale(domain=[*range(4 * d + 6)], padding=0.04)),
        alt.Y("y:O", axis=None, scale=alt.Scale(domain=[*range(2 * d + 7)], padding=0.04)),
    ]
    colour = alt.Scale(scheme="redblue", domain=[-1, 1], clamp=True)
    weight = alt.Color("value:Q", scale=colour, legend=alt.Legend(title="weight", gradientLength=160))
    squares = alt.Chart(pd.DataFrame(cells, columns=["x", "y", "value"])).mark_rect().encode(*place, weight)
    labels = alt.Chart(pd.DataFrame(words, columns=["x", "y", "text"]))
    text = labels.mark_text(align="left", xOffset=-6, color=INK).encode(*place, text="text:N")
    return Figure(
        "trained-weights",
        "V and W: what training found, and what the paper builds",
        (f"d = 5, n = 20, trained in the loop; the paper's with the learned η = {eta:.2f}",),
        (squares, text),
    )


def _log(channel: Any, field: str, ticks: Sequence[float], title: str) -> Any:
    """A logarithmic axis with these ticks."""
    axis = alt.Axis(values=list(ticks), format="~g")
    return channel(f"{field}:Q", scale=alt.Scale(type="log", nice=False), axis=axis, title=title)


_RISK = _log(alt.Y, "risk", DECADES, "squared error (lower is better)")


def _risk(curves: pd.DataFrame) -> Figure:
    rows = curves[(curves["dataset"] == FEW_DIMENSIONS) & curves["risk"].between(1e-4, 20)]
    lines = {
        f"{LINEAR} loop": ("trained in the loop", BLUE),
        BLIND: ("… blind to its own thoughts", GREEN),
        TUNED: ("gradient descent, best fixed step", QUIET),
        f"{LINEAR} one-step": ("trained for one step", RED),
        f"{SOFTMAX} loop": ("softmax transformer", ORANGE),
    }
    title = "Risk of the noise-free path, in training and beyond"
    subtitle = f"d = 5, n = 20; grey: the trained length, {TRAINED_LENGTH} steps"
    return Figure("trained-risk", title, (subtitle,), _against_t(rows, lines, _RISK))


def _without_chain(curves: pd.DataFrame) -> Figure:
    rows = []
    for n in EXAMPLES:
        here = curves[curves["dataset"] == f"continuous d=5 n={n}"].set_index(["model", "setting"])["risk"]
        rows += [
            (n, here.get((f"{LINEAR} one-step", "1")), "one step, trained"),
            (n, here.get((f"{LINEAR} loop", str(TRAINED_LENGTH))), "chain of thought, trained"),
            (n, one_step_risk(noiseless(n)), "one step, best possible"),
        ]
    names = ["one step, best possible", "one step, trained", "chain of thought, trained"]
    scale = alt.Scale(domain=names, range=[QUIET, RED, BLUE])
    base = alt.Chart(pd.DataFrame(rows, columns=["n", "risk", "line"]).dropna()).encode(
        _log(alt.X, "n", EXAMPLES, "examples, n"),
        _RISK,
        alt.Color("line:N", scale=scale, title=None, legend=alt.Legend(columns=1)),
    )
    return Figure(
        "trained-one-step",
        "Without chain of thought: best possible is d(d+1)/(n+d+1)",
        ("d = 5; a point is a training of its own",),
        (base.mark_line(), base.mark_point(filled=True, size=70, opacity=1)),
    )


def one_step_risk(setting: ContinuousSetting) -> float:
    """The least E‖w_1 − w*‖² of one gradient step from 0 with H = I, ω = 1: about d²/n for n far above d.

    The step is η/n with η = n/(n + d + 1 + σ_ε²), since E[XᵀX] = nI and E[(XᵀX)²] = n(n + d + 1)I.
    """
    more = setting.d + 1 + setting.sigma_eps**2
    return setting.d * more / (setting.n + more)


def _panel(curves: pd.DataFrame, dataset: str) -> Figure:
    rows = curves[(curves["dataset"] == dataset) & (curves["method"] == "majority")]
    most = int(rows["N"].max())
    lines = {
        EXACT: ("the paper's, exact", INK),
        f"{LINEAR} paths": ("trained on its paths", BLUE),
        f"{LINEAR} answers": ("trained on answers", RED),
        f"{SOFTMAX} paths": ("softmax, paths", GREEN),
        f"{SOFTMAX} answers": ("softmax, answers", ORANGE),
    }
    axis = value_axis("accuracy", "accuracy", (0.0, 1.0))
    setting = BINARY[dataset]
    title = f"Figure {dataset[3:]}: n = {setting.n}, d = {setting.d}"
    marks = f"full: one path; dashed: the vote of {most}; grey: the trained length"
    layers = _against_t(rows[rows["N"].isin([1, most])], lines, axis)
    return Figure(f"trained-{dataset}", title, (marks,), layers)


def _against_t(rows: pd.DataFrame, lines: Lines, y: alt.Y) -> tuple[alt.Chart, ...]:
    """A value against t, with a colour per model; the paper's and the tuned reference have no points."""
    rows = rows[rows["model"].isin(lines)]
    kept = [lines[model] for model in lines if model in set(rows["model"])]
    frame = rows.assign(line=rows["model"].map(lambda model: lines[model][0]))
    scale = alt.Scale(domain=[name for name, _ in kept], range=[colour for _, colour in kept])
    base = alt.Chart(frame[["T", "N", y.shorthand.removesuffix(":Q"), "model", "line"]]).encode(
        _log(alt.X, "T", [t for t in (1, 2, 4, 8, 16, 32) if t <= frame["T"].max()], "reasoning steps, T"),
        y,
        alt.Color("line:N", scale=scale, title=None, legend=alt.Legend(columns=2, labelLimit=220)),
        alt.Detail("N:O"),
    )
    dash = alt.StrokeDash("N:O", scale=alt.Scale(range=[[1, 0], [5, 3]]), legend=None, sort="ascending")
    points = base.transform_filter(~alt.FieldOneOfPredicate("model", [EXACT, TUNED]))
    trained = alt.Chart(pd.DataFrame({"T": [float(TRAINED_LENGTH)]}))
    return (
        trained.mark_rule(color="#b8bfcc", strokeWidth=6, opacity=0.4).encode(x="T:Q"),
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        points.mark_point(filled=True, size=45, opacity=1),
    )

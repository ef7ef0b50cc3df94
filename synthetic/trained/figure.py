"""One page on what training found: weights, risk, the missing chain of thought, and the paper's panels.

page(curves, weights, lessons)  ->  a Vega-Lite specification of two rows of three charts
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import value_axis
from results.figures.theme import INK, QUIET, Figure, combined_spec
from synthetic.model.settings import ContinuousSetting
from synthetic.trained.examination import BLIND, EXACT, TUNED
from synthetic.trained.layer import Layer, gradient_layer
from synthetic.trained.lessons import (
    BINARY,
    EXAMPLES,
    FEW_DIMENSIONS,
    LINEAR,
    SOFTMAX,
    Lesson,
    trained_length,
)
from synthetic.trained.weights import Weights

Key = tuple[str, str]
BLUE, RED, ORANGE, GREEN = "#2c728e", "#c8385a", "#f08a24", "#28ae80"
DECADES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
ERROR = "squared error (lower is better)"


def page(curves: pd.DataFrame, weights: Weights, lessons: dict[Key, Lesson]) -> dict[str, Any]:
    """The whole picture, for a file."""
    length = trained_length(lessons)
    top = [_matrices(weights), _risk(curves, length), _without_chain(curves, lessons)]
    return combined_spec([top, [_panel(curves, dataset, length) for dataset in BINARY]])


def _matrices(weights: Weights) -> Figure:
    """V and W of the looped d = 5 layer beside the paper's, as coloured squares."""
    learned = Layer(**weights[FEW_DIMENSIONS, f"{LINEAR} loop"]).normalised()
    d, eta = learned.d, float(np.mean(learned.step_sizes()))
    cells, words = [], []
    for x0, title, layer in (
        (0, "learned", learned),
        (2 * d + 4, "built by the paper", gradient_layer(d, eta)),
    ):
        for y0, name, matrix in (
            (0, "V, rows of w", layer.value),
            (d + 4, "W, w and flag columns", layer.key_query.T),
        ):
            for (row, column), value in np.ndenumerate(matrix):
                cells.append({"x": x0 + column, "y": y0 + row, "value": value})
            words.append({"x": x0 - 0.5, "y": y0 - 0.6, "text": f"{name}, {title}"})
            for at, label in ((d / 2 - 0.5, "x"), (d, "y"), (1.5 * d + 0.5, "w"), (2 * d + 1, "1")):
                words.append({"x": x0 + at - 0.2, "y": y0 + len(matrix) + 0.6, "text": label})
    base = alt.Chart(pd.DataFrame(cells)).transform_calculate(x2="datum.x + 0.96", y2="datum.y + 0.96")
    nothing, span = (
        alt.Axis(labels=False, ticks=False, domain=False, grid=False),
        alt.Scale(nice=False, zero=False),
    )
    down = alt.Scale(nice=False, zero=False, reverse=True)
    colour = alt.Scale(scheme="redblue", domain=[-1, 1], clamp=True)
    squares = base.mark_rect().encode(
        alt.X("x:Q", axis=nothing, scale=span, title=None),
        alt.Y("y:Q", axis=nothing, scale=down, title=None),
        x2="x2:Q",
        y2="y2:Q",
        color=alt.Color("value:Q", scale=colour, legend=alt.Legend(title="weight", gradientLength=160)),
    )
    text = (
        alt.Chart(pd.DataFrame(words))
        .mark_text(align="left", fontSize=12, color=INK)
        .encode(alt.X("x:Q", axis=nothing, scale=span), alt.Y("y:Q", axis=nothing, scale=down), text="text:N")
    )
    return Figure(
        "trained-weights",
        "V and W: what training found, and what the paper builds",
        (f"d = 5, n = 20, trained in the loop; the paper's with the learned η = {eta:.2f}",),
        (squares, text),
    )


def _risk(curves: pd.DataFrame, length: int) -> Figure:
    rows = curves[curves["dataset"] == FEW_DIMENSIONS]
    names = {
        f"{LINEAR} loop": ("trained in the loop", BLUE),
        BLIND: ("… blind to its own thoughts", GREEN),
        TUNED: ("gradient descent, best fixed step", QUIET),
        f"{LINEAR} one-step": ("trained for one step", RED),
        f"{SOFTMAX} loop": ("softmax transformer", ORANGE),
    }
    return _lines(
        rows[rows["risk"].between(1e-4, 20)],
        names,
        "risk",
        length,
        ("trained-risk", "Risk of the noise-free path, in training and beyond"),
        (f"d = 5, n = 20; grey: the trained length, {length} steps",),
    )


def _without_chain(curves: pd.DataFrame, lessons: dict[Key, Lesson]) -> Figure:
    rows = []
    for (dataset, model), lesson in lessons.items():
        setting = lesson.setting
        if not isinstance(setting, ContinuousSetting) or setting.d != 5 or lesson.softmax:
            continue
        steps = str(lesson.steps)
        here = curves[
            (curves["dataset"] == dataset) & (curves["model"] == model) & (curves["setting"] == steps)
        ]
        if not here.empty:
            name = "one step, trained" if lesson.steps == 1 else "chain of thought, trained"
            rows.append({"n": setting.n, "risk": float(here["risk"].iloc[0]), "line": name})
        if lesson.steps == 1:
            rows.append({"n": setting.n, "risk": one_step_risk(setting), "line": "one step, best possible"})
    frame = pd.DataFrame(rows)
    scale = alt.Scale(
        domain=["one step, best possible", "one step, trained", "chain of thought, trained"],
        range=[QUIET, RED, BLUE],
    )
    base = alt.Chart(frame).encode(
        _log(alt.X, "n", EXAMPLES, "examples, n"),
        _log(alt.Y, "risk", DECADES, ERROR),
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


def _panel(curves: pd.DataFrame, dataset: str, length: int) -> Figure:
    rows = curves[(curves["dataset"] == dataset) & (curves["method"] == "majority")]
    names = {
        EXACT: ("the paper's, exact", INK),
        f"{LINEAR} paths": ("trained on its paths", BLUE),
        f"{LINEAR} answers": ("trained on answers", RED),
        f"{SOFTMAX} paths": ("softmax, paths", GREEN),
        f"{SOFTMAX} answers": ("softmax, answers", ORANGE),
    }
    setting = BINARY[dataset]
    title = f"Figure {dataset[3:]}: n = {setting.n}, d = {setting.d}"
    most = int(rows["N"].max())
    shown = rows[rows["N"].isin([1, most])].assign(
        paths=lambda table: np.where(table["N"] == 1, "one path", f"vote of {most}")
    )
    marks = f"full: one path; dashed: the vote of {most}; grey: the trained length"
    return _lines(shown, names, "accuracy", length, (f"trained-{dataset}", title), (marks,))


def _log(channel: Any, field: str, ticks: Sequence[float], title: str) -> Any:
    """A logarithmic axis with these ticks."""
    axis = alt.Axis(values=list(ticks), format="~g")
    return channel(f"{field}:Q", scale=alt.Scale(type="log", nice=False), axis=axis, title=title)


def _lines(
    rows: pd.DataFrame,
    names: dict[str, tuple[str, str]],
    metric: str,
    length: int,
    called: tuple[str, str],
    subtitle: Sequence[str],
) -> Figure:
    """A value against t, one colour a model, the paper's or the tuned reference as a line without points."""
    rows = rows[rows["model"].isin(names)]
    kept = [name for name in names if name in set(rows["model"])]
    frame = rows.assign(line=rows["model"].map(lambda name: names[name][0]))
    if "paths" not in frame:
        frame = frame.assign(paths="one path")
    frame = frame[["T", metric, "line", "paths"]]
    scale = alt.Scale(domain=[names[name][0] for name in kept], range=[names[name][1] for name in kept])
    steps = [t for t in (1, 2, 4, 8, 16, 32) if t <= frame["T"].max()]
    base = alt.Chart(frame).encode(
        _log(alt.X, "T", steps, "reasoning steps, T"),
        _log(alt.Y, "risk", DECADES, ERROR) if metric == "risk" else value_axis(metric, metric, (0.0, 1.0)),
        alt.Color("line:N", scale=scale, title=None, legend=alt.Legend(columns=2, labelLimit=220)),
        detail="paths:N",
    )
    dash = alt.StrokeDash("paths:N", scale=alt.Scale(range=[[1, 0], [5, 3]]), legend=None, sort="ascending")
    reference = {names[name][0] for name in (EXACT, TUNED) if name in names}
    points = base.transform_filter(
        alt.FieldOneOfPredicate("line", [v for v, _ in names.values() if v not in reference])
    )
    rule = (
        alt.Chart(pd.DataFrame({"T": [float(length)]}))
        .mark_rule(color="#b8bfcc", strokeWidth=6, opacity=0.4)
        .encode(x="T:Q")
    )
    return Figure(
        *called,
        tuple(subtitle),
        (
            rule,
            base.mark_line(strokeWidth=2).encode(strokeDash=dash),
            points.mark_point(filled=True, size=45, opacity=1),
        ),
    )

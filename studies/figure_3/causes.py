"""The figure of studies/figure_3 that shows three causes of Algorithm 3's failures.

    python -m studies.figure_3.run            (which calls this)

causes.png, from the left: the error of its forecasts against the larger condition number of their two
systems; the gap that it infers from votes, and the exact one; Acc(T, 64) against the squared gap, with the
conjectured curve.
"""

from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from results import fit_saturating
from results.figures.axes import legend
from results.figures.theme import INK, Figure, combined_spec
from synthetic.panels.experiments import VOTES
from synthetic.theory.claims.low_cost import STEPS, exact_curves

HERE = Path(__file__).resolve().parent

COLOURS = {"fig2f": "#b93289", "fig2h step=1": "#f48849", "fig2h step=1/5": "#21918c"}
N = 64


def draw(off: pd.DataFrame) -> None:
    """Draw the figure. off: each forecast's error in points (`off`) and its `condition` number."""
    figures = [conditioning(off), gap(), squared()]
    (HERE / "causes.png").write_bytes(vl_convert.vegalite_to_png(combined_spec([figures]), scale=1.2))


def conditioning(off: pd.DataFrame) -> Figure:
    """Error against condition number, one point per forecast."""
    rows = off.assign(off=off["off"].clip(0.1, 1000), condition=off["condition"].clip(upper=1e6))
    scale, axis = alt.Scale(type="log"), alt.Axis(grid=False, tickCount=5)
    x = alt.X("condition:Q", scale=scale, axis=axis, title="condition number")
    y = alt.Y("off:Q", scale=scale, axis=axis, title="forecast off by, points")
    layers = (
        alt.Chart(pd.DataFrame({"off": [3.5]})).mark_rule(color=INK, strokeDash=[5, 4]).encode(y),
        alt.Chart(rows).mark_circle(size=16, opacity=0.35, color="#3b528b").encode(x, y),
    )
    words = "Algorithm 3, asked for longer; twin and small model. Dashed: 3.5 points. Edges: beyond."
    return Figure("conditioning", "Two systems of two equations", (words,), layers)


def gap() -> Figure:
    """The mean gap against t, and the gap inferred from votes by Δ²/2."""
    rows = []
    for line, (_, exact, votes) in exact_curves(0, "fig2f", "fig2h").items():
        accuracy = votes.mean(axis=0)
        read = [np.sqrt(2 * fit_saturating(VOTES, curve).rate) for curve in accuracy]
        rows.append(pd.DataFrame({"line": line, "t": STEPS, "gap": exact.mean(axis=0), "read": read}))
    table = pd.concat(rows)
    x = alt.X("t:Q", title="reasoning steps, T")
    base = alt.Chart(table).encode(x, _colour())
    layers = (
        base.mark_line().encode(alt.Y("gap:Q", title="gap Δ")),
        base.mark_point(filled=True, size=30).encode(alt.Y("read:Q", title="gap Δ")),
    )
    words = "Line: the mean gap, exact. Points: √(2ν) of the vote's rise over N, which Part 1 takes for it."
    return Figure("gap", "The gap is not what votes show", (words,), layers)


def squared() -> Figure:
    """The vote against the squared gap, and the curve of Conjecture 2."""
    rows = []
    for line, (_, exact, votes) in exact_curves(0, "fig2f", "fig2h").items():
        x, y = exact.mean(axis=0) ** 2, votes[..., VOTES.index(N)].mean(axis=0)
        rows.append(pd.DataFrame({"line": line, "x": x, "accuracy": y, "fitted": fit_saturating(x, y)(x)}))
    table = pd.concat(rows)
    axis = alt.Axis(format=".0%")
    base = alt.Chart(table).encode(alt.X("x:Q", title="Δ²"), _colour())
    layers = (
        base.mark_line(strokeDash=[5, 4]).encode(alt.Y("fitted:Q", axis=axis, title="accuracy")),
        base.mark_point(filled=True, size=30).encode(alt.Y("accuracy:Q", axis=axis, title="accuracy")),
    )
    words = f"Points: the vote of {N}, exact, a point a length. Dashed: α − β e^(−μΔ²), fitted."
    return Figure("squared", "Questions that differ", (words,), layers)


def _colour() -> alt.Color:
    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    return alt.Color("line:N", scale=scale, legend=legend(None, list(COLOURS)))

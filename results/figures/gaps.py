"""The figure of each question's gap Δ against answer length (the paper's Δ_T, Theorem 1).

thin lines   a question: the chance of its right answer minus that of its strongest wrong one
heavy line   their mean, with its 90 % interval; dashed: the paper's γ − κe^(−μT) fitted to the means

Below 0, a wrong answer leads, so that a vote over very many answers is wrong.
"""

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import colour, log_axis, tooltips
from results.figures.series import Series
from results.figures.theme import Figure
from results.saturating import fit_saturating
from results.summary.gaps import Gaps
from results.tables.status import Status
from results.words.names import LENGTH_TITLES, curves_name, some_of

MOST_LINES = 300
"""More lines would hide each other: then every second, third, … question by last gap is shown."""

LAST = {True: "a wrong answer leads in the end", False: "the right answer leads in the end"}


def gaps_figure(gaps: Gaps, name: str) -> Figure:
    """The gaps of one model's questions; `name`: of the figure, unique on the page."""
    means = gaps.means
    last = gaps.questions[gaps.questions["setting"] == means["setting"].iloc[-1]].set_index("question")
    by_gap = last.sort_values("gap", kind="stable").index
    drawn = by_gap[:: -(-len(by_gap) // MOST_LINES)]
    lines = gaps.questions[gaps.questions["question"].isin(drawn)]
    lines = lines.assign(leads=(lines["question"].map(last["behind"]) > 0.5).map(LAST))
    curve = fit_saturating(means["length"], means["gap"])
    grid = np.geomspace(means["length"].min(), means["length"].max(), 80)
    law = pd.DataFrame({"length": grid, "gap": curve(grid)})

    x = log_axis("length", means["length"], LENGTH_TITLES[gaps.key.source])
    y = alt.Y("gap:Q", title="gap Δ", axis=alt.Axis(format=".1f", tickCount=6))
    stroke = alt.Legend(title=None, columns=1, symbolType="stroke", symbolStrokeWidth=3)
    series = Series(name, "leads", x, y, colour("leads:N", list(LAST.values()), None).legend(stroke))
    series.add(pd.DataFrame({"gap": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    shown = [*tooltips(["question", "setting", "length"]), alt.Tooltip("gap:Q", format="+.2f")]
    series.add(lines, "line", "thread", (0.45, 0.03), detail="question:N", tooltip=shown)
    series.add(means, "line", "mean", None)
    series.add(means, "rule", "mean", None, y=alt.Y("low:Q"), y2="high:Q")
    marks = [
        "Δ: the chance of the right answer less that of the strongest wrong one; thin: a question, as its "
        "answers and those to the others suggest",
        *some_of(len(drawn), len(by_gap), "questions"),
        "heavy: the mean, with 90 % intervals",
    ]
    if curve.status is not Status.NOT_IDENTIFIABLE:
        series.add(law, "line", "law", None)
        poor = "" if curve.status is Status.OK else f", not to be trusted ({curve.reason})"
        marks.append(f"dashed: the paper’s γ − κe^(−μT) through the means{poor}")
    about = "How far the right answer leads, against reasoning length."
    return series.figure(curves_name(gaps.key), about, f"{'; '.join(marks)}.")

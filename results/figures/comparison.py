"""Figures that compare runs: their difference, and how often each question is answered right.

method     N   difference  low    high       line and band: difference and its interval, in points
majority   16  0.071       0.020  0.122      band above 0: b is clearly better

large  ▁▃▅▇█████     a thin column per question, the hardest on the left, coloured by share of right answers
small  ▁▁▂▃▅▇███     a tooltip names the question; on the page, a click shows its answers
"""

from collections.abc import Mapping
from urllib.parse import quote

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import colour, n_axis, tooltips
from results.figures.series import Series
from results.figures.theme import Figure
from results.summary.samples import ShareGrid
from results.tables.key import Key, on_dataset
from results.words.cells import level_of, readable
from results.words.names import METHOD_NAMES, run_names, some_of

MOST_CELLS = 20_000
"""More would make the page slow: then only every second, third, … question by difficulty is shown."""

_ENDS = "length(datum.label) < 26 ? datum.label : slice(datum.label, 0, 8) + '…' + slice(datum.label, -16)"
"""Shortens the middle of a run's long name, as its end gives the setting."""


def comparison_figure(rows: pd.DataFrame, name: str, title: str) -> Figure:
    """Differences of one pair of runs (rows of a comparison table) at equal N, a colour per method."""
    level = level_of(rows)
    titles = {
        "difference": "difference, points",
        "low": f"{level} interval from",
        "high": f"{level} interval to",
    }
    rows = rows.assign(method=rows["method"].map(METHOD_NAMES), **{end: 100 * rows[end] for end in titles})
    y = alt.Y("difference:Q", title="difference, points", axis=alt.Axis(tickCount=6))
    methods = list(rows["method"].unique())
    x = n_axis(sorted(rows["N"].unique()))
    series = Series(name, "method", x, y, colour("method:N", methods, None))
    series.add(pd.DataFrame({"difference": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    drawn = series.intervals(rows, methods)
    series.add(rows, "line", "curve")
    ends = [alt.Tooltip(f"{end}:Q", title=words, format="+.1f") for end, words in titles.items()]
    pointed = [*tooltips(["method", "N"]), *ends, *tooltips(["questions"])]
    series.add(rows, "circle", "point", clip=False, tooltip=pointed)
    return series.figure(
        title,
        "Difference in accuracy at equal N, paired by question.",
        f"Above 0, {rows['b'].iloc[0]} is better."
        + (f" {drawn.title()}s: {level} intervals that hold jointly." if drawn else ""),
    )


def grid_figure(grid: ShareGrid, name: str, places: Mapping[Key, int]) -> Figure:
    """The grid of a data set; `places`: indices of its models in the page's list of answers."""
    runs, total = grid.runs, len(grid.shares)
    stride = -(-total * len(runs) // MOST_CELLS)
    shares = grid.shares.iloc[::stride]
    shown = len(shares)
    columns = [str(number) for number in range(len(runs))]
    table = pd.DataFrame(shares.to_numpy(), columns=columns).assign(
        question=[readable(str(question)) for question in shares.index],
        link=[quote(readable(str(question)), safe="") for question in shares.index],
        place=np.arange(shown),
        end=(np.arange(shown) + 1 + shown / 1000).clip(max=shown),  # no gaps between thin columns
    )
    names = run_names(runs)
    rows_of_runs = [
        {"run": column, "name": run_name, "model": places[run.whose]}
        for column, run_name, run in zip(columns, names, runs, strict=True)
    ]
    by_run = alt.LookupData(data=alt.InlineData(values=rows_of_runs), key="run", fields=["name", "model"])
    cells = (
        alt.Chart(table, mark=alt.MarkDef("rect", stroke=None))
        .transform_fold([*columns], as_=["run", "share"])
        .transform_filter("isValid(datum.share)")
        .transform_lookup("run", from_=by_run)
        .transform_calculate(url='"#question=" + datum.model + ":" + datum.link')
    )
    axis = alt.Axis(labelExpr=_ENDS, labelLimit=180, labelOverlap="greedy")
    legend = alt.Legend(title="right", format=".0%", gradientLength=160)
    layer = cells.encode(
        x=alt.X("place:Q", scale=alt.Scale(domain=[0, shown], nice=False), axis=None),
        x2="end:Q",
        y=alt.Y("name:N", sort=names, axis=axis, title=None),
        color=alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=legend),
        href="url:N",
        tooltip=[
            alt.Tooltip("question:N"),
            alt.Tooltip("name:N", title="run"),
            alt.Tooltip("share:Q", title="right", format=".1%"),
        ],
    )
    marks = ["A column is a question, the hardest left", *some_of(shown, total, "questions, evenly")]
    return Figure(
        name,
        f"{len(runs)} runs{on_dataset(grid.dataset)}",
        ("The share of right answers to each question.", "; ".join(marks) + "."),
        (layer,),
        height=60 + 20 * len(runs),
    )

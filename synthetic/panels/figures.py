"""Pictures of the experiments, laid out like the paper's: value against N, value against t.

    python -m synthetic figures results/runs/twin/*.csv --out docs/images
        ->  docs/images/fig2f.svg, …, and figure1 and figure2, all panels in one, as .png, .svg and .pdf

One picture a `dataset` of the curves tables, drawn as in the report: accuracies with a line for each t (left)
and each N (right), risks with a line for each setting, at the largest t (left) and the largest N (right).
"""

from pathlib import Path

import altair as alt
import pandas as pd

from results import BadInput
from results.figures.panels import Panel, make_panels
from results.figures.paper import FIGURE_2, figure_2, pictures
from results.figures.theme import combined_spec, rendered

WIDTH, HEIGHT = 270, 190
WHOLE = {"figure1": (2, ("fig1-continuous", "fig1-binary")), "figure2": (3, tuple(FIGURE_2))}
"""The paper's figures: how many panels a row, and their experiments."""


def save_figures(curves: pd.DataFrame, folder: Path) -> list[Path]:
    """Write one SVG for each dataset of a curves table of synthetic rows, and the figures that are complete.

    Raises BadInput without any synthetic row.
    """
    rows = curves[(curves["source"] == "synthetic") & (curves["permutation"] == "exact")]
    if rows.empty:
        raise BadInput(
            "figures: no synthetic rows in these tables, expected those of `python -m synthetic run`"
        )
    panels: dict[str, list[Panel]] = {}
    for panel in make_panels(rows):
        panels.setdefault(panel.dataset, []).append(panel)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, own in panels.items():
        written.append(folder / f"{name}.svg")
        written[-1].write_bytes(rendered(combined_spec([list(pair) for pair in pictures(own)]))[".svg"])
    for name, (columns, datasets) in WHOLE.items():
        if panels.keys() >= set(datasets):
            own = [panel for dataset in datasets for panel in panels[dataset]]
            figures = [one for _, one in figure_2(own)] or [one for pair in pictures(own) for one in pair]
            table = [figures[i : i + columns] for i in range(0, len(figures), columns)]
            for suffix, content in rendered(combined_spec(table)).items():
                written.append(folder / f"{name}{suffix}")
                written[-1].write_bytes(content)
    return written


def bounds_figure(table: pd.DataFrame) -> alt.ConcatChart:
    """The panels of `bounds.bounds_table`: exact curves in full, bounds dashed."""
    panels = [_bounds_panel(rows, str(title)) for title, rows in table.groupby("panel", sort=False)]
    chart: alt.ConcatChart = alt.concat(*panels, columns=3).resolve_scale(
        color="independent", strokeDash="independent"
    )
    return chart


def _bounds_panel(rows: pd.DataFrame, title: str) -> alt.Chart:
    x_name = rows["x_name"].iloc[0]
    risk = title.endswith("excess risk")
    scale = alt.Scale(type="log", nice=False) if risk else alt.Scale(domain=[0, 1])
    lines = list(rows["line"].unique())
    dashes = [
        [1, 0] if kind == "exact" else [5, 3] for kind in rows.groupby("line", sort=False)["kind"].first()
    ]
    legend = alt.Legend(orient="bottom", columns=1, labelLimit=260)
    chart: alt.Chart = (
        alt.Chart(rows)
        .mark_line()
        .encode(
            alt.X("x:Q", scale=alt.Scale(type="log", nice=False), title=x_name, axis=alt.Axis(grid=False)),
            alt.Y("value:Q", scale=scale, title=None),
            alt.Color("line:N", scale=alt.Scale(scheme="tableau10", domain=lines), title=None, legend=legend),
            alt.StrokeDash("line:N", scale=alt.Scale(domain=lines, range=dashes), title=None, legend=legend),
        )
        .properties(width=WIDTH, height=HEIGHT, title=title)
    )
    return chart

"""Pictures of the experiments, laid out like the paper's: value against N, value against t.

    python -m synthetic figures results/runs/twin/*.csv --out docs/images
        ->  docs/images/fig2f.png, …, and figure1 and figure2, all panels in one, as .png, .svg and .pdf

One picture a `dataset` of the curves tables. Accuracy panels have a line for each t (left) and each N
(right); risk panels a line for each setting, read at the largest t (left) and the largest N (right). Bands
are one standard error over tasks.
"""

from collections.abc import Sequence
from pathlib import Path

import altair as alt
import pandas as pd

from results import BadInput
from synthetic.panels.experiments import EXPERIMENTS

WIDTH, HEIGHT = 270, 190
MOST_LINES = 6
_TITLES = {"risk": "risk ‖w − w*‖²", "accuracy": "accuracy"}
_NAMES = {"majority": "majority vote", "best_of_n": "best of N", "ensemble": "ensemble"}
_DASHES = {
    "majority vote": [1, 0],
    "ensemble": [1, 0],
    "best of N": [2, 3],
    "greedy decoding": [7, 4],
    "gradient descent": [7, 4],
}
_BY_N, _BY_T = 0, 1
WHOLE: dict[str, tuple[int, dict[str, tuple[int, ...]]]] = {
    "figure1": (2, dict.fromkeys(("fig1-continuous", "fig1-binary"), (_BY_N, _BY_T))),
    "figure2": (3, {f"fig2{letter}": (_BY_T if letter in "ef" else _BY_N,) for letter in "abcdefgh"}),
}
"""The paper's figures: how many panels a row, and which side of which experiments' pictures they show."""


def save_figures(curves: pd.DataFrame, folder: Path) -> list[Path]:
    """Write one PNG for each dataset of a curves table of synthetic rows, and the figures that are complete.

    Raises BadInput without any synthetic row.
    """
    rows = curves[(curves["source"] == "synthetic") & (curves["permutation"] == "exact")]
    if rows.empty:
        raise BadInput(
            "figures: no synthetic rows in these tables, expected those of `python -m synthetic run`"
        )
    tables = {str(name): table for name, table in rows.groupby("dataset", sort=False)}
    charts: dict[Path, alt.TopLevelMixin] = {
        folder / f"{name}.png": figure(table) for name, table in tables.items()
    }
    for name, (columns, sides) in WHOLE.items():
        if sides.keys() <= tables.keys():
            whole = _together([_sides(tables[panel], at) for panel, at in sides.items()], columns)
            charts |= {folder / f"{name}{suffix}": whole for suffix in (".png", ".svg", ".pdf")}
    folder.mkdir(parents=True, exist_ok=True)
    for path, chart in charts.items():
        chart.save(str(path))
    return list(charts)


def figure(table: pd.DataFrame) -> alt.ConcatChart:
    """The picture of one dataset's rows."""
    return _together([_sides(table, (_BY_N, _BY_T))], columns=2)


def _together(panels: Sequence[Sequence[alt.LayerChart]], columns: int) -> alt.ConcatChart:
    every = [one for several in panels for one in several]
    chart: alt.ConcatChart = (
        alt.concat(*every, columns=columns)
        .resolve_scale(color="independent", strokeDash="independent")
        .configure_legend(symbolOpacity=1, symbolType="stroke", symbolStrokeWidth=2)
    )
    return chart


def _sides(table: pd.DataFrame, sides: Sequence[int]) -> list[alt.LayerChart]:
    """The panels of one dataset: those against N, those against t, or both; a pair for each binary line."""
    binary = "accuracy" in table and bool(table["accuracy"].notna().all())
    names = {**_NAMES, "greedy": "greedy decoding" if binary else "gradient descent"}
    table = table.assign(how=table["method"].map(names), t=pd.to_numeric(table["setting"]))
    table["line"] = table["model"].str.removeprefix("linear-attention").str.strip()
    lines = [rows for _, rows in table.groupby("line", sort=False)] if binary else [table]
    return [_panel(rows, side, binary) for rows in lines for side in sides]


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


def _panel(table: pd.DataFrame, side: int, binary: bool) -> alt.LayerChart:
    """One panel, against N or t; the decode without noise is the dashed baseline."""
    baseline, sampled = table[table["method"] == "greedy"], table[table["method"] != "greedy"]
    x, other = ("N", "t") if side == _BY_N else ("t", "N")
    most = sampled[other].max()
    shown = sampled[other] == most
    if binary:  # a line for each value of the other axis; of best of N only the last
        shown |= sampled[other].isin(_spread(sampled[other])) & (sampled["method"] == "majority")
    if side == _BY_N:
        last = baseline[baseline["t"] == baseline["t"].max()]
        baseline = pd.concat([last.assign(N=n) for n in (1, sampled["N"].max())])
    line = str(table["line"].iloc[0]) if binary else f"{other} = {most}"
    title = _title(str(table["dataset"].iloc[0]), line)
    return _lines(sampled[shown], baseline, x, other if binary else "line", title)


def _title(dataset: str, line: str) -> alt.TitleParams:
    """The panel's name and the line shown, with the paper's claim below."""
    known = EXPERIMENTS.get(dataset)
    head, _, claim = (known.title if known else dataset).partition(": ")
    return alt.TitleParams(", ".join(filter(None, (head, line))), subtitle=claim, anchor="start")


def _lines(
    rows: pd.DataFrame, baseline: pd.DataFrame, x: str, colour: str, title: alt.TitleParams
) -> alt.LayerChart:
    """Lines of `rows` against `x`, one for each value of the column `colour`, and the baseline's."""
    value = "risk" if colour == "line" else "accuracy"
    both = pd.concat([rows.assign(baseline=False), baseline.assign(baseline=True)])
    error = both["stderr"].fillna(0.0)
    both = both.assign(low=both[value] - error, high=both[value] + error)
    both = both[[x, colour, "how", "baseline", value, "low", "high"]]
    ticks = sorted(rows[x].unique())
    horizontal = alt.X(
        f"{x}:Q",
        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False),
        axis=alt.Axis(values=ticks, labelOverlap=True, grid=False),
        title={"N": "N, answers", "t": "t, tokens of reasoning"}[x],
    )
    known = [name for name in _DASHES if (both["how"] == name).any()]
    dash = alt.StrokeDash(
        "how:N", scale=alt.Scale(domain=known, range=[_DASHES[name] for name in known]), title=None
    )
    if value == "risk":
        y_scale = alt.Scale(type="log", zero=False, nice=False)
        shade = alt.Color("line:N", scale=alt.Scale(scheme="tableau10"), title="setting")
    else:
        y_scale = alt.Scale(domain=[0, 1], clamp=True)
        shade = alt.Color(f"{colour}:O", scale=alt.Scale(scheme="viridis"), title=colour)
    layers = []
    for is_baseline in (True, False):
        black = (
            is_baseline and value == "accuracy"
        )  # greedy decoding has no N, gradient descent has a setting
        base = alt.Chart(both[both["baseline"] == is_baseline]).encode(
            horizontal,
            color=alt.value("black") if black else shade,
            detail=alt.Detail(["how:N", f"{colour}:N"]),
        )
        y = [alt.Y(f"{name}:Q", scale=y_scale, title=_TITLES[value]) for name in ("low", value)]
        layers.append(base.mark_area(opacity=0.12).encode(y=y[0], y2="high:Q"))
        layers.append(base.mark_line(strokeWidth=1.2 if is_baseline else 2).encode(y=y[1], strokeDash=dash))
    return alt.LayerChart(layer=layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _spread(values: "pd.Series[float]") -> list[float]:
    """At most MOST_LINES of the values, the first and the last among them."""
    unique = sorted(values.unique())
    if len(unique) <= MOST_LINES:
        return unique
    return [unique[round(i * (len(unique) - 1) / (MOST_LINES - 1))] for i in range(MOST_LINES)]

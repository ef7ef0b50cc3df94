"""Pictures of the experiments, laid out like the paper's panels: value against N, and value against t.

    python -m synthetic figures results/runs/twin/*.csv --out docs/images   ->  docs/images/fig2f.png

One picture a `dataset` of the curves tables. Accuracy panels have a line for each t (left) and each N
(right); risk panels a line for each setting, read at the largest t (left) and the largest N (right).
"""

from pathlib import Path

import altair as alt
import pandas as pd

from results import BadInput

WIDTH, HEIGHT = 270, 190
MOST_LINES = 6
_NAMES = {"majority": "majority vote", "best_of_n": "best of N", "ensemble": "ensemble"}
_DASHES = {
    "majority vote": [1, 0],
    "ensemble": [1, 0],
    "best of N": [2, 3],
    "greedy decoding": [7, 4],
    "gradient descent": [7, 4],
}


def save_figures(curves: pd.DataFrame, folder: Path) -> list[Path]:
    """Write one PNG for each dataset of a curves table of synthetic rows. Raises BadInput without any."""
    rows = curves[(curves["source"] == "synthetic") & (curves["permutation"] == "exact")]
    if rows.empty:
        raise BadInput(
            "figures: no synthetic rows in these tables, expected those of `python -m synthetic run`"
        )
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in rows.groupby("dataset", sort=False):
        path = folder / f"{name}.png"
        figure(table).save(str(path), format="png")
        written.append(path)
    return written


def figure(table: pd.DataFrame) -> alt.VConcatChart:
    """The picture of one dataset's rows."""
    binary = "accuracy" in table and table["accuracy"].notna().all()
    names = {**_NAMES, "greedy": "greedy decoding" if binary else "gradient descent"}
    table = table.assign(how=table["method"].map(names), t=pd.to_numeric(table["setting"]))
    table["line"] = table["model"].str.removeprefix("linear-attention").str.strip()
    if binary:
        lines = [_accuracy_row(rows, str(line)) for line, rows in table.groupby("line", sort=False)]
    else:
        lines = [_risk_row(table)]
    chart: alt.VConcatChart = alt.vconcat(*lines).resolve_scale(color="independent")
    return chart


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


def _accuracy_row(table: pd.DataFrame, title: str) -> alt.HConcatChart:
    sampled = table[table["method"] != "greedy"]
    steps, votes = _spread(sampled["t"]), _spread(sampled["N"])
    longest, largest = max(steps), max(votes)
    vote = sampled["method"] == "majority"
    by_votes = sampled[(vote & sampled["t"].isin(steps)) | (sampled["t"] == longest)]
    by_steps = sampled[(vote & sampled["N"].isin(votes)) | (sampled["N"] == largest)]
    greedy = table[table["method"] == "greedy"]
    flat = greedy[greedy["t"] == longest]
    flat = pd.concat([flat.assign(N=n) for n in (1, largest)])
    left = _panel(by_votes, flat, "N", "N, answers voted over", "t:O", "accuracy", title)
    right = _panel(by_steps, greedy, "t", "t, tokens of reasoning", "N:O", "accuracy", "")
    row: alt.HConcatChart = alt.hconcat(left, right).resolve_scale(color="independent")
    return row


def _risk_row(table: pd.DataFrame) -> alt.HConcatChart:
    longest, largest = table["t"].max(), table["N"].max()
    greedy = table[table["method"] == "greedy"]
    sampled = table[table["method"] != "greedy"]
    flat = greedy[greedy["t"] == longest]
    flat = pd.concat([flat.assign(N=n) for n in (1, largest)])
    by_votes, by_steps = sampled[sampled["t"] == longest], sampled[sampled["N"] == largest]
    left = _panel(by_votes, flat, "N", "N, paths", "line:N", "risk", f"t = {longest}")
    right = _panel(by_steps, greedy, "t", "t, tokens of reasoning", "line:N", "risk", f"N = {largest}")
    return alt.hconcat(left, right)


def _panel(
    rows: pd.DataFrame, baseline: pd.DataFrame, x: str, x_title: str, colour: str, y: str, title: str
) -> alt.LayerChart:
    field = colour.split(":")[0]
    scheme = alt.Scale(scheme="viridis") if colour.endswith("O") else alt.Scale(scheme="tableau10")
    ticks = sorted(rows[x].unique())
    horizontal = alt.X(
        f"{x}:Q",
        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False),
        axis=alt.Axis(title=x_title, values=ticks, labelOverlap=True, grid=False),
    )
    scale = alt.Scale(domain=[0, 1]) if y == "accuracy" else alt.Scale(type="log", zero=False, nice=False)
    vertical = alt.Y(f"{y}:Q", scale=scale, title=y if y == "accuracy" else "risk ‖w − w*‖²")
    known = [name for name in _DASHES if name in {*rows["how"], *baseline["how"]}]
    dash = alt.StrokeDash(
        "how:N", scale=alt.Scale(domain=known, range=[_DASHES[name] for name in known]), title=None
    )
    lines = (
        alt.Chart(rows)
        .mark_line()
        .encode(x=horizontal, y=vertical, color=alt.Color(colour, scale=scheme, title=field), strokeDash=dash)
    )
    below = alt.Chart(baseline).mark_line(strokeWidth=1.2).encode(x=horizontal, y=vertical, strokeDash=dash)
    if field == "line":
        below = below.encode(color=alt.Color(colour, scale=scheme, title="setting"))
        lines = lines.encode(color=alt.Color(colour, scale=scheme, title="setting"))
    else:
        below = below.encode(color=alt.value("black"))
    return alt.LayerChart(layer=[lines, below]).properties(width=WIDTH, height=HEIGHT, title=title)


def _spread(values: "pd.Series[float]") -> list[float]:
    """At most MOST_LINES of the values, the first and the last among them."""
    unique = sorted(values.unique())
    if len(unique) <= MOST_LINES:
        return unique
    return [unique[round(i * (len(unique) - 1) / (MOST_LINES - 1))] for i in range(MOST_LINES)]

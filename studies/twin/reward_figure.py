"""Accuracy or risk against N for each reward, beside the vote or average and the oracle: one figure a line.

$ python -m studies.twin.reward_figure runs/judges/judges.csv --out studies/twin

reward_figures(curves)  ->  (Figure("twin-rewards-0", "n=4 d=48", …), …)
"""

from pathlib import Path

import altair as alt
import click
import pandas as pd

from results import read_curves
from results.figures.axes import n_axis, value_axis
from results.figures.theme import Figure
from results.pictures import Picture, save_figures

COLOURS = {
    "vote": "#2c728e",
    "average": "#2c728e",
    "oracle": "#f08a24",
    "context": "#3aa76d",
    "noisy": "#8a5fbf",
    "verdict": "#c94f7c",
    "biased": "#8c6d46",
}
_OTHERS = {"majority": "vote", "ensemble": "average", "best_of_n": "oracle"}


def reward_figures(curves: pd.DataFrame) -> list[Figure]:
    """One for each line of a curves table that has rows of best-of-N by rewards; the longest t."""
    rows = curves[curves["T"] == curves["T"].max()]
    metric = "risk" if "risk" in rows and rows["risk"].notna().any() else "accuracy"
    whole = rows["model"].str.extract(r"^(?P<line>.*?)(?:, (?P<reward>\S+) reward)?$")
    chosen_by = whole["reward"].fillna(rows["method"].map(_OTHERS))
    table = rows[["N"]].assign(value=rows[metric], line=whole["line"], chosen_by=chosen_by).dropna()
    lines = table.groupby("line", sort=False)
    return [_figure(part, str(line), metric, at) for at, (line, part) in enumerate(lines)]


def _figure(table: pd.DataFrame, line: str, metric: str, at: int) -> Figure:
    names = [name for name in COLOURS if name in set(table["chosen_by"])]
    names += sorted(set(table["chosen_by"]) - set(names))  # rewards of one's own take the scheme's grey
    scale = alt.Scale(domain=names, range=[COLOURS.get(name, "#6b7280") for name in names])
    top = float(table["value"].max())
    chart = alt.Chart(table).encode(
        n_axis(sorted(table["N"].unique())),
        value_axis("value", metric, (0.0, max(1.0, top) if metric == "accuracy" else 1.05 * top)),
        alt.Color("chosen_by:N", scale=scale, sort=names, title="chosen by"),
    )
    told = ("exact, over the tasks; each line is one way to choose among N answers",)
    title = line.removeprefix("linear-attention ")
    return Figure(f"twin-rewards-{at}", title, told, (chart.mark_line(strokeWidth=2),))


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A folder.")
def main(table: Path, out: Path) -> None:
    """Draw a curves table that has best-of-N by rewards, as OUT/NAME.svg."""
    save_figures("Rewards", [reward_figures(read_curves(table))], Picture(out / f"{table.stem}.svg"))


if __name__ == "__main__":
    main()

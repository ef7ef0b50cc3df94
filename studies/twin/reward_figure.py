"""Accuracy or risk against N for each reward, the vote or average, and the oracle: one figure per line.

$ python -m studies.twin.reward_figure runs/judges/judges.csv --out studies/twin

reward_figures(curves)  ->  (Figure("twin-rewards-0", "n=4 d=48", …), …)
"""

from pathlib import Path

import click
import pandas as pd

from results import read_curves
from results.cli.options import out_option
from results.figures.axes import colour, label_room, n_axis, value_axis
from results.figures.series import Series
from results.figures.theme import Figure
from results.pictures import Picture, save_figures

WAYS = ("vote", "average", "oracle", "context", "noisy", "verdict", "biased")
"""In the order of their colours; user-defined rewards come after them."""
_OTHERS = {"majority": "vote", "ensemble": "average", "best_of_n": "oracle"}


def reward_figures(curves: pd.DataFrame) -> list[Figure]:
    """A figure for each line of a curves table with best-of-N by rewards, at the longest t."""
    rows = curves[curves["T"] == curves["T"].max()]
    metric = "risk" if "risk" in rows and rows["risk"].notna().any() else "accuracy"
    whole = rows["model"].str.extract(r"^(?P<line>.*?)(?:, (?P<reward>\S+) reward)?$")
    chosen_by = whole["reward"].fillna(rows["method"].map(_OTHERS))
    table = (
        rows[["dataset", "T", "N"]]
        .assign(value=rows[metric], line=whole["line"], chosen_by=chosen_by)
        .dropna()
    )
    lines = table.groupby("line", sort=False)
    return [_figure(part, str(line), metric, at) for at, (line, part) in enumerate(lines)]


def _figure(table: pd.DataFrame, line: str, metric: str, at: int) -> Figure:
    dataset, t = table[["dataset", "T"]].iloc[0]
    names = [name for name in WAYS if name in set(table["chosen_by"])]
    names += sorted(set(table["chosen_by"]) - set(names))
    room, top = label_room(names), float(table["value"].max())
    y_range = (0.0, max(1.0, top) if metric == "accuracy" else 1.05 * top)
    x, y = n_axis(sorted(table["N"].unique()), room=room), value_axis("value", metric, y_range)
    colours = colour("chosen_by:N", names, "chosen by", labelled=room > 0)
    series = Series(f"twin-rewards-{at}", "chosen_by", x, y, colours)
    series.add(table, "line", "curve")
    if room:
        series.labels(table, "N", y_range)
    title = f"{dataset}, {line.removeprefix('linear-attention ')}, t = {t:g}"
    return series.figure(title, "Exact, over the tasks; each line is one way to choose among N answers.")


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@out_option("Folder to write to.", folder=True)
def main(table: Path, out: Path) -> None:
    """Draw a curves table that has best-of-N by rewards, as OUT/NAME.svg."""
    save_figures("Rewards", [reward_figures(read_curves(table))], Picture(out / f"{table.stem}.svg"))


if __name__ == "__main__":
    main()

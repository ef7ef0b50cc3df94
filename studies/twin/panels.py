"""Figures of the experiments: value against N, and value against t.

$ python -m studies.twin.panels runs/twin/*.csv --out studies/twin

    studies/twin/fig2f.svg, …, and figure1 and figure2, all panels in one, as .png, .svg and .pdf

One figure per `dataset` of the curves tables, as in the report: accuracies with a line for each t (left)
and each N (right), risks with a line for each setting, at the largest t (left) and the largest N (right).
"""

from pathlib import Path

import click
import pandas as pd

from results import BadInput, read_curves
from results.cli.options import out_option
from results.figures.theme import Figure, combined_spec, rendered
from results.summary.panels import Panel, make_panels
from studies.twin.figure_2 import FIGURE_2, figure_2, pictures

WHOLE = {"figure1": (2, ("fig1-continuous", "fig1-binary")), "figure2": (3, tuple(FIGURE_2))}
"""The paper's figures: the number of panels per row, which is our choice, and their experiments."""


def save_figures(curves: pd.DataFrame, folder: Path) -> list[Path]:
    """Write one SVG for each dataset of a curves table of synthetic rows, and the figures that are complete.

    Raises BadInput without any synthetic row.
    """
    rows = curves[(curves["source"] == "synthetic") & (curves["permutation"] == "exact")]
    if rows.empty:
        raise BadInput("figures: no synthetic rows in these tables, expected those of `tts twin run`")
    panels: dict[str, list[Panel]] = {}
    for panel in make_panels(rows):
        panels.setdefault(panel.key.dataset, []).append(panel)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, own in panels.items():
        written.append(folder / f"{name}.svg")
        written[-1].write_bytes(_svg([list(pair) for pair in pictures(own)]))
    for name, (columns, datasets) in WHOLE.items():
        if panels.keys() >= set(datasets):
            own = [panel for dataset in datasets for panel in panels[dataset]]
            figures = [one for _, one in figure_2(own)] or [one for pair in pictures(own) for one in pair]
            table = [figures[i : i + columns] for i in range(0, len(figures), columns)]
            for suffix, content in rendered(combined_spec(table)).items():
                written.append(folder / f"{name}{suffix}")
                written[-1].write_bytes(content)
    return written


def _svg(rows: list[list[Figure]]) -> bytes:
    return rendered(combined_spec(rows), [".svg"])[".svg"]


@click.command()
@click.argument("curves", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_option("Folder to write to.", folder=True)
def main(curves: tuple[Path, ...], out: Path) -> None:
    """Draw the CURVES as the paper's panels, OUT/NAME.svg."""
    for path in save_figures(read_curves(*curves), out):
        click.echo(f"{path} ({path.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main()

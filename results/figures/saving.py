"""Figures into a file that a command writes: a picture, or a page that opens offline.

save_figures("Plan", [[plan_figure(plan)], …], Path("plan.png"))      rows of figures, one below the other
"""

from collections.abc import Sequence
from pathlib import Path

from results.commandline import BadInput
from results.figures.offline import figures_page
from results.figures.theme import Figure, combined_spec, rendered
from results.tables.files import replacing

FIGURE_SUFFIXES = (".png", ".svg", ".html")


def check_picture(path: Path) -> None:
    """Raise BadInput where a file's name says no kind of picture."""
    if path.suffix not in FIGURE_SUFFIXES:
        raise BadInput(f"--plot {path}: give a name that ends in {', '.join(FIGURE_SUFFIXES)}")


def save_figures(
    title: str,
    rows: Sequence[Sequence[Figure]],
    path: Path,
    lead: Sequence[str] = (),
    summary: Sequence[str] = (),
) -> None:
    """Write rows of figures into a .png or .svg, or one below the other into a page of that title.

    The page begins with the paragraphs `lead` and the list `summary`. Raises BadInput for another kind of
    file.
    """
    check_picture(path)
    if path.suffix == ".html":
        content = figures_page(title, [figure for row in rows for figure in row], lead, summary)
    else:
        content = rendered(combined_spec([list(row) for row in rows]), [path.suffix])[path.suffix]
    with replacing(path) as temporary:
        temporary.write_bytes(content)

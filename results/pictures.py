"""Draws the pictures and pages of commands from their tables.

draw("Plan", plan_choices([plan]), Picture(Path("plan.pdf"), width=3.3, bare=True))
->  ["plot in plan.pdf", "Llama-3.1-8B on gsm8k. Majority vote against cost. …"]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from results.commandline import BadInput
from results.figures.forecasts import forecast_figure
from results.figures.offline import figures_page
from results.figures.theme import Figure, combined_spec, numbered, printed_spec, rendered
from results.low_cost_to_high import NAME
from results.report.selectors import Choice
from results.summary.forecasts import make_forecasts
from results.tables.files import check_place, replacing
from results.tables.key import Key
from results.terminal import visible
from results.words.forecasts import questions_asked
from results.words.names import PAPER

FIGURE_SUFFIXES = (".png", ".svg", ".pdf", ".html")

TITLE = "Expensive runs, forecast from cheap ones"

MARKS = (
    "● is what a forecast was fitted to, ★ the forecast, ○ what was then measured; a faded ★ is one that its "
    "status does not trust. Bars are intervals."
)

FIGURE_3 = (
    f"This is Figure 3 of {PAPER}. Its Algorithm 3 is {NAME}; beside it stand our own forecasts of the same "
    "points."
)


@dataclass(frozen=True)
class Picture:
    """A file to draw; for print, its `width` in inches, and `bare`: without titles.

    Raises BadInput if its suffix is not that of a picture, or nothing can be written there.
    """

    path: Path
    width: float | None = None
    bare: bool = False

    def __post_init__(self) -> None:
        if self.path.suffix not in FIGURE_SUFFIXES:
            raise BadInput(f"--plot {self.path}: give a name that ends in {', '.join(FIGURE_SUFFIXES)}")
        if self.path.suffix == ".html" and (self.bare or self.width is not None):
            raise BadInput(f"--plot {self.path}: --width and --bare are for .png, .svg and .pdf")
        check_place(self.path)

    def draw(self, title: str, choices: Sequence[Choice]) -> list[str]:
        """Draw each choice's figures side by side, one choice per row, and return `save_figures`' lines."""
        rows = [[figure for _, figure in choice.figures] for choice in choices]
        return save_figures(title, [row for row in rows if row], self)


def draw_forecasts(tables: Sequence[pd.DataFrame], notes: Sequence[str], picture: Picture) -> list[str]:
    """Draw a row of figures per set, one per predictor; if there are forecasts over length, only these.

    tables: the forecast table of each set; notes: further notes for readers of the page. Returns lines
    about the picture, as `save_figures` does.
    """
    made = [forecast for table in tables for forecast in make_forecasts({"": table})]
    forecasts = [forecast for forecast in made if forecast.has_points]
    shown = [forecast for forecast in forecasts if forecast.over_length] or forecasts
    rows: dict[tuple[Key, str, str], list[Figure]] = {}
    for forecast in shown:
        rows.setdefault(forecast.task, []).append(forecast_figure(forecast))
    along_t = any(forecast.over_length and forecast.predictor == NAME for forecast in shown)
    title = f"Figure 3: {TITLE[0].lower()}{TITLE[1:]}" if along_t else TITLE
    lead = [MARKS, f"{FIGURE_3} {questions_asked(shown)}"] if along_t else [MARKS]
    return save_figures(title, [*rows.values()], picture, lead, notes)


def save_figures(
    title: str,
    rows: Sequence[Sequence[Figure]],
    picture: Picture,
    lead: Sequence[str] = (),
    summary: Sequence[str] = (),
) -> list[str]:
    """Write rows of figures to a .png, .svg or .pdf, or one below the other to a page with that title.

    The page begins with the paragraphs `lead` and the list `summary`. Returns lines for the terminal: where
    the picture is, the captions that a bare one lacks, or that there is nothing to draw.
    """
    path, width, bare = picture.path, picture.width, picture.bare
    figures = [figure for row in rows for figure in row]
    if not figures:
        return [f"nothing to draw, no {path}: lines take two points"]
    if path.suffix == ".html":
        content = figures_page(title, figures, lead, summary)
    else:
        spec = combined_spec(rows, bare=bare) if width is None else printed_spec(rows, width, bare)
        content = rendered(spec, [path.suffix], width)[path.suffix]
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    words = zip(numbered(figures), figures, strict=True) if bare else ()
    captions = [visible(f"{label} {figure.description}".strip()) for label, figure in words]
    return [f"plot in {path}", *captions]

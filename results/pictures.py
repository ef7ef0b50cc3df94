"""What commands draw: their tables in, a picture or a page out.

    draw_forecasts([table], [], Path("forecast.html"))      draw_plans([plan], Path("plan.png"))

Other packages import no figure: what one is, and the engine that draws it, is known to `results` alone.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from results.commandline import BadInput
from results.figures.buying import plan_figure
from results.figures.forecast import forecast_figure
from results.figures.offline import figures_page
from results.figures.stopping import stopping_figures
from results.figures.theme import Figure, combined_spec, rendered
from results.low_cost_to_high import NAME
from results.summary.buying import Plan
from results.summary.forecasts import make_forecasts
from results.tables.files import check_place, replacing
from results.tables.key import Key
from results.words.forecasts import questions_asked
from results.words.names import PAPER

FIGURE_SUFFIXES = (".png", ".svg", ".pdf", ".html")

TITLE = "Expensive runs, forecast from cheap ones"

MARKS = (
    "● is what a forecast was fitted to, ★ the forecast, ○ what was then measured; a faded ★ is one that its "
    "status does not trust. Bars are 90 % intervals."
)

FIGURE_3 = (
    f"This is Figure 3 of {PAPER}. Its Algorithm 3 is {NAME}; beside it stand our own forecasts of the same "
    "points."
)


def draw_forecasts(tables: Sequence[pd.DataFrame], notes: Sequence[str], path: Path) -> None:
    """A row of figures for each set, one a predictor; if sets have new settings, only of these.

    tables: the forecast table of each set; notes: what a reader of the page must know besides. Raises
    BadInput for a file that is no picture.
    """
    forecasts = [forecast for table in tables for forecast in make_forecasts({"": table})]
    shown = [forecast for forecast in forecasts if forecast.over_length] or forecasts
    rows: dict[tuple[Key, str, str], list[Figure]] = {}
    for forecast in shown:
        rows.setdefault(forecast.task, []).append(forecast_figure(forecast))
    along_t = any(forecast.over_length and forecast.predictor == NAME for forecast in shown)
    title = f"Figure 3: {TITLE[0].lower()}{TITLE[1:]}" if along_t else TITLE
    lead = [MARKS, f"{FIGURE_3} {questions_asked(shown)}"] if along_t else [MARKS]
    save_figures(title, [*rows.values()], path, lead, notes)


def draw_plans(plans: Sequence[Plan], path: Path) -> None:
    """A figure for each model, one below the other."""
    figures = [[plan_figure(plan, f"plan-{number}")] for number, plan in enumerate(plans)]
    save_figures("Plan", figures, path)


def draw_stopping(table: pd.DataFrame, path: Path) -> None:
    """A figure for each data set, model and setting of a stopping table, one below the other."""
    save_figures("Stopping rules", [[figure] for figure in stopping_figures(table)], path)


def check_picture(path: Path) -> None:
    """Raise BadInput where a file's name says no kind of picture, or nothing can be written there."""
    if path.suffix not in FIGURE_SUFFIXES:
        raise BadInput(f"--plot {path}: give a name that ends in {', '.join(FIGURE_SUFFIXES)}")
    check_place(path)


def save_figures(
    title: str,
    rows: Sequence[Sequence[Figure]],
    path: Path,
    lead: Sequence[str] = (),
    summary: Sequence[str] = (),
) -> None:
    """Write rows of figures into a .png, .svg or .pdf, or one below the other into a page of that title.

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

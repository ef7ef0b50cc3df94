"""What other packages draw: their tables in, a picture or a page out.

    draw_forecasts([table], [], Path("forecast.html"))      draw_plans([plan], Path("plan.png"))

They import no figure: what a figure is, and the engine that draws it, is known to `results` alone.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from results.figures.buying import save_plans as draw_plans
from results.figures.forecast import forecast_figure
from results.figures.saving import check_picture, save_figures
from results.figures.theme import Figure
from results.low_cost_to_high import NAME
from results.summary.forecasts import make_forecasts
from results.tables.key import Key
from results.words.forecasts import questions_asked
from results.words.names import PAPER

__all__ = ["check_picture", "draw_forecasts", "draw_plans"]

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

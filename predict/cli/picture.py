"""Forecasts as a picture, or as a page that says what it shows: the paper's Figure 3 of one's own runs."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from predict.cli.overview import summary_of
from predict.estimators import PAPER_S
from results.figures.forecast import forecast_figure
from results.figures.saving import save_figures
from results.figures.theme import Figure
from results.summary.forecasts import make_forecasts
from results.tables.key import Key
from results.words.forecasts import questions_asked
from results.words.names import PAPER

TITLE = "Expensive runs, forecast from cheap ones"

MARKS = (
    "● is what a forecast was fitted to, ★ the forecast, ○ what was then measured; a faded ★ is one that its "
    "status does not trust. Bars are 90 % intervals."
)

FIGURE_3 = (
    f"This is Figure 3 of {PAPER}. Its Algorithm 3 is {PAPER_S}; beside it stand our own forecasts of the "
    "same points."
)


def draw(tables: Sequence[pd.DataFrame], told: Sequence[str], plot: Path) -> None:
    """A row of figures for each set, one a predictor; if sets have new settings, only of these.

    `told`: what a reader of the page must know besides. Raises BadInput for a file that is no picture.
    """
    forecasts = [one for found in tables for one in make_forecasts({"": found})]
    chosen = [one for one in forecasts if one.over_length] or forecasts
    rows: dict[tuple[Key, str, str], list[Figure]] = {}
    for one in chosen:
        rows.setdefault(one.task, []).append(forecast_figure(one))
    along_t = any(one.over_length and one.predictor == PAPER_S for one in chosen)
    title = f"Figure 3: {TITLE[0].lower()}{TITLE[1:]}" if along_t else TITLE
    lead = [MARKS, f"{FIGURE_3} {questions_asked(chosen)}"] if along_t else [MARKS]
    save_figures(title, [*rows.values()], plot, lead, [*map(summary_of, tables), *told])

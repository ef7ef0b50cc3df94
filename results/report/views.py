"""The parts of the report's page, ready for its template: which figures stand where, under which words.

RowView(slug="llm-gsm8k-llama-majority", name="Llama-3.1-8B on gsm8k: majority vote", absent=[], figures=[
    Shown(figure=<against N>, heading="A vote over 64 answers adds 9.1 points at …", caption="Line: …"),
    Shown(figure=<against T>, heading="Going from setting …", caption="Points: …")])
"""

from dataclasses import dataclass

from results.figures.answers import samples_figure
from results.figures.cost import cost_figure
from results.figures.forecast import Forecast, forecast_figure
from results.figures.length import length_figure
from results.figures.panels import METHOD_NAMES, Panel, axis_range
from results.figures.theme import Figure
from results.report.findings import answers_verdict, length_verdict
from results.report.tables import Table, error_table, frontier_table, trend_table, value_table

NO_LENGTHS = {
    "llm": "Nothing to draw against length: it takes two settings or more, with token counts. "
    "Sample at several token budgets or efforts, then `python -m results curves` again.",
    "synthetic": "Nothing to draw against length: this experiment looks at one length only. "
    "`python -m synthetic list` names those that look at several.",
}
ONE_N = (
    "Nothing to draw against the number of answers: the table holds one N only. "
    "Sample several answers a question, then `python -m results curves` again."
)


@dataclass(frozen=True)
class Shown:
    """A figure on the page with what it shows (`heading`) and how to read it (`caption`)."""

    figure: Figure
    heading: str
    caption: str


@dataclass(frozen=True)
class RowView:
    """One choice of a drop-down: the figures side by side, and sentences in place of those that cannot be."""

    slug: str
    name: str
    figures: list[Shown]
    absent: list[str]


@dataclass(frozen=True)
class CostView:
    """One model's cost figure with its table of what to buy."""

    slug: str
    name: str
    shown: Shown
    table: Table


@dataclass(frozen=True)
class NumbersView:
    """All tables of one model on one dataset."""

    name: str
    tables: list[Table]


@dataclass(frozen=True)
class ForecastView:
    """The forecasts of the same curves: a figure for each predictor and the table of their errors."""

    slug: str
    name: str
    rows: list[RowView]
    table: Table


def row_views(panels: list[Panel]) -> list[RowView]:
    """One row of figures for each panel; that with most to see on both axes is first, and so shown first."""
    views = []
    for panel in sorted(
        panels, key=lambda panel: (not panel.has_lengths, -len(panel.settings) * len(panel.ns))
    ):
        y_range = axis_range(panel)
        figures, absent = [], []
        if len(panel.ns) > 1:
            figures.append(_shown(panel, samples_figure(panel, y_range), answers_verdict(panel)))
        else:
            absent.append(ONE_N)
        if panel.has_lengths:
            figures.append(_shown(panel, length_figure(panel, y_range), length_verdict(panel)))
        else:
            absent.append(NO_LENGTHS[panel.source])
        name = f"{panel.name}, {METHOD_NAMES[panel.method]}"
        views.append(RowView(panel.slug, name, figures, absent))
    return views


def _shown(panel: Panel, figure: Figure, heading: str) -> Shown:
    caption = figure.subtitle[-1]
    if panel.orders_shown < panel.orders:
        caption += f" The table holds {panel.orders}; the first {panel.orders_shown} are drawn."
    return Shown(figure, heading, caption)


def cost_views(panels: list[Panel]) -> list[CostView]:
    """The cost of each language model's vote (or, without one, of its first method)."""
    chosen: dict[tuple[str, str, str], Panel] = {}
    for panel in panels:
        priced = panel.source == "llm" and panel.metric == "accuracy" and panel.exact["length"].notna().all()
        if priced and (panel.key not in chosen or panel.method == "majority"):
            chosen[panel.key] = panel
    return [
        CostView(
            f"{panel.slug}-costs",
            panel.name,
            Shown(figure := cost_figure(panel), "", figure.subtitle[-1]),
            frontier_table(panel),
        )
        for panel in chosen.values()
    ]


def numbers_views(panels: list[Panel]) -> list[NumbersView]:
    """The values and trends of each model on each dataset."""
    groups: dict[tuple[str, str, str], list[Panel]] = {}
    for panel in panels:
        groups.setdefault(panel.key, []).append(panel)
    return [
        NumbersView(
            members[0].name,
            [table for panel in members for table in (value_table(panel), trend_table(panel)) if table],
        )
        for members in groups.values()
    ]


def forecast_views(forecasts: list[Forecast]) -> list[ForecastView]:
    """Forecasts grouped by the curves they are of, the predictor of smallest error first."""
    groups: dict[str, list[Forecast]] = {}
    for forecast in forecasts:
        groups.setdefault(forecast.name, []).append(forecast)
    views = []
    for name, members in groups.items():
        table = error_table(members)
        rank = [row[0] for row in table.rows]
        members.sort(key=lambda forecast: rank.index(forecast.predictor))
        rows = [
            RowView(
                forecast.slug,
                forecast.predictor,
                [Shown(figure := forecast_figure(forecast), "", figure.subtitle[-1])],
                [],
            )
            for forecast in members
        ]
        views.append(ForecastView(f"{members[0].slug}-group", name, rows, table))
    return views

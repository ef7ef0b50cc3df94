"""The report: one page that opens offline, and each of its figures as PNG, SVG and PDF.

    build_report(tables, made)  ->  {"index.html": b"<!doctype html>…", "llm-gsm8k-….png": b"…", …}

The page carries Vega once and every figure as data. Names from the tables are untrusted and escaped
everywhere: by Jinja in the page, by `in_script` in the data. The words are in `template/page.html.j2`.
"""

from datetime import datetime
from importlib import resources

import jinja2
from markupsafe import Markup
from tqdm import tqdm

from results.figures.forecast import Forecast, make_forecasts
from results.figures.page import draw_script, figure_data, policy, style, vega
from results.figures.panels import make_panels
from results.figures.theme import Figure, combined_spec, rendered
from results.report.choices import (
    cost_choices,
    curve_choices,
    forecast_choices,
    number_choices,
    with_most_first,
)
from results.report.claims import measurement_table, verdict_table
from results.report.errors import closest, overview_table
from results.report.findings import findings
from results.report.inputs import Tables


def build_report(tables: Tables, made: datetime, progress: bool = False) -> dict[str, bytes]:
    """Every file of the report by its name: index.html, and NAME.png and NAME.svg of each figure."""
    panels = with_most_first(make_panels(tables.curves))
    llm, twin = (
        curve_choices([panel for panel in panels if panel.source == source])
        for source in ("llm", "synthetic")
    )
    costs = cost_choices(panels)
    groups: dict[str, list[Forecast]] = {}
    for forecast in make_forecasts(tables.forecasts):
        groups.setdefault(forecast.name, []).append(forecast)
    forecasts = forecast_choices(groups)

    figures = [figure for choice in [*llm, *twin, *costs, *forecasts] for figure in choice.every_figure]
    side_by_side = [
        row for choices in (llm, twin) if (row := [f for c in choices[:1] for f in c.every_figure])
    ]
    specs = {figure.name: figure.file_spec() for figure in figures}
    if side_by_side:
        specs["side-by-side"] = combined_spec(side_by_side)
    context = {
        "facts": _facts(tables),
        "findings": findings(panels),
        "llm": llm,
        "twin": twin,
        "has_side_by_side": bool(side_by_side),
        "claims": [(verdict_table(table), measurement_table(table)) for table in tables.claims],
        "costs": costs,
        "forecasts": forecasts,
        "closest": closest([one for members in groups.values() for one in members]),
        "overview": overview_table(groups),
        "numbers": number_choices(panels),
        "sources": tables.sources,
        "notes": tables.notes,
        "made": made,
    }
    files = {"index.html": _page(context, figures)}
    for name in tqdm(specs, unit=" figures", delay=2, disable=None if progress else True):
        files |= {f"{name}{suffix}": content for suffix, content in rendered(specs[name]).items()}
    return files


def _page(context: dict[str, object], figures: list[Figure]) -> bytes:
    folder = resources.files("results.report").joinpath("template")
    css, script, template = (
        folder.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "page.html.j2")
    )
    scripts = [vega(), Markup(script), draw_script()]
    sheet = style(css)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    page = environment.from_string(template).render(
        context,
        css=sheet,
        scripts=scripts,
        policy=policy(scripts, [sheet]),
        **figure_data({figure.name: figure.page_spec() for figure in figures}),
    )
    return page.encode()


def _facts(tables: Tables) -> list[str]:
    """How much is shown."""
    llm = tables.curves[tables.curves["source"] == "llm"]
    twin = tables.curves[tables.curves["source"] == "synthetic"]
    predictors = {name for table in tables.forecasts.values() for name in table["predictor"]}
    counts = {
        "language model": llm["model"].nunique(),
        "dataset": llm["dataset"].nunique(),
        "synthetic experiment": len(twin[["dataset", "model"]].drop_duplicates()),
        "forecasting method": len(predictors),
    }
    return [f"{count} {thing}{'s' if count > 1 else ''}" for thing, count in counts.items() if count]

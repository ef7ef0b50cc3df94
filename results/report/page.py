"""The report: one page that opens offline, and each of its figures as PNG, SVG and PDF.

    build_report(tables, made)  ->  {"index.html": b"<!doctype html>…", "llm-gsm8k-….png": b"…", …}

The page carries Vega once and every figure as data. Names from the tables are untrusted and escaped
everywhere: by Jinja in the page, by `in_script` in the data. The words are in `template/page.html.j2`.
"""

from collections.abc import Mapping
from datetime import datetime
from importlib import resources

import jinja2
from markupsafe import Markup
from tqdm import tqdm

from results.figures.forecast import Forecast, make_forecasts
from results.figures.page import draw_script, figure_data, in_script, policy, style, vega
from results.figures.panels import make_panels
from results.figures.paper import figure_2
from results.figures.theme import Figure, combined_spec, rendered
from results.report.choices import (
    cost_choices,
    curve_choices,
    forecast_choices,
    number_choices,
    with_most_first,
)
from results.report.claims import measurement_table, verdict_table
from results.report.errors import closest, matched_twin
from results.report.findings import answer, findings, twin_verdict
from results.report.inputs import Tables
from results.report.others import (
    backtest_table,
    comparison_choices,
    fit_choices,
    plan_choices,
)
from results.report.questions import question_data
from results.report.runs import run_tables


def build_report(
    tables: Tables, made: datetime, progress: bool = False, prices: Mapping[str, float] | None = None
) -> dict[str, bytes]:
    """Every file of the report by its name: index.html, and NAME.png, .svg and .pdf of each figure.

    `prices`: US dollars for a million tokens, by model. Raises BadInput for the price of an unknown model.
    """
    panels = with_most_first(make_panels(tables.curves, prices))
    by_source = {
        source: [panel for panel in panels if panel.source == source] for source in ("llm", "synthetic")
    }
    llm, twin = (curve_choices(found) for found in by_source.values())
    paper = found if len(found := figure_2(panels)) > 1 else []
    costs = cost_choices(panels)
    groups: dict[str, list[Forecast]] = {}
    for forecast in make_forecasts(tables.forecasts):
        groups.setdefault(forecast.name, []).append(forecast)
    forecasts = forecast_choices(groups)
    every_forecast = [one for members in groups.values() for one in members]
    fits, plan, backtest, comparison = map(tables.joined, ("fits", "plan", "backtest", "comparison"))
    plans = [] if plan is None else plan_choices(plan)
    comparisons = [] if comparison is None else comparison_choices(comparison)

    choices = [*llm, *twin, *costs, *forecasts, *plans, *comparisons]
    figures = [figure for choice in choices for figure in choice.every_figure]
    side_by_side = [row for found in (llm, twin) if (row := [f for c in found[:1] for f in c.every_figure])]
    specs = {figure.name: figure.file_spec() for figure in figures}
    if side_by_side:
        specs["side-by-side"] = combined_spec(side_by_side)
    together = [figure for _, figure in paper]
    if together:
        specs |= {figure.name: figure.file_spec() for figure in together}
        specs["figure2"] = combined_spec([together[i : i + 3] for i in range(0, len(together), 3)])
    cards = findings(panels)
    context = {
        "findings": cards,
        "answer": answer(panels),
        "warnings": tables.warnings,
        "runs": [] if tables.samples is None else [run_tables(r, tables.samples) for r in tables.records],
        "llm": llm,
        "twin": twin,
        "twin_verdict": twin_verdict(*(found[0] for found in by_source.values())) if llm and twin else "",
        "matched_twin": matched_twin(every_forecast),
        "has_side_by_side": bool(side_by_side),
        "figure_2": paper,
        "claims": [(verdict_table(t), measurement_table(t)) for t in tables.others.get("claims", [])],
        "costs": costs,
        "plans": plans,
        "comparisons": comparisons,
        "forecasts": forecasts,
        "closest": closest(every_forecast),
        "backtest": None if backtest is None else backtest_table(backtest),
        "numbers": number_choices(panels),
        "fits": [] if fits is None else fit_choices(fits),
        "questions": None if tables.samples is None else in_script(question_data(tables.samples)),
        "sources": tables.sources,
        "notes": tables.notes,
        "made": made,
    }
    files = {"index.html": _page(context, [*figures, *together])}
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

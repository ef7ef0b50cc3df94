"""The report: one page that opens offline, and each of its figures as PNG, SVG and PDF.

    build_report(tables, made)  ->  {"index.html": b"<!doctype html>…", "llm-gsm8k-….png": b"…", …}

The page contains Vega once and every figure as data. Names from the tables are untrusted and
always escaped: by Jinja in the page, by `in_script` in the data. The page's text is in
`template/page.html.j2`.
"""

from collections.abc import Sequence
from datetime import datetime
from importlib import resources

from markupsafe import Markup

from results.commandline import progress
from results.figures.offline import in_script, page_of
from results.figures.theme import Figure, rendered
from results.normal import LEVEL
from results.report.inputs import Tables
from results.report.one_question import question_data
from results.report.provenance import fact_table, longest_votes, unfinished
from results.report.selectors import (
    comparison_choices,
    curve_choices,
    forecast_choices,
    grid_choices,
    number_tables,
    plan_choices,
    ranks_tables,
    stopping_choices,
    with_most_first,
)
from results.summary.buying import Plan, measured_plans, plans_of
from results.summary.forecasts import make_forecasts
from results.summary.gaps import gaps_along_lengths
from results.summary.panels import Panel, make_panels
from results.summary.samples import ended_rows, ended_votes
from results.terminal import NBSP
from results.words.cells import Table, tabled
from results.words.findings import fewer_questions, left_out, model_notes, models_table, opening
from results.words.forecasts import error_table, questions_asked
from results.words.names import PAPER, curves_name
from results.words.stopping import ENDED, ENDED_NOTE
from results.words.values import measurement_table, verdict_tables


def build_report(tables: Tables, made: datetime) -> dict[str, bytes]:
    """The files of the report by name: index.html, and NAME.png, .svg and .pdf of each figure."""
    panels = with_most_first(make_panels(tables.curves, tables.money))
    real = [panel for panel in panels if panel.key.source == "llm"]
    forecasts = make_forecasts(tables.forecasts, panels)
    comparison, whole = tables.of("comparison"), tables.whole
    given = list(plans_of(tables.of("plan"), tables.money))
    plans = [*given, *measured_plans(panels, given)]
    lists = {
        "llm": curve_choices(real, gaps_along_lengths(tables.votes)),
        "twin": curve_choices(panels[len(real) :]),
        "plans": plan_choices(plans),
        "comparisons": comparison_choices(comparison),
        "forecasts": forecast_choices(forecasts, tables.money),
        "grids": grid_choices(whole),
        "stops": stopping_choices(tables.of("stopping")),
    }
    figures = [figure for choices in lists.values() for choice in choices for figure in choice.every_figure]
    context: dict[str, object] = {
        **lists,
        **_told(tables, real, plans),
        "questions": in_script(question_data(whole, tables.votes)) if tables.votes else None,
        "opening": opening(plans, comparison, real),
        "ranks": ranks_tables(comparison),
        "level": f"{100 * LEVEL:g}",
        "paper": PAPER,
        "asked": questions_asked(forecasts),
        "numbers": number_tables(panels, tables.of("fits")),
        "made": made,
    }
    specs = {figure.name: figure.file_spec() for figure in figures}
    files = {"index.html": _page(context, figures)}
    for name in progress(" figures", specs):
        files |= {f"{name}{suffix}": content for suffix, content in rendered(specs[name]).items()}
    return files


def _told(tables: Tables, real: Sequence[Panel], plans: Sequence[Plan]) -> dict[str, object]:
    """The page's context besides figures: on language models, their samples and other tables."""
    samples, claims, backtest = tables.samples, tables.of("claims"), tables.of("backtest")
    lacking = unfinished(tables.records, samples)
    warned = [*tables.warnings, *(f"{curves_name(key)}: {line}" for key, line in lacking.items())]
    if plans:
        warned += left_out(real, plans)
    if samples.empty:  # else `tables.warnings` has the same, from making the curves
        warned += dict.fromkeys(filter(None, map(fewer_questions, real)))
    return {
        "models": models_table(real),
        "model_notes": model_notes(real),
        "warnings": warned,
        "runs": [fact_table(record, samples) for record in tables.records],
        "claims": verdict_tables(claims),
        "measurements": None if claims.empty else measurement_table(claims),
        "backtest": None if backtest.empty else error_table("Backtest: error by predictor", backtest),
        "fits": "fits" in tables.others,
        "stopped": _stopped(tables),
        "sources": tables.sources,
        "notes": tables.notes,
    }


def _stopped(tables: Tables) -> Table | None:
    """The table of votes that ended when they were settled; None without any."""
    ended = tables.samples[ended_rows(tables.samples)]
    if ended.empty:
        return None
    rows = ended_votes(ended, longest_votes(tables.records))
    return tabled("Votes that ended when they were settled", rows, ENDED, ENDED_NOTE)


def _unbroken(value: object) -> object:
    """The text with no-break spaces in "N = 32"."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return value.replace("N = ", f"N{NBSP}={NBSP}")


def _page(context: dict[str, object], figures: Sequence[Figure]) -> bytes:
    folder = resources.files("results.report").joinpath("template")
    css, script, template = (
        folder.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "page.html.j2")
    )
    return page_of(template, context, figures, script, css, trim_blocks=True, finalize=_unbroken)

"""The report: one page that opens offline, and each of its figures as PNG, SVG and PDF.

    build_report(tables, made)  ->  {"index.html": b"<!doctype html>…", "llm-gsm8k-….png": b"…", …}

The page carries Vega once and every figure as data. Names from the tables are untrusted and escaped
everywhere: by Jinja in the page, by `in_script` in the data. The words are in `template/page.html.j2`.
"""

from collections.abc import Sequence
from datetime import datetime
from importlib import resources

import jinja2
from markupsafe import Markup
from tqdm import tqdm

from results.commandline import BadInput
from results.figures.forecast import make_forecasts
from results.figures.page import draw_script, figure_data, in_script, policy, style, vega
from results.figures.panels import make_panels
from results.figures.paper import figure_2
from results.figures.theme import Figure, combined_spec, rendered
from results.report.choices import (
    Prices,
    comparison_choices,
    cost_choices,
    curve_choices,
    forecast_choices,
    number_tables,
    plan_choices,
    with_most_first,
)
from results.report.errors import closest, error_table, matched_twin
from results.report.findings import answer, findings
from results.report.inputs import Tables
from results.report.questions import question_data
from results.report.runs import fact_table, unfinished
from results.report.tables import measurement_table, verdict_table


def build_report(
    tables: Tables, made: datetime, progress: bool = False, prices: Prices | None = None
) -> dict[str, bytes]:
    """Every file of the report by its name: index.html, and NAME.png, .svg and .pdf of each figure.

    Raises BadInput for the price of a model that is in no table.
    """
    prices, others, samples = prices or {}, tables.others, tables.samples
    priced = [tables.curves, *(others[kind] for kind in ("plan",) if kind in others)]
    models = list(dict.fromkeys(model for table in priced for model in table["model"]))
    if unknown := [name for name in prices if name not in models]:
        raise BadInput(f"--price {unknown[0]}: no such model in these tables, which have {', '.join(models)}")
    panels = with_most_first(make_panels(tables.curves, prices))
    forecasts = make_forecasts(tables.forecasts)
    real = [panel for panel in panels if panel.source == "llm"]
    theory = panels[len(real) :]
    lists = {
        "llm": curve_choices(real),
        "twin": curve_choices(theory),
        "costs": cost_choices(panels),
        "plans": plan_choices(others["plan"], prices) if "plan" in others else [],
        "comparisons": comparison_choices(others["comparison"]) if "comparison" in others else [],
        "forecasts": forecast_choices(forecasts),
    }
    paper = found if len(found := figure_2(panels)) > 1 else []
    together = [figure for _, figure in paper]
    figures = [figure for choices in lists.values() for choice in choices for figure in choice.every_figure]
    firsts = [list(choices[0].every_figure) for choices in (lists["llm"], lists["twin"]) if choices]
    side_by_side = [row for row in firsts if row]
    specs = {figure.name: figure.file_spec() for figure in [*figures, *together]}
    if side_by_side:
        specs["side-by-side"] = combined_spec(side_by_side)
    if together:
        specs["figure2"] = combined_spec([together[i : i + 3] for i in range(0, len(together), 3)])
    lacking = {} if samples is None else unfinished(tables.records, samples)
    cards, claims, backtest = findings(real, lacking), others.get("claims"), others.get("backtest")
    warned = [*tables.warnings, *(f"{name}: {line}" for name, line in lacking.items())]
    if samples is None:  # else the curves were made here, and `tables.warnings` tell the same
        warned += [f"{card.title}: {line}" for card in cards for line in card.partial]
    context: dict[str, object] = {
        **lists,
        "findings": cards,
        "answer": answer(real),
        "warnings": warned,
        "runs": [] if samples is None else [fact_table(record, samples) for record in tables.records],
        "matched_twin": matched_twin(forecasts),
        "has_side_by_side": bool(side_by_side),
        "figure_2": paper,
        "claims": None if claims is None else (verdict_table(claims), measurement_table(claims)),
        "closest": closest(forecasts),
        "backtest": None if backtest is None else error_table("Backtest: error by predictor", backtest),
        "fits": "fits" in others,
        "numbers": number_tables(panels, others.get("fits")),
        "questions": None if samples is None else in_script(question_data(samples)),
        "sources": tables.sources,
        "notes": tables.notes,
        "made": made,
    }
    files = {"index.html": _page(context, [*figures, *together])}
    for name in tqdm(specs, unit=" figures", delay=2, disable=None if progress else True):
        files |= {f"{name}{suffix}": content for suffix, content in rendered(specs[name]).items()}
    return files


def _page(context: dict[str, object], figures: Sequence[Figure]) -> bytes:
    folder = resources.files("results.report").joinpath("template")
    css, script, template = (
        folder.joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js", "page.html.j2")
    )
    scripts, sheet = [vega(), Markup(script), draw_script()], style(css)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    page = environment.from_string(template).render(
        context, css=sheet, scripts=scripts, policy=policy(scripts, [sheet]), **figure_data(figures)
    )
    return page.encode()

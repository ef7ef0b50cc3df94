"""The report: one page that opens offline, and each of its figures as PNG and SVG.

    build_report(tables, made)  ->  {"index.html": "<!doctype html>…", "llm-gsm8k-….png": b"…", …}

The page carries Vega once and every figure as data; names out of the tables are untrusted and escaped
everywhere (Jinja's autoescape in the page, `<` as \\u003c in the data).
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from results.commandline import BadInput
from results.figures.files import render_all
from results.figures.forecast import Forecast, make_forecasts
from results.figures.panels import make_panels
from results.figures.theme import Figure, combined_spec, javascript
from results.report.claims import claims_view, is_claims, read_claims
from results.report.findings import findings
from results.report.tables import overview_table
from results.report.views import cost_views, forecast_views, numbers_views, row_views
from results.tables.contract import kind_of, read_curves, read_forecast
from results.tables.schemas import CURVE_KEY

MISSING = {
    "llm": "No curves of a language model were given. Sample one with `python -m harness sample`, turn its "
    "answers into curves with `python -m results curves RUN --out curves.csv`, and name that file here.",
    "twin": "No curves of the synthetic twin were given. Make them with "
    "`python -m synthetic run all --out DIR`, and name those files here.",
    "cost": "No token counts were given, so nothing can be said about cost. The harness records them; in "
    "tables of your own, fill the column `tokens`.",
    "forecast": "No forecasts were given. Make them with `python -m predict forecast curves.csv "
    "--predictor all --out forecast.csv`, and name that file here.",
}


@dataclass(frozen=True)
class Source:
    """One file the report was made from."""

    name: str
    kind: str
    rows: int


@dataclass(frozen=True)
class Tables:
    """What the report shows: all curves, the forecasts by file, the claims, and the files they came from."""

    curves: pd.DataFrame
    forecasts: dict[str, pd.DataFrame]
    claims: list[pd.DataFrame]
    sources: list[Source]
    notes: str = ""


def read_tables(paths: Iterable[Path], notes: str = "") -> Tables:
    """Read curves, forecast and claims files, told apart by their columns. Raises BadInput."""
    tables: dict[str, dict[Path, pd.DataFrame]] = {"curves": {}, "forecast": {}, "claims": {}}
    readers: dict[str, Callable[[Path], pd.DataFrame]]
    readers = {"curves": read_curves, "forecast": read_forecast, "claims": read_claims}
    sources = []
    for path in dict.fromkeys(paths):
        kind = "claims" if is_claims(path) else kind_of(path)
        if kind not in tables:
            raise BadInput(
                f"{path}: a {kind} table, expected curves or forecasts "
                f"(python -m results curves {path} --out curves.csv)"
            )
        table = tables[kind][path] = readers[kind](path)
        sources.append(Source(path.name, kind, len(table)))
    stems = [path.stem for path in tables["forecast"]]
    unlike = len(set(stems)) == len(stems)
    forecasts = {path.stem if unlike else str(path): table for path, table in tables["forecast"].items()}
    return Tables(_joined(tables["curves"]), forecasts, list(tables["claims"].values()), sources, notes)


def _joined(curves: dict[Path, pd.DataFrame]) -> pd.DataFrame:
    """All curves in one table. Raises BadInput where two files hold the same point."""
    if not curves:
        return pd.DataFrame(columns=CURVE_KEY)
    joined = pd.concat([table.assign(file=path.name) for path, table in curves.items()], ignore_index=True)
    twice = joined[joined.duplicated(CURVE_KEY, keep=False)]
    if len(twice):
        point = twice.iloc[0]
        files = twice.loc[(twice[CURVE_KEY] == point[CURVE_KEY]).all(axis=1), "file"]
        what = ", ".join(f"{name}={point[name]}" for name in CURVE_KEY)
        raise BadInput(f"{' and '.join(files)}: both hold {what}, expected each curve in one file only")
    return joined


def build_report(tables: Tables, made: datetime, progress: bool = False) -> dict[str, str | bytes]:
    """Every file of the report by its name: index.html, and NAME.png and NAME.svg of each figure."""
    panels = make_panels(tables.curves)
    llm = row_views([panel for panel in panels if panel.source == "llm"])
    twin = row_views([panel for panel in panels if panel.source == "synthetic"])
    costs = cost_views(panels)
    forecasts = make_forecasts(tables.forecasts)
    judged = forecast_views(forecasts)
    rows = [*llm, *twin, *(row for view in judged for row in view.rows)]
    figures = [shown.figure for row in rows for shown in row.figures] + [cost.shown.figure for cost in costs]
    combined = [[shown.figure for shown in views[0].figures] for views in (llm, twin) if views]
    combined = [row for row in combined if row]

    specs = {figure.name: figure.file_spec() for figure in figures}
    if combined:
        specs["side-by-side"] = combined_spec(combined)
    files = render_all(specs, progress)
    context = {
        "facts": _facts(tables, made),
        "findings": findings(panels),
        "llm_rows": llm,
        "twin_rows": twin,
        "has_combined": bool(combined),
        "costs": costs,
        "forecasts": judged,
        "forecast_sentence": closest(forecasts),
        "overview": overview_table({view.name: view.table for view in judged}),
        "numbers": numbers_views(panels),
        "sources": tables.sources,
        "notes": tables.notes,
        "made": made.strftime("%d %B %Y, %H:%M %Z").strip(),
        "claims": [claims_view(table) for table in tables.claims],
        "missing": MISSING,
    }
    return {"index.html": _page(context, figures), **files}


def _page(context: dict[str, object], figures: list[Figure]) -> str:
    specs = {figure.name: figure.page_spec() for figure in figures}
    data = json.dumps(specs, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    own = resources.files("results.report")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(own.joinpath("template/page.html.j2").read_text(encoding="utf-8"))
    return template.render(
        context,
        css=Markup(own.joinpath("template/report.css").read_text(encoding="utf-8")),
        vega=Markup(javascript()),
        specs=Markup(data.replace("<", "\\u003c")),  # no name in the data can close the script element
        script=Markup(own.joinpath("template/report.js").read_text(encoding="utf-8")),
    )


def _facts(tables: Tables, made: datetime) -> str:
    """How much is shown, and when the page was made."""
    llm = tables.curves[tables.curves["source"] == "llm"]
    twin = tables.curves[tables.curves["source"] == "synthetic"]
    predictors = {name for table in tables.forecasts.values() for name in table["predictor"]}
    counted = [
        _count(llm["model"].nunique(), "language model"),
        _count(llm["dataset"].nunique(), "dataset"),
        _count(len(twin[["dataset", "model"]].drop_duplicates()), "synthetic experiment"),
        _count(len(predictors), "forecasting method"),
    ]
    return " · ".join([*filter(None, counted), made.strftime("%d %B %Y")])


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' if number > 1 else ''}" if number else ""


def closest(forecasts: list[Forecast]) -> str:
    """Which predictor came closest on all held-out points, of those that forecast them all; "" if none."""
    errors: dict[str, list[float]] = {}
    for forecast in forecasts:
        held = forecast.targets.dropna(subset=["accuracy"])
        told = (held["predicted"] - held["accuracy"]).abs().astype("float64")
        errors.setdefault(forecast.predictor, []).extend(told)
    asked = max(map(len, errors.values()), default=0)
    complete = {
        name: float(np.mean(found))
        for name, found in errors.items()
        if asked and len(found) == asked and np.isfinite(found).all()
    }
    if not complete:
        return ""
    best = min(complete, key=lambda name: complete[name])
    return (
        f"Closest over all {asked} held-out points: {best}, {100 * complete[best]:.1f} percentage points off "
        f"on average."
    )

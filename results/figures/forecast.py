"""Forecasts against what was measured: ● points the fit saw, ★ predictions, ○ measured (paper, Fig. 4).

    Forecast(title="Llama-3.1-8B on gsm8k", method="majority", predictor="joint", rows=…, …)
      setting  length  N   role      accuracy  predicted  low   high  status
      500      140.2   64  held_out  0.812     0.831      0.80  0.86  ok

A prediction outside [0, 1] is drawn as a triangle at the edge of the chart; the table beside has its number.
What was measured of the same curves at other N runs along, so that one forecast does not stand alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import (
    MOST_COUNTS,
    MOST_SETTINGS,
    colour,
    log_axis,
    n_axis,
    setting_colour,
    tooltips,
    value_axis,
)
from results.figures.panels import (
    Panel,
    counts_to_show,
    order_settings,
    spread_out,
    unique_slug,
    value_range,
)
from results.figures.series import FADED, Series
from results.figures.theme import Figure
from results.figures.words import LENGTH_TITLES, METHOD_NAMES, curves_name, predictor_name
from results.tables.status import Status, commonest
from results.votes.tokens import answer_lengths

STAR = "M0,-1.3L.29,-.4L1.24,-.4L.47,.15L.76,1.05L0,.49L-.76,1.05L-.47,.15L-1.24,-.4L-.29,-.4Z"
_RING = "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0ZM-.66,0A.66,.66,0,1,0,.66,0A.66,.66,0,1,0,-.66,0Z"
_SHAPES = {
    "used": "circle",
    "predicted": STAR,
    "measured": _RING,
    "above 100 %": "triangle-up",
    "below 0 %": "triangle-down",
}
_ASIDE = 0.15  # of a doubling of N: settings stand side by side, so that their bars can be told apart
_ENDS = ["low", "high", "new_low", "new_high"]
_NOTHING = pd.DataFrame(columns=["setting", "length", "N", "value"])
_SEEN = ("used", "beside")
"""Roles of rows that are no forecast: those the fit saw, and those measured beside it."""

MORE_ANSWERS = "more answers"
ALONG_LENGTH = {
    "longer": "every N was measured at the lengths seen, as the paper’s inputs have it",
    "longer and more": "only small N were measured at the lengths seen, fewer inputs than the paper names",
}
"""What is asked of forecasts along length; studies/figure_3 has how well each is answered."""

_COLUMNS = ["setting", "length", "N", "role", "estimator", "accuracy", "predicted", *_ENDS, "status"]


@dataclass(frozen=True)
class Forecast:
    """What one predictor says about one model on one dataset.

    `title` is the model and dataset in words; `name` also tells method and, where needed, file; `by` is the
    predictor with what it goes by. `beside` holds what was measured of the same curves where `rows` have
    nothing.
    """

    source: str
    model: str
    method: str
    predictor: str
    by: str
    title: str
    name: str
    rows: pd.DataFrame
    beside: pd.DataFrame
    slug: str

    @property
    def targets(self) -> pd.DataFrame:
        """The rows that the predictor did not see."""
        return self.rows[self.rows["role"] != "used"]

    @property
    def question(self) -> str:
        """What is asked; see `question_of`."""
        return question_of(self.rows)

    @property
    def over_length(self) -> bool:
        """Whether it forecasts settings that the fit did not see, so that length is the axis to show."""
        return self.question != MORE_ANSWERS


def question_of(rows: pd.DataFrame) -> str:
    """What a forecast is asked: more answers, longer ones, or both at once.

    For "longer" every N was measured at the lengths seen, the inputs of the paper's Algorithm 3. A table need
    not tell what was fitted: without any such row no setting counts as new.
    """
    used = rows[rows["role"] == "used"]
    targets = rows[rows["role"] != "used"]
    new = set(targets["setting"]) - set(used["setting"])
    if used.empty or not new or rows["length"].isna().any():
        return MORE_ANSWERS
    return "longer" if targets["N"].max() <= used["N"].max() else "longer and more"


def questions_asked(forecasts: Sequence[Forecast]) -> str:
    """What the questions of these forecasts along length mean; "" where there are none."""
    there = {one.question for one in forecasts}
    said = [f"“{question}”: {means}" for question, means in ALONG_LENGTH.items() if question in there]
    return f"Asked for {'; '.join(said)}." if said else ""


def make_forecasts(tables: dict[str, pd.DataFrame], panels: Sequence[Panel] = ()) -> list[Forecast]:
    """The forecasts of several tables by file name, which tells those of the same curves apart.

    `panels` are what was measured.
    """
    measured = {(*panel.key, panel.method): panel.exact for panel in panels if panel.metric == "accuracy"}
    keys = ["source", "dataset", "model", "method", "predictor"]
    parts = []
    for file, table in tables.items():
        with_length = table.assign(length=answer_lengths(table))
        for key, rows in with_length.groupby(keys, sort=False):
            parts.append((tuple(map(str, key)), question_of(rows), file, rows))
    files = Counter((key, question) for key, question, _, _ in parts)
    forecasts: list[Forecast] = []
    for key, question, file, rows in parts:
        source, dataset, model, method, predictor = key
        title = curves_name(source, dataset, model)
        label = f" ({file})" if files[key, question] > 1 else ""
        name = f"{title}, {METHOD_NAMES[method]}{label}"
        asked = "" if question == MORE_ANSWERS else question
        slug = unique_slug(["forecast", *key[1:], asked, label], [one.slug for one in forecasts])
        by = predictor_name(rows)
        rows = rows.reindex(columns=_COLUMNS)
        beside = _beside(rows, measured.get((source, dataset, model, method), _NOTHING))
        forecasts.append(Forecast(source, model, method, predictor, by, title, name, rows, beside, slug))
    return forecasts


def _beside(rows: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """What was `measured` at the settings of a forecast and at N that it has no row of."""
    told = pd.MultiIndex.from_frame(rows[["setting", "N"]].astype({"N": "int64"}))
    points = measured[measured["setting"].isin(rows["setting"])]
    new = ~pd.MultiIndex.from_frame(points[["setting", "N"]]).isin(told)
    return points[new].rename(columns={"value": "accuracy"})[["setting", "length", "N", "accuracy"]]


def forecast_figure(forecast: Forecast) -> Figure:
    """Used, predicted and measured points, against length if new settings were forecast, else against N."""
    field, rows, x, colour = _axes(forecast)
    points = _points(rows)
    measured, ahead = (_values(rows, name) for name in ("accuracy", "predicted"))
    bars, ends = (_bars(rows, kind) for kind in ("", "new_"))
    spans = [part[end] for part in (bars, ends) for end in ("value", "top")]
    heights = pd.concat([points["value"], ahead["value"], *spans])
    length = ["length"] if rows["length"].notna().all() else []
    new = _ENDS if len(ends) else _ENDS[:2]
    said = tooltips(["kind", "setting", "N", *length, "accuracy", *new, "status"], forecast.source)

    y = value_axis("value", "accuracy", value_range(heights, "accuracy"))
    series = Series(forecast.slug, field, x, y, colour)
    series.add(measured, "line", "thin", (0.45, 0.05))
    series.add(ahead, "line", "trend", (0.7, 0.05))
    series.add(ends, "rule", "thin", (0.4, 0.05), y2="top:Q")
    series.add(bars, "rule", "interval", (0.22, 0.03), y2="top:Q")
    doubted = ~points["role"].isin(_SEEN) & ~points["kind"].eq("measured") & points["status"].ne("ok")
    for part, opacity in ((doubted, FADED), (~doubted, (1.0, 0.1))):
        series.add(points[part], "point", "mark", opacity, clip=False, shape=_shape(points), tooltip=said)
    wider = ", longer ones for new questions" if len(ends) else ""
    asked = f": {forecast.question}" if forecast.over_length else ""
    return series.figure(
        f"{forecast.title}{asked}",
        f"Forecast by {forecast.by} of the {METHOD_NAMES[forecast.method]}.{_verdict(forecast)}",
        f"Thin line: measured; dotted: forecast; bars: 90 % interval of each forecast{wider}.",
    )


def residual_figure(forecast: Forecast) -> Figure | None:
    """Forecast − measured at the points that the fit did not see; None where fewer than two were measured."""
    field, rows, x, colour = _axes(forecast)
    rows = rows[~rows["role"].isin(_SEEN)].dropna(subset=["accuracy", "predicted"])
    if len(rows) < 2:
        return None
    ends = {"residual": "predicted", "bottom": "low", "top": "high"}
    off = {end: 100 * (rows[name] - rows["accuracy"]).clip(-1, 1) for end, name in ends.items()}
    y = alt.Y("residual:Q", title="forecast − measured, points", axis=alt.Axis(tickCount=4))
    said = tooltips(["setting", "N", "predicted", "residual", "status"], forecast.source)
    series = Series(f"{forecast.slug}-residuals", field, x, y, colour.legend(None))
    series.add(pd.DataFrame({"residual": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    series.add(rows.assign(**off), "rule", "interval", (0.22, 0.03), y="bottom:Q", y2="top:Q")
    series.add(rows.assign(**off), "point", "mark", clip=False, shape=alt.value(STAR), tooltip=said)
    about = f"Forecast by {forecast.by} less what was measured, in percentage points."
    return series.figure(forecast.title, about, "Bars reach 0 where the interval held.")


def _axes(forecast: Forecast) -> tuple[str, pd.DataFrame, alt.X, alt.Color]:
    """The column that colours tell apart, the rows shown, the horizontal axis and the colours."""
    beside = forecast.beside.assign(role="beside")
    rows = pd.concat([forecast.rows, beside], ignore_index=True) if len(beside) else forecast.rows
    ns = sorted(int(n) for n in rows["N"].unique())
    if forecast.over_length:
        shown = counts_to_show(ns, MOST_COUNTS)
        rows = rows[rows["N"].isin(shown)]
        x = log_axis("length", rows["length"], LENGTH_TITLES[forecast.source])
        return "N", rows, x, colour("N:O", shown, "answers N")
    settings = spread_out(order_settings(rows), MOST_SETTINGS)
    rows = rows[rows["setting"].isin(settings)]
    aside = np.linspace(-_ASIDE, _ASIDE, len(settings)) if len(settings) > 1 else [0.0]
    place = rows["N"] * 2.0 ** rows["setting"].map(dict(zip(settings, aside, strict=True)))
    return "setting", rows.assign(place=place), n_axis(ns, "place"), setting_colour(settings, forecast.source)


def _verdict(forecast: Forecast) -> str:
    """How many forecasts are not ok, and what most of them are instead; "" where all are ok."""
    status = forecast.targets["status"].dropna()
    doubted = status[status != Status.OK]
    if doubted.empty:
        return ""
    number = "None is ok" if len(doubted) == len(status) else f"Faded: {len(doubted)} of {len(status)}"
    return f" {number} ({commonest(doubted)})."


def _values(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows with a number in that column, which is their `value` within [0, 1]."""
    return rows.assign(value=rows[name].clip(0, 1)).dropna(subset=["value"])


def _bars(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The forecast rows with an interval of that kind ("" or "new_"), from `value` to `top` within [0, 1]."""
    low, high = f"{kind}low", f"{kind}high"
    bars = rows[~rows["role"].isin(_SEEN)].dropna(subset=[low, high])
    return bars.assign(value=bars[low].clip(0, 1), top=bars[high].clip(0, 1))


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each mark: its `kind`, its `accuracy`, and the `value` within [0, 1] where it is drawn."""
    kinds = {"used": "used", "held_out": "measured", "beside": "measured"}
    known = rows.assign(kind=rows["role"].map(kinds)).dropna(subset="kind")
    asked = rows[~rows["role"].isin(_SEEN)]
    asked = asked.assign(kind="predicted", accuracy=asked["predicted"])
    asked.loc[asked["accuracy"] > 1, "kind"] = "above 100 %"
    asked.loc[asked["accuracy"] < 0, "kind"] = "below 0 %"
    marks = pd.concat([known, asked]).dropna(subset=["accuracy"])
    return marks.assign(value=marks["accuracy"].clip(0, 1))


def _shape(points: pd.DataFrame) -> alt.Shape:
    """The scale holds every kind, so that figures in one file agree; the legend those that are there."""
    kinds = [kind for kind in _SHAPES if (points["kind"] == kind).any()]
    scale = alt.Scale(domain=list(_SHAPES), range=list(_SHAPES.values()))
    words = alt.Legend(title=None, orient="top", columns=3, symbolType=alt.Undefined, values=kinds)
    return alt.Shape("kind:N", scale=scale, sort=list(_SHAPES), legend=words)

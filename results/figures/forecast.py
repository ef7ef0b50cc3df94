"""Forecasts against what was measured: ● points the fit saw, ★ predictions, ○ measured (paper, Fig. 4).

    Forecast(dataset="gsm8k", model="Llama-3.1-8B", method="majority", predictor="joint", rows=…)
      setting  length  N   role      accuracy  predicted  low   high  status
      500      140.2   64  held_out  0.812     0.831      0.80  0.86  ok

A prediction outside [0, 1] is drawn as a triangle at the edge of the chart; the table beside has its number.
"""

from collections import Counter
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import (
    MOST_COUNTS,
    MOST_SETTINGS,
    count_colour,
    log_axis,
    n_axis,
    setting_colour,
    tooltips,
    value_axis,
)
from results.figures.panels import counts_to_show, order_settings, spread_out, unique_slug, value_range
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import LENGTH_TITLES, METHOD_NAMES, curves_name
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
_ENDS = ["low", "high", "new_low", "new_high"]
_COLUMNS = ["setting", "length", "N", "role", "accuracy", "predicted", *_ENDS, "status"]


@dataclass(frozen=True)
class Forecast:
    """What one predictor says about one model on one dataset; `label` tells files of the same curves."""

    source: str
    dataset: str
    model: str
    method: str
    predictor: str
    label: str
    rows: pd.DataFrame
    slug: str

    @property
    def name(self) -> str:
        """The forecast curves, in words."""
        extra = f" ({self.label})" if self.label else ""
        return f"{curves_name(self.source, self.dataset, self.model)}, {METHOD_NAMES[self.method]}{extra}"

    @property
    def targets(self) -> pd.DataFrame:
        """The rows that the predictor did not see."""
        return self.rows[self.rows["role"] != "used"]

    @property
    def over_length(self) -> bool:
        """Whether it forecasts settings that the fit did not see, so that length is the axis to show."""
        unseen = set(self.targets["setting"]) - set(self.rows.loc[self.rows["role"] == "used", "setting"])
        return bool(unseen and self.rows["length"].notna().all())


def make_forecasts(tables: dict[str, pd.DataFrame]) -> list[Forecast]:
    """The forecasts of several tables by file stem, which is the label where two are of the same curves."""
    keys = ["source", "dataset", "model", "method", "predictor"]
    parts = [
        (tuple(map(str, key)), stem, rows)
        for stem, table in tables.items()
        for key, rows in table.assign(length=answer_lengths(table)).groupby(keys, sort=False)
    ]
    files = Counter(key for key, _, _ in parts)
    forecasts: list[Forecast] = []
    for key, stem, rows in parts:
        source, dataset, model, method, predictor = key
        label = stem if files[key] > 1 else ""
        slug = unique_slug(["forecast", *key[1:], label], [forecast.slug for forecast in forecasts])
        forecasts.append(
            Forecast(source, dataset, model, method, predictor, label, rows.reindex(columns=_COLUMNS), slug)
        )
    return forecasts


def forecast_figure(forecast: Forecast) -> Figure:
    """Used, predicted and measured points, against length if new settings were forecast, else against N."""
    field, rows, x, colour = _axes(forecast)
    points = _points(rows)
    measured = rows.assign(value=rows["accuracy"]).dropna(subset=["value"])
    bars, ends = (_bars(rows, kind) for kind in ("", "new_"))
    heights = [points["value"], *(part[end] for part in (bars, ends) for end in ("value", "top"))]
    y_range = value_range(pd.concat(heights), "accuracy")
    length = ["length"] if rows["length"].notna().all() else []
    new = _ENDS if len(ends) else _ENDS[:2]
    said = tooltips(["kind", "setting", "N", *length, "accuracy", *new, "status"], forecast.source)

    wider = ", longer ones for new questions" if len(ends) else ""
    series = Series(forecast.slug, field, x, value_axis("value", "accuracy", y_range), colour)
    series.add(measured, "line", "thin", (0.45, 0.05))
    series.add(ends, "rule", "thin", (0.4, 0.05), y2="top:Q")
    series.add(bars, "rule", "interval", (0.22, 0.03), y2="top:Q")
    series.add(points, "point", "mark", clip=False, shape=_shape(points), tooltip=said)
    return Figure(
        forecast.slug,
        curves_name(forecast.source, forecast.dataset, forecast.model),
        (
            f"Forecast by {forecast.predictor} of the {METHOD_NAMES[forecast.method]}.",
            f"Thin line: measured values; bars: 90 % interval of each forecast{wider}.",
        ),
        series.layers,
    )


def _bars(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The forecast rows with an interval of that kind ("" or "new_"), from `value` to `top` within [0, 1]."""
    low, high = f"{kind}low", f"{kind}high"
    bars = rows[rows["role"] != "used"].dropna(subset=[low, high])
    return bars.assign(value=bars[low].clip(0, 1), top=bars[high].clip(0, 1))


def residual_figure(forecast: Forecast) -> Figure | None:
    """Forecast − measured at the points that the fit did not see; None where none was measured."""
    _, rows, x, colour = _axes(forecast)
    rows = rows[rows["role"] != "used"].dropna(subset=["accuracy", "predicted"])
    if rows.empty:
        return None
    rows = rows.assign(
        residual=100 * (rows["predicted"] - rows["accuracy"]).clip(-1, 1),
        bottom=100 * (rows["low"] - rows["accuracy"]).clip(-1, 1),
        top=100 * (rows["high"] - rows["accuracy"]).clip(-1, 1),
    )
    y = alt.Y("residual:Q", title="forecast − measured, points", axis=alt.Axis(tickCount=4))
    base = alt.Chart(rows).encode(x, colour.legend(None))
    said = tooltips(["setting", "N", "predicted", "residual", "status"], forecast.source)
    layers = (
        alt.Chart(pd.DataFrame({"residual": [0.0]})).mark_rule(style="zero").encode(y),
        base.mark_rule(style="interval", opacity=0.22).encode(alt.Y("bottom:Q"), y2="top:Q"),
        base.mark_point(style="mark", shape=STAR).encode(y, tooltip=said),
    )
    name = curves_name(forecast.source, forecast.dataset, forecast.model)
    words = f"Forecast by {forecast.predictor} less what was measured, in percentage points."
    return Figure(
        f"{forecast.slug}-residuals", name, (words, "Bars reach 0 where the interval held."), layers, 150
    )


def _axes(forecast: Forecast) -> tuple[str, pd.DataFrame, alt.X, alt.Color]:
    """The column that colours tell apart, the rows shown, the horizontal axis and the colours."""
    ns = sorted(int(n) for n in forecast.rows["N"].unique())
    if forecast.over_length:
        shown = counts_to_show(ns, MOST_COUNTS)
        rows = forecast.rows[forecast.rows["N"].isin(shown)]
        return (
            "N",
            rows,
            log_axis("length", rows["length"], LENGTH_TITLES[forecast.source]),
            count_colour(shown),
        )
    settings = spread_out(order_settings(forecast.rows), MOST_SETTINGS)
    rows = forecast.rows[forecast.rows["setting"].isin(settings)]
    return "setting", rows, n_axis(ns), setting_colour(settings, forecast.source)


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each mark: its `kind`, its `accuracy`, and the `value` within [0, 1] where it is drawn."""
    used = rows[rows["role"] == "used"].assign(kind="used")
    held = rows[rows["role"] == "held_out"].assign(kind="measured")
    asked = rows[rows["role"] != "used"].assign(accuracy=lambda frame: frame["predicted"])
    beyond = [asked["accuracy"] > 1, asked["accuracy"] < 0]
    asked = asked.assign(kind=np.select(beyond, ["above 100 %", "below 0 %"], "predicted"))
    marks = pd.concat([used, held, asked]).dropna(subset=["accuracy"])
    marks = marks.assign(value=marks["accuracy"].clip(0, 1))
    return marks[["setting", "length", "N", "status", "kind", "accuracy", "value", *_ENDS]]


def _shape(points: pd.DataFrame) -> alt.Shape:
    kinds = [kind for kind in _SHAPES if (points["kind"] == kind).any()]
    scale = alt.Scale(domain=kinds, range=[_SHAPES[kind] for kind in kinds])
    words = alt.Legend(title=None, orient="top", columns=3, symbolType=alt.Undefined)
    return alt.Shape("kind:N", scale=scale, sort=kinds, legend=words)

"""Forecasts against what was measured: ● points the fit saw, ★ predictions, ○ measured (paper, Fig. 4).

    Forecast(dataset="gsm8k", model="Llama-3.1-8B", method="majority", predictor="joint", rows=…)
      setting  length  N   role      accuracy  predicted  low   high  status
      500      140.2   64  held_out  0.812     0.831      0.80  0.86  ok

A prediction outside [0, 1] is drawn as a triangle at the edge of the chart; the table beside has its number.
"""

from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import (
    MOST_COUNTS,
    MOST_SETTINGS,
    count_colour,
    faded,
    log_axis,
    n_axis,
    picker,
    setting_colour,
    tooltips,
    value_axis,
)
from results.figures.panels import counts_to_show, order_settings, spread_out, unique_slug, value_range
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
_COLUMNS = ["setting", "length", "N", "role", "accuracy", "predicted", "low", "high", "status"]


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
    forecasts: list[Forecast] = []
    parts = []
    for stem, table in tables.items():
        table = table.assign(length=answer_lengths(table))
        keys = ["source", "dataset", "model", "method", "predictor"]
        for key, rows in table.groupby(keys, sort=False):
            source, dataset, model, method, predictor = map(str, key)
            parts.append(((source, dataset, model, method, predictor), stem, rows))
    seen = [key for key, _, _ in parts]
    for key, stem, rows in parts:
        label = stem if seen.count(key) > 1 else ""
        slug = unique_slug(["forecast", *key[1:], label], [forecast.slug for forecast in forecasts])
        forecasts.append(Forecast(*key, label=label, rows=rows[_COLUMNS], slug=slug))
    return forecasts


def forecast_figure(forecast: Forecast) -> Figure:
    """Used, predicted and measured points, against length if new settings were forecast, else against N."""
    rows = forecast.rows
    ns = sorted(int(n) for n in rows["N"].unique())
    by_length = forecast.over_length
    if by_length:
        series, shown = "N", counts_to_show(ns, MOST_COUNTS)
        rows = rows[rows["N"].isin(shown)]
        colour = count_colour(shown)
        low, high = float(rows["length"].min()), float(rows["length"].max())
        x = log_axis("length", low, high, LENGTH_TITLES[forecast.source])
    else:
        settings = spread_out(order_settings(rows), MOST_SETTINGS)
        series, rows = "setting", rows[rows["setting"].isin(settings)]
        colour = setting_colour(settings, forecast.source)
        x = n_axis(ns)
    points = _points(rows)
    length = ["length"] if rows["length"].notna().all() else []
    said = tooltips(["kind", "setting", "N", *length, "accuracy", "status"], forecast.source)
    pick = picker(forecast.slug, series)
    asked = rows[rows["role"] != "used"].dropna(subset=["low", "high"])
    asked = asked.assign(value=asked["low"].clip(0, 1), top=asked["high"].clip(0, 1))
    y_range = value_range(pd.concat([points["value"], asked["value"], asked["top"]]), "accuracy")
    y = value_axis("value", "accuracy", y_range)
    measured = rows.dropna(subset=["accuracy"]).assign(value=lambda frame: frame["accuracy"])

    layers = [
        alt.Chart(measured)
        .mark_line(strokeWidth=1.4, clip=True)
        .encode(x, y, colour, opacity=faded(pick, 0.45, 0.05)),
        alt.Chart(asked)
        .mark_rule(strokeWidth=5, clip=True)
        .encode(x, y, alt.Y2("top:Q"), colour, opacity=faded(pick, 0.22, 0.03)),
        alt.Chart(points)
        .mark_point(filled=True, size=70, strokeWidth=0)
        .encode(x, y, colour, _shape(points), opacity=faded(pick, 1.0, 0.08), tooltip=said)
        .add_params(pick),
    ]
    return Figure(
        name=forecast.slug,
        title=curves_name(forecast.source, forecast.dataset, forecast.model),
        subtitle=(
            f"Forecast by {forecast.predictor} of the {METHOD_NAMES[forecast.method]}.",
            "Thin line: measured values; bars: 90 % interval of each forecast.",
        ),
        layers=tuple(layers),
    )


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each mark: its `kind`, its `accuracy`, and the `value` within [0, 1] where it is drawn."""
    used = rows[rows["role"] == "used"].assign(kind="used")
    held = rows[rows["role"] == "held_out"].assign(kind="measured")
    asked = rows[rows["role"] != "used"].assign(accuracy=lambda frame: frame["predicted"])
    beyond = [asked["accuracy"] > 1, asked["accuracy"] < 0]
    asked = asked.assign(kind=np.select(beyond, ["above 100 %", "below 0 %"], "predicted"))
    marks = pd.concat([used, held, asked]).dropna(subset=["accuracy"])
    marks = marks.assign(value=marks["accuracy"].clip(0, 1))
    return marks[["setting", "length", "N", "status", "kind", "accuracy", "value"]]


def _shape(points: pd.DataFrame) -> alt.Shape:
    kinds = [kind for kind in _SHAPES if (points["kind"] == kind).any()]
    scale = alt.Scale(domain=kinds, range=[_SHAPES[kind] for kind in kinds])
    words = alt.Legend(title=None, orient="top", columns=3, symbolType=alt.Undefined)
    return alt.Shape("kind:N", scale=scale, sort=kinds, legend=words)

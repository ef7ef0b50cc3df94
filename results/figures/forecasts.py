"""Figures of forecasts and measurements: ● fitted points, ★ forecasts, ○ measured later (paper, Fig. 3).

A forecast outside [0, 1] is a triangle at the edge of the chart. For token caps, the axis shows the cap.
Lines are interrupted at unknown values.
"""

import altair as alt
import pandas as pd

from results.figures.axes import (
    MOST_COUNTS,
    MOST_SETTINGS,
    colour,
    counts_to_show,
    label_room,
    log_axis,
    n_axis,
    setting_colour,
    spread_out,
    tooltips,
    value_axis,
    value_range,
)
from results.figures.series import FADED, Series, set_aside
from results.figures.theme import Figure
from results.summary.forecasts import ENDS, Forecast
from results.summary.panels import order_settings
from results.tables.status import Status, commonest
from results.words.cells import level_of
from results.words.forecasts import forecast_title
from results.words.names import LENGTH_TITLES, METHOD_NAMES, predictor_name

STAR = "M0,-1.3L.29,-.4L1.24,-.4L.47,.15L.76,1.05L0,.49L-.76,1.05L-.47,.15L-1.24,-.4L-.29,-.4Z"
_RING = "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0ZM-.66,0A.66,.66,0,1,0,.66,0A.66,.66,0,1,0,-.66,0Z"
_SHAPES = {
    "fitted": "circle",
    "forecast": STAR,
    "measured": _RING,
    "above 100 %": "triangle-up",
    "below 0 %": "triangle-down",
}
CLOSE = 0.04  # share of a doubling of length by which bars of several N are set apart
_SEEN = ("used", "beside")
"""Roles of rows that are not forecasts: those the fit used, and others measured next to it."""


def forecast_figure(forecast: Forecast) -> Figure:
    """Fitted, forecast and measured points, against length if new settings are forecast, else against N."""
    field, along, rows, x, colour = _axes(forecast)
    points = _points(rows)
    measured, ahead = (  # clipped to [0, 1]; no marks if there are no numbers
        rows.assign(value=rows[name].clip(0, 1)) if rows[name].notna().any() else rows.iloc[:0]
        for name in ("accuracy", "predicted")
    )
    beside = set_aside(rows, along, field, sorted(rows[field].unique()), CLOSE)
    spread = rows.assign(**{along: beside}) if forecast.over_length else rows
    bars, ends = (_bars(spread, kind) for kind in ("", "new_"))
    spans = [part[end] for part in (bars, ends) for end in ("value", "top")]
    drawn = [part["value"] for part in (points, ahead) if len(part)]
    heights = pd.concat([*drawn, *spans])
    length = ["length"] if rows["length"].notna().all() else []
    new = ENDS if len(ends) else ENDS[:2]
    shown = tooltips(["kind", "setting", "N", *length, "accuracy", *new, "status"], forecast.key.source)

    y_range = value_range(heights, "accuracy")
    y = value_axis("value", "accuracy", y_range)
    series = Series(forecast.slug, field, x, y, colour)
    series.add(measured, "line", "thin", (0.45, 0.05))
    series.add(ahead, "line", "trend", (0.7, 0.05))
    series.add(ends, "rule", "thin", (0.4, 0.05), y2="top:Q")
    series.add(bars, "rule", "interval", (0.22, 0.03), y2="top:Q")
    doubted = ~points["role"].isin(_SEEN) & ~points["kind"].eq("measured") & points["status"].ne("ok")
    for part, opacity in ((doubted, FADED), (~doubted, (1.0, 0.1))):
        series.add(points[part], "point", "mark", opacity, clip=False, shape=_shape(points), tooltip=shown)
    named = ""
    if label_room(list(rows[field].unique())):
        series.labels(points, along, y_range)
        named = f", labelled by {field}"
    by, level = predictor_name(forecast.rows, forecast.predictor), level_of(forecast.rows)
    wider = ", longer ones for new questions" if len(ends) else ""
    return series.figure(
        forecast_title(forecast),
        f"Forecast by {by} of the {METHOD_NAMES[forecast.key.method]}.{_verdict(forecast)}",
        f"Thin line: measured{named}; dotted: forecast; bars: {level} interval of each forecast{wider}.",
    )


def _axes(forecast: Forecast) -> tuple[str, str, pd.DataFrame, alt.X, alt.Color]:
    """The columns shown by colours and by the horizontal axis, the rows, that axis and the colours."""
    beside, rows = forecast.beside.assign(role="beside"), forecast.rows.drop(columns="level")
    rows = pd.concat([rows, beside], ignore_index=True) if len(beside) else rows
    ns = sorted(int(n) for n in rows["N"].unique())
    source = forecast.key.source
    if forecast.over_length:
        shown = counts_to_show(ns, MOST_COUNTS)
        rows, room = rows[rows["N"].isin(shown)], label_room(shown)
        caps = rows["setting"].str.extract(r"\bcap=(\d+)$")[0].astype("float64")
        field, title = "length", LENGTH_TITLES[source]
        if caps.notna().all():
            field, title, rows = "cap", "tokens allowed per answer (the cap)", rows.assign(cap=caps)
        x = log_axis(field, rows[field], title, room)
        return "N", field, rows, x, colour("N:O", shown, "answers N", labelled=room > 0)
    settings = spread_out(order_settings(rows), MOST_SETTINGS)
    rows, room = rows[rows["setting"].isin(settings)], label_room(settings)
    place = set_aside(rows, "N", "setting", settings)
    colours = setting_colour(settings, source, bool(rows["length"].notna().all()), labelled=room > 0)
    return "setting", "place", rows.assign(place=place), n_axis(ns, "place", room), colours


def _verdict(forecast: Forecast) -> str:
    """How many forecasts are not ok, and their commonest status; "" if all are ok."""
    status = forecast.targets["status"].dropna()
    doubted = status[status != Status.OK]
    if doubted.empty:
        return ""
    number = "None is ok" if len(doubted) == len(status) else f"Faded: {len(doubted)} of {len(status)}"
    return f" {number} ({commonest(doubted)})."


def _bars(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Forecast rows with an interval of that kind ("" or "new_"), as `value` to `top` within [0, 1]."""
    low, high = f"{kind}low", f"{kind}high"
    bars = rows[~rows["role"].isin(_SEEN)].dropna(subset=[low, high])
    return bars.assign(value=bars[low].clip(0, 1), top=bars[high].clip(0, 1))


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per mark: its `kind`, its `accuracy`, and its `value`, clipped to [0, 1] for drawing."""
    kinds = {"used": "fitted", "held_out": "measured", "beside": "measured"}
    known = rows.assign(kind=rows["role"].map(kinds)).dropna(subset="kind")
    forecasts = rows[~rows["role"].isin(_SEEN)]
    forecasts = forecasts.assign(kind="forecast", accuracy=forecasts["predicted"])
    forecasts.loc[forecasts["accuracy"] > 1, "kind"] = "above 100 %"
    forecasts.loc[forecasts["accuracy"] < 0, "kind"] = "below 0 %"
    marks = pd.concat([known, forecasts]).dropna(subset=["accuracy"])
    return marks.assign(value=marks["accuracy"].clip(0, 1))


def _shape(points: pd.DataFrame) -> alt.Shape:
    """The shape of marks; the scale has all kinds, so that figures agree, the legend only those present."""
    kinds = [kind for kind in _SHAPES if (points["kind"] == kind).any()]
    scale = alt.Scale(domain=list(_SHAPES), range=list(_SHAPES.values()))
    words = alt.Legend(title=None, columns=3, symbolType=alt.Undefined, values=kinds)
    return alt.Shape("kind:N", scale=scale, sort=list(_SHAPES), legend=words)

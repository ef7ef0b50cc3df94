"""The matched twin beside the language model: curves, and the similarity of their questions.

picture(matches)  ->  a Vega-Lite specification: a row per match with histograms, else three curves per row
"""

from collections.abc import Sequence
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import n_axis, value_axis
from results.figures.theme import Figure, combined_spec, rendered
from results.words.names import METHOD_NAMES
from studies.match.matching import Match, forecast_table
from studies.match.words import fit_words
from synthetic.model.tasks import Array

BLUE, ORANGE, MODEL = "#2c728e", "#f08a24", "#b8bfcc"


def save_picture(matches: Sequence[Match], path: Path) -> None:
    """Draw the matches to a .png, .svg or .pdf."""
    rows = [_row(match, place) for place, match in enumerate(matches)]
    if max(map(len, rows)) == 1:
        figures = [row[0] for row in rows]
        rows = [figures[start : start + 3] for start in range(0, len(figures), 3)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(rendered(combined_spec(rows), [path.suffix])[path.suffix])


def _row(match: Match, place: int) -> list[Figure]:
    if match.shares is None:
        return [_curves(match, place)]
    spread = "How often each question is answered right", "share of right answers, p"
    lead = "Its lead over the largest wrong answer", "probability gap, Δ"
    histograms = [histogram(match, place, column, *told) for column, told in enumerate((spread, lead))]
    return [_curves(match, place), *histograms]


def _curves(match: Match, place: int) -> Figure:
    """Measured points (filled if fitted) and the twin's curve with its 90 % interval."""
    columns = ["N", "method", "accuracy", "predicted", "low", "high", "role"]
    table = forecast_table([match])[columns].replace({"method": METHOD_NAMES})
    least = float(table[["accuracy", "low"]].min().min())
    y = (max(0.0, np.floor(10 * least) / 10), 1.0)
    names = [METHOD_NAMES["majority"], METHOD_NAMES["best_of_n"]]
    scale = alt.Scale(domain=names, range=[BLUE, ORANGE])
    full = alt.Scale(domain=["used", "held_out"], range=[1, 0])
    colour = alt.Color("method:N", scale=scale, title=None)
    stroke, fill = (of("method:N", scale=scale, legend=None) for of in (alt.Stroke, alt.Fill))
    rings = stroke, fill, alt.FillOpacity("role:N", scale=full, legend=None)
    base = alt.Chart(table).encode(n_axis(sorted(table["N"].unique())), colour)
    return Figure(
        f"twin-{place}",
        match.name,
        (fit_words(match), "lines and bands: the twin and its 90 % interval; full points: fitted"),
        (
            base.mark_area(opacity=0.2).encode(value_axis("low", "accuracy", y), alt.Y2("high:Q")),
            base.mark_line(strokeWidth=2).encode(value_axis("predicted", "accuracy", y)),
            base.mark_point(size=55, strokeWidth=1.5).encode(value_axis("accuracy", "accuracy", y), *rings),
        ),
    )


def histogram(match: Match, place: int, column: int, title: str, axis: str) -> Figure:
    """The model's questions as bars, the tasks of the weighted twins as a line."""
    assert match.shares is not None
    twins, weights = match.twin_shares
    edges = share_edges(match.curve.pool, lowest=-column)
    model = np.histogram(match.shares[:, column], edges)[0] / len(match.shares)
    twin = np.histogram(twins[:, column], edges, weights=weights)[0]
    bars = pd.DataFrame({"start": edges[:-1], "end": edges[1:], "model": model, "zero": 0.0})
    line = pd.DataFrame({"start": edges, "twin": np.append(twin, twin[-1])})
    spread = match.shares[:, column].std(), np.sqrt(np.cov(twins[:, column], aweights=weights))
    x = alt.X("start:Q", scale=alt.Scale(domain=[edges[0], edges[-1]], nice=False), title=axis)
    y_axis = alt.Axis(format=".0%", tickCount=6)
    y = [alt.Y(f"{name}:Q", title="share of questions", axis=y_axis) for name in ("model", "twin")]
    return Figure(
        f"twin-{place}-{column}",
        title,
        (f"bars: the model, standard deviation {spread[0]:.2f}; line: the twin, {spread[1]:.2f}",),
        (
            alt.Chart(bars).mark_bar(color=MODEL, binSpacing=1).encode(x, y[0], x2="end:Q", y2="zero:Q"),
            alt.Chart(line).mark_line(interpolate="step-after", color=BLUE, strokeWidth=2.5).encode(x, y[1]),
        ),
    )


def share_edges(pool: int, lowest: int) -> Array:
    """Edges of about 16 bins for shares of a pool from `lowest` (0 or −1) to 1, equally many in each."""
    width = -(-pool * (1 - lowest) // 16)
    count = -(-(pool * (1 - lowest) + 1) // width)
    return np.asarray(lowest + (width * np.arange(count + 1) - 0.5) / pool)

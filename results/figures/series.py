"""The layers of a chart: marks on shared axes, coloured by one column.

series = Series("llm-gsm8k-answers", "setting", x, y, colour)
series.add(exact, "line", "curve")       a line for each setting; a click on the legend fades the others
series.figure("Llama on gsm8k", "Majority vote against N.", "Line: exact.")
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import apart, line_ends, short_names
from results.figures.theme import Figure

_DASHES = {"baseline": [5, 4], "descent": [5, 4], "trend": [2, 3]}
"""Dashes by style. Set in the theme, they would also affect the legend's symbols."""

MOST_BANDS = 2
"""With more series, bands would hide each other."""

ASIDE = 0.15
"""How far series are shifted to each side, as a share of a doubling of N, so that bars do not overlap."""

EDGE = 0.7  # a line that ends beyond this share of the axis has its label at the edge

FADED = (0.35, 0.05)
"""The opacity of marks that are not to be trusted."""


def set_aside(
    rows: pd.DataFrame, along: str, field: str, names: Sequence[object], by: float = ASIDE
) -> "pd.Series[float]":
    """The column `along`, shifted for each of the series `names` so that they are side by side."""
    steps = np.linspace(-by, by, len(names)) if len(names) > 1 else [0.0]
    return rows[along] * 2.0 ** rows[field].map(dict(zip(names, steps, strict=True))).astype("float64")


class Series:
    """Marks that share axes and colours; a click on a legend entry of `field` fades all others."""

    def __init__(self, name: str, field: str, x: alt.X, y: alt.Y, colour: alt.Color) -> None:
        """`name`: the figure's, unique on the page; `field`: the column that `colour` shows."""
        self._name, self._field = name, field
        self._pick = alt.selection_point(fields=[field], bind="legend", name=f"pick_{name}".replace("-", "_"))
        self._channels = {"x": x, "y": y, "color": colour}
        self._layers: list[alt.Chart] = []

    def add(
        self,
        rows: pd.DataFrame,
        mark: str,
        style: str,
        opacity: tuple[float, float] | None = (1.0, 0.1),
        clip: bool = True,
        **channels: Any,
    ) -> None:
        """Add a layer with `rows`, if there are any, in a style of the theme.

        `opacity`: of a selected and of a faded mark; None for marks without a legend entry, whose colour
        and opacity come from the style. `channels` replace those of the series.
        """
        if rows.empty:
            return
        shared: dict[str, Any] = dict(self._channels)
        if opacity is None:
            shared.pop("color")
        else:
            shown, faded = map(alt.value, opacity)
            shared["opacity"] = alt.when(self._pick).then(shown).otherwise(faded)
        if style in _DASHES:
            shared["strokeDash"] = alt.value(_DASHES[style])
        chart = alt.Chart(rows, mark=alt.MarkDef(mark, style=style, clip=clip))  # type: ignore[arg-type]
        self._layers.append(chart.encode(**(shared | channels)))

    def intervals(self, rows: pd.DataFrame, names: Sequence[object]) -> str:
        """Draw known intervals, `low` … `high`; returns how they are drawn: "band", "bar" or "".

        Bands of more than MOST_BANDS of the series `names` would hide each other, and a single point has
        none: bars, side by side, are then drawn. Selecting a legend entry hides the others.
        """
        shown = rows[rows["low"].notna()]
        if shown.empty:
            return ""
        ends: dict[str, Any] = {"y": "low:Q", "y2": "high:Q"}
        along = self._channels["x"].shorthand.removesuffix(":Q")
        if len(names) <= MOST_BANDS and shown.groupby(self._field)[along].nunique().min() > 1:
            self.add(shown, "area", "band", (0.13, 0.0), **ends)
            return "band"
        moved = set_aside(shown, along, self._field, names)
        self.add(shown.assign(**{along: moved}), "rule", "interval", (0.3, 0.03), **ends)
        return "bar"

    def labels(self, rows: pd.DataFrame, along: str, y_range: tuple[float, float]) -> None:
        """Label each line in its colour at its end, where `along` is largest, or at the axis's edge."""
        ends = line_ends(rows, self._field, along)
        edge = ends[along].max()
        ends[along] = ends[along].where(ends[along] < EDGE * edge, edge)
        short = short_names(ends[self._field].tolist())
        ends = ends.assign(value=apart(ends["value"].tolist(), y_range), label=ends[self._field].map(short))
        self.add(ends, "text", "label", clip=False, text=alt.Text("label:N"))

    def figure(self, title: str, *subtitle: str) -> Figure:
        """The layers as a figure, with the last on top."""
        layers = (*self._layers[:-1], self._layers[-1].add_params(self._pick))
        return Figure(self._name, title, subtitle, layers)

"""The layers of a chart: marks on the same axes, coloured by one column.

series = Series("llm-gsm8k-answers", "setting", x, y, colour)
series.add(exact, "line", "curve")       a line for each setting; a click on the legend fades the others
series.figure("Llama on gsm8k", "Majority vote against N.", "Line: exact.")
"""

from typing import Any

import altair as alt
import pandas as pd

from results.figures.axes import apart
from results.figures.theme import Figure

_DASHES = {"baseline": [5, 4], "descent": [5, 4], "trend": [2, 3]}
"""Dashes by style. In the theme they would reach the symbols of the legend."""

FADED = (0.35, 0.05)
"""The opacity of what is not to be trusted."""


class Series:
    """Marks that share axes and colours; clicking a legend entry of `field` fades all others."""

    def __init__(self, name: str, field: str, x: alt.X, y: alt.Y, colour: alt.Color) -> None:
        """`name` is the figure's, unique on the page; `field` is the column that `colour` shows."""
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
        """Draw `rows`, if there are any, in a style of the theme.

        `opacity` is that of a picked and of a faded mark; None for one that belongs to no legend entry and
        takes colour and opacity from its style. `channels` replace those of the series.
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

    def band(self, rows: pd.DataFrame, opacity: float) -> None:
        """Draw the intervals of rows, `low` … `high`, where known; a picked legend entry hides the others."""
        known = rows["low"].notna()
        shown = rows if known.all() else rows[known]
        self.add(shown, "area", "band", (opacity, 0.0), y="low:Q", y2="high:Q")

    def labels(self, ends: pd.DataFrame, y_range: tuple[float, float]) -> None:
        """Name each line at its end, a row of `ends`, in its colour."""
        ends = ends.sort_values("value")
        ends = ends.assign(value=apart(ends["value"].tolist(), y_range))
        self.add(ends, "text", "label", clip=False, text=alt.Text(f"{self._field}:N"))

    def figure(self, title: str, *subtitle: str) -> Figure:
        """The layers as a figure, the last on top."""
        layers = (*self._layers[:-1], self._layers[-1].add_params(self._pick))
        return Figure(self._name, title, subtitle, layers)

"""How every figure of the project looks, and how it becomes Vega-Lite for a page or for a file.

    Figure(name="llm-gsm8k-majority-answers", title="…", subtitle=("…",), words="…", layers=(<Altair charts>))
figure.page_spec(), figure.file_spec()  ->  {"$schema": "…/vega-lite/v6…", "layer": […], "datasets": {…}, …}

On a page a chart takes the width of its column and HTML says what it shows; in a file its size is fixed and
its title is in it.
"""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import altair as alt
import numpy as np
import vl_convert

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
INK, QUIET, HAIRLINE, AXIS = "#1f2430", "#5b6475", "#e3e6ec", "#b8bfcc"
FILE_WIDTH, HEIGHT = 480, 320

# Viridis and plasma (CC0, Smith and van der Walt), cut where they become too pale for a white page:
# ordered, legible in grey and to the colour-blind. Settings wear the one, numbers of answers the other.
_SETTINGS = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962")
_COUNTS = ("#0d0887", "#5402a3", "#8b0aa5", "#b93289", "#db5c68", "#f48849")


CONFIG = {
    "font": FONT,
    "background": "white",
    "padding": 8,
    "aria": False,  # the page describes each figure in one sentence, not mark by mark
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": 500,
        "labelColor": QUIET,
        "titleColor": INK,
        "gridColor": HAIRLINE,
        "domainColor": AXIS,
        "tickColor": AXIS,
        "titlePadding": 10,
        "labelPadding": 5,
    },
    "axisX": {"grid": False},
    "axisY": {"domain": False, "ticks": False},
    "legend": {
        "orient": "bottom",
        "direction": "horizontal",
        "labelFontSize": 12,
        "labelColor": INK,
        "labelLimit": 170,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "titleColor": QUIET,
        "symbolType": "circle",
        "symbolSize": 110,
        "symbolOpacity": 1,
        "columnPadding": 14,
        "offset": 14,
    },
    "title": {
        "anchor": "start",
        "fontSize": 15,
        "fontWeight": 600,
        "color": INK,
        "subtitleFontSize": 12.5,
        "subtitleColor": QUIET,
        "subtitleLineHeight": 16,
        "subtitlePadding": 6,
        "offset": 14,
    },
}
"""The look of every figure: no frame, pale grid, the reader's own font, legend below."""


def setting_colours(count: int) -> list[str]:
    """Colours of `count` settings from cheap (dark) to dear."""
    return _ramp(_SETTINGS, count)


def count_colours(count: int) -> list[str]:
    """Colours of `count` values of N from few (dark) to many."""
    return _ramp(_COUNTS, count)


def _ramp(anchors: tuple[str, ...], count: int) -> list[str]:
    if count == 1:
        return [anchors[len(anchors) // 2]]
    rgb = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in anchors])
    places = np.linspace(0, len(anchors) - 1, count)
    mixed = np.stack([np.interp(places, np.arange(len(anchors)), rgb[:, i]) for i in range(3)], axis=1)
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in mixed.round().astype(int)]


@dataclass(frozen=True)
class Figure:
    """Layers of one chart (the last on top), with its file name (no suffix) and its title.

    `words` tell those who cannot see the figure what is in it.
    """

    name: str
    title: str
    subtitle: tuple[str, ...]
    words: str
    layers: tuple[alt.Chart, ...]

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The layers as Vega-Lite, with neither size, title nor look; numbers to four decimals."""
        frames = {id(layer.data): layer.data for layer in self.layers}  # layers may share their table
        names = {key: f"{self.name}/{i}" for i, key in enumerate(frames)}
        # Altair copies and checks whatever a chart holds many times over: rows join when it is done.
        bare = [layer.properties(data=alt.NamedData(name=names[id(layer.data)])) for layer in self.layers]
        spec = dict(alt.layer(*bare).to_dict())
        spec["datasets"] = {
            names[key]: json.loads(frame.to_json(orient="records", double_precision=4))
            for key, frame in frames.items()
        }
        return spec

    def page_spec(self) -> dict[str, Any]:
        """The specification for a page: as wide as the element that holds it."""
        size = {"width": "container", "height": HEIGHT, "autosize": {"type": "fit-x", "contains": "padding"}}
        return {**self.spec, **size, "config": CONFIG}

    def file_spec(self) -> dict[str, Any]:
        """The specification for a file: of fixed size, with its title in it."""
        title = {"text": self.title, "subtitle": list(self.subtitle), "limit": FILE_WIDTH + 50}
        return {**self.spec, "width": FILE_WIDTH, "height": HEIGHT, "title": title, "config": CONFIG}


def combined_spec(rows: list[list[Figure]]) -> dict[str, Any]:
    """One specification of several figures, laid out in rows, for a file."""
    specs = [[figure.file_spec() for figure in row] for row in rows]
    apart = {"scale": {"color": "independent"}}
    only_once = ("$schema", "datasets", "config")
    bare = [[{key: s[key] for key in s if key not in only_once} for s in row] for row in specs]
    return {
        "$schema": specs[0][0]["$schema"],
        "datasets": {name: data for row in specs for s in row for name, data in s["datasets"].items()},
        "vconcat": [{"hconcat": row, "spacing": 40, "resolve": apart} for row in bare],
        "spacing": 36,
        "resolve": apart,
        "config": CONFIG,
    }


@cache
def javascript() -> str:
    """Vega, Vega-Lite and vega-embed in one script that sets `window.vegaEmbed`."""
    bundle = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")

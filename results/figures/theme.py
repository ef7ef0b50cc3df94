"""The look of all figures, and their Vega-Lite specifications for pages and files.

    Figure(name="llm-gsm8k-majority-answers", title="…", subtitle=("…",), layers=(<Altair charts>))
figure.page_spec(), figure.file_spec()  ->  {"$schema": "…/vega-lite/v6…", "layer": […], "datasets": {…}, …}

On a page, a chart has the width of its column and its title is HTML; in a file, its size is
fixed and its title is part of the picture. `theme.json` defines the look: two palettes, light
and dark, and styles that marks refer to by name. Files use the light palette.
"""

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from textwrap import wrap
from typing import Any

import altair as alt
import vl_convert

from results.terminal import in_texts, visible
from results.words.names import PLACES

_THEME = json.loads(resources.files("results.figures").joinpath("theme.json").read_text(encoding="utf-8"))
PALETTES: dict[str, dict[str, Any]] = _THEME["palettes"]
INK, QUIET = PALETTES["light"]["ink"], PALETTES["light"]["quiet"]
FILE_WIDTH, HEIGHT = 480, 320
SUFFIXES = (".png", ".svg", ".pdf")
SCALE = 2
"""PNG pixels per nominal pixel."""
POINTS, DOTS = 72, 300
"""Points per inch, and pixels per inch of a printed PNG."""
PRINTED = 1.5
"""Nominal pixels per point on paper: 12-pixel letters are printed at 8 points."""
NARROW, LOW = 330, 250
"""The least width of a figure on paper, and the greatest height of one narrower than FILE_WIDTH."""


def look(palette: str) -> dict[str, Any]:
    """Vega-Lite's configuration in the palette "light" or "dark"."""
    colours = PALETTES[palette]
    text = re.sub(r'"@(\w+)"', lambda name: json.dumps(colours[name[1]]), json.dumps(_THEME["config"]))
    return dict(json.loads(text))


LIGHT = look("light")


@dataclass(frozen=True)
class Figure:
    """Layers of one chart (the last on top), with its file name (no suffix), title and subtitle.

    The subtitle's last line says how to read the marks. Links of marks lead to places on
    the page, so that files have none.
    """

    name: str
    title: str
    subtitle: tuple[str, ...]
    layers: tuple[alt.Chart, ...]
    height: int = HEIGHT

    @property
    def description(self) -> str:
        """Title and subtitle, for readers who cannot see the chart."""
        return f"{self.title}. {' '.join(self.subtitle)}"

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The layers as Vega-Lite, without size, title and look; numbers to PLACES decimals."""
        frames = {id(layer.data): layer.data for layer in self.layers}  # layers may share their table
        names = {key: f"{self.name}/{i}" for i, key in enumerate(frames)}
        # Altair copies and checks a chart's data many times, so rows are added at the end.
        bare = [layer.properties(data=alt.NamedData(name=names[id(layer.data)])) for layer in self.layers]
        spec = dict(alt.layer(*bare).to_dict())
        spec.pop("config")
        spec["description"] = self.description  # Vega uses it as the element's label
        spec.setdefault("datasets", {})  # holds tables that layers look up
        for key, frame in frames.items():
            rows = frame.to_json(orient="records", double_precision=PLACES)
            spec["datasets"][names[key]] = json.loads(rows)
        return dict(in_texts(spec, visible))  # drawing a control character would crash the process

    def page_spec(self) -> dict[str, Any]:
        """The specification for a page, as wide as its element; the page adds the look."""
        fit = {"type": "fit-x", "contains": "padding"}
        return {**self.spec, "width": "container", "height": self.height, "autosize": fit}

    def file_spec(self, width: float = FILE_WIDTH, label: str | None = None) -> dict[str, Any]:
        """The specification for a file: of fixed size, with its title or a `label`."""
        lines = [part for line in self.subtitle for part in wrap(line, int(width) // 6)]
        title = {"text": self.title, "subtitle": lines, "limit": width + 50}
        if label is not None:
            title = {"text": label}
        layers = [{**layer, "encoding": _unlinked(layer["encoding"])} for layer in self.spec["layer"]]
        height = self.height if width >= FILE_WIDTH else min(self.height, LOW)
        size = {"width": width, "height": height}
        return {**self.spec, "layer": layers, **size, "title": in_texts(title, visible), "config": LIGHT}


def _unlinked(encoding: dict[str, Any]) -> dict[str, Any]:
    return {channel: shown for channel, shown in encoding.items() if channel != "href"}


def numbered(figures: Sequence[Figure]) -> list[str]:
    """Labels for figures without titles: "(1)", "(2)", …; "" for a single figure."""
    return [f"({place})" if len(figures) > 1 else "" for place in range(1, len(figures) + 1)]


def combined_spec(
    rows: Sequence[Sequence[Figure]], width: float = FILE_WIDTH, bare: bool = False
) -> dict[str, Any]:
    """One specification for a file with several figures in rows; `bare`: without titles."""
    labels = iter(numbered([figure for row in rows for figure in row]))
    apart = {"scale": {"color": "independent"}}
    schema = ""
    datasets: dict[str, Any] = {}
    lines = []
    for row in rows:
        specs = [figure.file_spec(width, next(labels) if bare else None) for figure in row]
        for spec in specs:  # a file has these only once
            schema = spec.pop("$schema")
            datasets |= spec.pop("datasets")
            del spec["config"]
        lines.append({"hconcat": specs, "spacing": 40, "resolve": apart})
    return {
        "$schema": schema,
        "datasets": datasets,
        "vconcat": lines,
        "spacing": 36,
        "resolve": apart,
        "config": LIGHT,
    }


_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
"""In an SVG, the first match is the size of the whole picture."""


def rendered(
    spec: dict[str, Any], suffixes: Collection[str] = SUFFIXES, inches: float | None = None
) -> dict[str, bytes]:
    """The rendered files of a specification, by suffix; `inches`: scaled to that width on paper."""
    svg = str(vl_convert.vegalite_to_svg(spec))
    dots, in_points = SCALE * POINTS, svg
    if inches is not None:
        width, height = _drawn_size(svg)
        size = POINTS * inches, POINTS * inches * height / width
        dots, in_points = DOTS, _SIZE.sub('width="{:g}" height="{:g}"'.format(*size), svg, count=1)
        svg = _SIZE.sub('width="{:g}pt" height="{:g}pt"'.format(*size), svg, count=1)
    draw: dict[str, Callable[[], bytes]] = {
        ".png": lambda: bytes(vl_convert.svg_to_png(in_points, scale=dots / POINTS)),
        ".svg": svg.encode,
        ".pdf": lambda: bytes(vl_convert.svg_to_pdf(in_points)),
    }
    return {suffix: draw[suffix]() for suffix in suffixes}


def printed_spec(rows: Sequence[Sequence[Figure]], inches: float, bare: bool) -> dict[str, Any]:
    """Rows of figures for print: as many side by side as fit into `inches`, the total width."""
    whole = PRINTED * POINTS * inches
    most = max(1, int(whole // NARROW))
    rows = [row[place : place + most] for row in rows for place in range(0, len(row), most)]
    columns = max(map(len, rows))
    width = NARROW - 100.0
    for _ in range(2):  # the size of axes and gaps is known only after drawing
        spec = combined_spec(rows, width, bare)
        drawn, _ = _drawn_size(str(vl_convert.vegalite_to_svg(spec)))
        width = max(100.0, width + (whole - drawn) / columns)
    return combined_spec(rows, width, bare)


def _drawn_size(svg: str) -> tuple[float, float]:
    """Width and height of an SVG picture."""
    width, height = _SIZE.findall(svg)[0]
    return float(width), float(height)

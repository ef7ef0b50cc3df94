"""How every figure looks, and how it becomes Vega-Lite for a page or for a file.

    Figure(name="llm-gsm8k-majority-answers", title="…", subtitle=("…",), layers=(<Altair charts>))
figure.page_spec(), figure.file_spec()  ->  {"$schema": "…/vega-lite/v6…", "layer": […], "datasets": {…}, …}

On a page a chart takes the width of its column and its title is HTML; in a file its size is fixed and its
title is part of the picture. `theme.json` is the look: two palettes, light and dark, and what takes which
colour. A mark names its style there. Files are light.
"""

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from textwrap import wrap
from typing import Any

import altair as alt
import vl_convert

from results.words.names import PLACES

_THEME = json.loads(resources.files("results.figures").joinpath("theme.json").read_text(encoding="utf-8"))
PALETTES: dict[str, dict[str, Any]] = _THEME["palettes"]
INK, QUIET = PALETTES["light"]["ink"], PALETTES["light"]["quiet"]
FILE_WIDTH, HEIGHT = 480, 320
SUFFIXES = (".png", ".svg", ".pdf")
SCALE = 2
"""Pixels of a PNG for each nominal one."""


def look(palette: str) -> dict[str, Any]:
    """Vega-Lite's configuration in the palette "light" or "dark"."""
    colours = PALETTES[palette]
    text = re.sub(r'"@(\w+)"', lambda name: json.dumps(colours[name[1]]), json.dumps(_THEME["config"]))
    return dict(json.loads(text))


LIGHT = look("light")


@dataclass(frozen=True)
class Figure:
    """Layers of one chart (the last on top), with its file name (no suffix), title and subtitle.

    The subtitle's last line says how to read the marks. A link of a mark leads to a place on the page, so
    that files have none.
    """

    name: str
    title: str
    subtitle: tuple[str, ...]
    layers: tuple[alt.Chart, ...]
    height: int = HEIGHT

    @property
    def description(self) -> str:
        """Title and subtitle, for who cannot see the chart."""
        return f"{self.title}. {' '.join(self.subtitle)}"

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The layers as Vega-Lite, without size, title and look; numbers to PLACES decimals."""
        frames = {id(layer.data): layer.data for layer in self.layers}  # layers may share their table
        names = {key: f"{self.name}/{i}" for i, key in enumerate(frames)}
        # Altair copies and checks the data of a chart many times, so the rows are added at the end.
        bare = [layer.properties(data=alt.NamedData(name=names[id(layer.data)])) for layer in self.layers]
        spec = dict(alt.layer(*bare).to_dict())
        spec.pop("config")
        spec["description"] = self.description  # Vega labels the chart's element with it
        spec.setdefault("datasets", {})  # holds what a layer looks up
        for key, frame in frames.items():
            rows = frame.to_json(orient="records", double_precision=PLACES)
            spec["datasets"][names[key]] = json.loads(rows)
        return spec

    def page_spec(self) -> dict[str, Any]:
        """The specification for a page, which adds the look: as wide as the element that holds it."""
        fit = {"type": "fit-x", "contains": "padding"}
        return {**self.spec, "width": "container", "height": self.height, "autosize": fit}

    def file_spec(self) -> dict[str, Any]:
        """The specification for a file: of fixed size, with its title in it."""
        lines = [part for line in self.subtitle for part in wrap(line, FILE_WIDTH // 6)]
        title = {"text": self.title, "subtitle": lines, "limit": FILE_WIDTH + 50}
        layers = [{**layer, "encoding": _unlinked(layer["encoding"])} for layer in self.spec["layer"]]
        size = {"width": FILE_WIDTH, "height": self.height}
        return {**self.spec, "layer": layers, **size, "title": title, "config": LIGHT}


def _unlinked(encoding: dict[str, Any]) -> dict[str, Any]:
    return {channel: shown for channel, shown in encoding.items() if channel != "href"}


def combined_spec(rows: list[list[Figure]]) -> dict[str, Any]:
    """One specification of several figures, laid out in rows, for a file."""
    apart = {"scale": {"color": "independent"}}
    schema = ""
    datasets: dict[str, Any] = {}
    lines = []
    for row in rows:
        specs = [figure.file_spec() for figure in row]
        for spec in specs:  # what a file says only once
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


def rendered(spec: dict[str, Any], suffixes: Collection[str] = SUFFIXES) -> dict[str, bytes]:
    """A specification drawn: its files by suffix."""
    svg = str(vl_convert.vegalite_to_svg(spec))
    draw: dict[str, Callable[[], bytes]] = {
        ".png": lambda: bytes(vl_convert.svg_to_png(svg, scale=SCALE)),
        ".svg": svg.encode,
        ".pdf": lambda: bytes(vl_convert.svg_to_pdf(svg)),
    }
    return {suffix: draw[suffix]() for suffix in suffixes}

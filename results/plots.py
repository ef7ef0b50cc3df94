"""How every figure of the project looks, and how it becomes a page's specification, a PNG and an SVG.

    Figure(name="llm-gsm8k-majority-answers", title="…", subtitle=("…",), words="…", chart=<Altair chart>)
    figure.page_spec() -> Vega-Lite as a dict;   figure.svg() -> str;   png(svg) -> bytes

The chart itself has neither a width nor a title: on a page it takes the width of its column and HTML says
what it shows, in a file both are fixed.
"""

from dataclasses import dataclass
from typing import Any, cast

import altair as alt
import numpy as np
import vl_convert

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
INK, QUIET, HAIRLINE = "#1f2430", "#5b6475", "#e3e6ec"
FILE_WIDTH, HEIGHT, SCALE = 480, 320, 2

# Viridis and plasma (CC0, Smith and van der Walt), cut where they become too pale for a white page:
# ordered, legible in grey and to the colour-blind. Settings wear the one, numbers of answers the other.
_SETTINGS = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962")
_COUNTS = ("#0d0887", "#5402a3", "#8b0aa5", "#b93289", "#db5c68", "#f48849")


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
    """A chart with its file name (no suffix), its title and the words for those who cannot see it."""

    name: str
    title: str
    subtitle: tuple[str, ...]
    words: str
    chart: alt.LayerChart

    def page_spec(self) -> dict[str, Any]:
        """The specification for a page: as wide as the element that holds it."""
        sized = self.chart.properties(width="container", height=HEIGHT)
        return _to_dict(
            styled(sized.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding")))
        )

    def file_spec(self) -> dict[str, Any]:
        """The specification for a file: of fixed size, with its title in it."""
        return _to_dict(styled(self.titled()))

    def titled(self) -> alt.LayerChart:
        """The chart with size and title, to stand alone or beside others in one file."""
        title = alt.TitleParams(text=self.title, subtitle=list(self.subtitle), limit=FILE_WIDTH + 50)
        return self.chart.properties(width=FILE_WIDTH, height=HEIGHT, title=title)

    def svg(self) -> str:
        """The figure as an SVG document."""
        return str(vl_convert.vegalite_to_svg(self.file_spec()))


def layered(*layers: alt.Chart) -> alt.LayerChart:
    """The layers over one another, the last on top; numbers are cut to four decimals to keep pages small."""
    for layer in layers:
        layer.data = layer.data.round(4)
    return cast(alt.LayerChart, alt.layer(*layers))


def styled(chart: Any) -> Any:
    """`chart` (any Altair chart) in the project's look: no frame, pale grid, system font, legend below."""
    return (
        chart.configure(font=FONT, background="white", padding=8, aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight=500, labelColor=QUIET, titleColor=INK,
            gridColor=HAIRLINE, domainColor="#b8bfcc", tickColor="#b8bfcc", titlePadding=10, labelPadding=5,
        )
        .configure_axisX(grid=False)
        .configure_axisY(domain=False, ticks=False)
        .configure_legend(
            orient="bottom", direction="horizontal", labelFontSize=12, titleFontSize=12, titleFontWeight=500,
            labelColor=INK, titleColor=QUIET, symbolStrokeWidth=3, symbolSize=110, columnPadding=14,
            labelLimit=170, offset=14, symbolOpacity=1, symbolType="circle",
        )
        .configure_title(
            anchor="start", fontSize=15, fontWeight=600, color=INK, subtitleFontSize=12.5,
            subtitleColor=QUIET, offset=14, subtitlePadding=6, subtitleLineHeight=16,
        )
    )  # fmt: skip


def combined_svg(rows: list[list[Figure]]) -> str:
    """One SVG of several figures, laid out in rows."""
    lines = [
        alt.hconcat(*(figure.titled() for figure in row), spacing=40).resolve_scale(color="independent")
        for row in rows
    ]
    spec = _to_dict(styled(alt.vconcat(*lines, spacing=36).resolve_scale(color="independent")))
    return str(vl_convert.vegalite_to_svg(spec))


def png(svg: str) -> bytes:
    """An SVG document as a PNG of twice its nominal size."""
    return bytes(vl_convert.svg_to_png(svg, scale=SCALE))


def javascript() -> str:
    """Vega, Vega-Lite and vega-embed in one script that sets `window.vegaEmbed`."""
    bundle = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _to_dict(chart: Any) -> dict[str, Any]:
    with alt.data_transformers.enable("default", max_rows=None):
        return dict(chart.to_dict())

"""What a page needs to draw its figures without a network, and to run nothing else.

    <div class="chart" data-figure="NAME"></div>      filled by draw.js from the page's JSON, drawn by Vega

Vega reads its expressions with an interpreter (`ast`), so the page needs no "unsafe-eval". Its policy names
the hash of each script and style sheet in it: one that came in by way of a name in a table would not run.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

import vl_convert
from markupsafe import Markup

from results.figures.theme import PALETTES, Figure, look

_FILES = resources.files("results.figures")


@cache
def vega() -> Markup:
    """Vega, Vega-Lite and vega-embed in one script that sets `window.vegaEmbed`."""
    bundle = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    return Markup(bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def draw_script() -> Markup:
    """The script that draws every figure on the page."""
    return Markup(_FILES.joinpath("draw.js").read_text(encoding="utf-8"))


def figure_data(figures: Sequence[Figure]) -> dict[str, Markup]:
    """What draw.js reads: figures by name, and the look in both palettes."""
    specs = in_script({figure.name: figure.page_spec() for figure in figures})
    return {"specs": specs, "looks": in_script({palette: look(palette) for palette in PALETTES})}


def style(css: str) -> Markup:
    """A style sheet with the palettes as custom properties (--ink, …), and that of draw.js."""
    own = [
        "".join(f"--{name}:{value};" for name, value in PALETTES[palette].items() if isinstance(value, str))
        for palette in ("light", "dark")
    ]
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{own[1]}}}}}"
    return Markup(
        f":root{{{own[0]}color-scheme:light dark}}{dark}\n{_FILES.joinpath('draw.css').read_text()}{css}"
    )


def policy(scripts: Sequence[Markup], styles: Sequence[Markup]) -> str:
    """The content of a Content-Security-Policy that allows these scripts and styles, and nothing else."""
    allowed = {"script-src": scripts, "style-src": styles}
    hashes = "; ".join(f"{kind} {' '.join(map(_hash, texts))}" for kind, texts in allowed.items())
    return f"default-src 'none'; {hashes}; img-src 'self' data: file:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def in_script(data: object) -> Markup:
    """`data` as JSON that no name in it can break out of a script element with."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def figures_page(
    title: str, figures: Sequence[Figure], lead: Sequence[str] = (), summary: Sequence[str] = ()
) -> bytes:
    """A page of figures, each as wide as the page, below its title, paragraphs and a list of findings."""
    parts = {"vega": vega(), "draw": draw_script(), "css": style("")}
    shown = Markup(
        '<h2>{}</h2><p>{}</p><div class="chart" data-figure="{}" role="img" aria-label="{}"></div><p>{}</p>'
    )
    items = Markup().join(Markup("<li>{}</li>").format(line) for line in summary)
    parts_above = [
        Markup("<h1>{}</h1>").format(title),
        *(Markup("<p>{}</p>").format(paragraph) for paragraph in lead),
        Markup("<ul>{}</ul>").format(items) if summary else "",
    ]
    body = Markup().join(parts_above) + Markup().join(
        shown.format(one.title, one.subtitle[0], one.name, one.description, one.subtitle[-1])
        for one in figures
    )
    rules = policy([parts["vega"], parts["draw"]], [parts["css"]])
    page = Markup(_FILES.joinpath("draw.html").read_text(encoding="utf-8"))
    return page.format(title=title, policy=rules, body=body, **parts, **figure_data(figures)).encode()

"""Everything a page needs to draw its figures offline, with no other script allowed.

    <div class="chart" data-figure="NAME"></div>      filled by draw.js from the page's JSON, drawn by Vega

Vega evaluates expressions with an interpreter (`ast`), so the page needs no "unsafe-eval". Its
policy lists the hash of each of its scripts and style sheets, so that a script injected by a
name in a table would not run.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import jinja2
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


def style(css: str) -> Markup:
    """A style sheet: the palettes as custom properties (--ink, …), draw.css, and `css`."""
    own = [
        "".join(f"--{name}:{value};" for name, value in PALETTES[palette].items() if isinstance(value, str))
        for palette in ("light", "dark")
    ]
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{own[1]}}}}}"
    return Markup(
        f":root{{{own[0]}color-scheme:light dark}}{dark}\n{_FILES.joinpath('draw.css').read_text()}{css}"
    )


def policy(scripts: Sequence[Markup], styles: Sequence[Markup]) -> str:
    """A Content-Security-Policy that allows only these scripts and styles."""
    allowed = {"script-src": scripts, "style-src": styles}
    hashes = "; ".join(f"{kind} {' '.join(map(_hash, texts))}" for kind, texts in allowed.items())
    return f"default-src 'none'; {hashes}; img-src 'self' data: file:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def in_script(data: object) -> Markup:
    """`data` as JSON, escaped so that no text in it can close a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def page_of(
    template: str,
    context: Mapping[str, object],
    figures: Sequence[Figure],
    script: str = "",
    css: str = "",
    **options: Any,
) -> bytes:
    """The page from a template, its context and figures, with a script and style sheet of its own.
    `options` are Jinja's."""
    scripts, sheet = [vega(), *filter(None, [Markup(script)]), draw_script()], style(css)
    specs = in_script({figure.name: figure.page_spec() for figure in figures})
    looks = in_script({palette: look(palette) for palette in PALETTES})
    parts = {"css": sheet, "scripts": scripts, "policy": policy(scripts, [sheet])}
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, **options)
    page = environment.from_string(template).render(context, specs=specs, looks=looks, **parts)
    return page.encode()


def figures_page(
    title: str, figures: Sequence[Figure], lead: Sequence[str] = (), summary: Sequence[str] = ()
) -> bytes:
    """A page with title, paragraphs, a list of findings, and figures as wide as the page."""
    template = _FILES.joinpath("draw.html").read_text(encoding="utf-8")
    shown = {"title": title, "lead": lead, "summary": summary, "figures": figures}
    return page_of(template, shown, figures, keep_trailing_newline=True)

"""Figures as files: a Vega-Lite specification to an SVG document and a PNG, several at a time.

render_all({"llm-gsm8k-majority-answers": {...}})  ->  {"llm-….svg": "<svg…", "llm-….png": b"…"}
"""

import os
import signal
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import vl_convert
from tqdm import tqdm

SCALE = 2
"""Pixels of a PNG for each nominal one."""

FEW = 8
"""Up to so many figures, starting other processes takes longer than it saves."""

Named = tuple[str, dict[str, Any]]


def render(named: Named) -> tuple[str, str, bytes]:
    """A figure's name, its SVG and its PNG."""
    name, spec = named
    svg = str(vl_convert.vegalite_to_svg(spec))
    return name, svg, bytes(vl_convert.svg_to_png(svg, scale=SCALE))


def render_all(specs: dict[str, dict[str, Any]], progress: bool = False) -> dict[str, str | bytes]:
    """NAME.svg and NAME.png of every specification."""
    jobs = min(os.cpu_count() or 1, len(specs) // FEW)
    if jobs <= 1:
        return _collect(map(render, specs.items()), len(specs), progress)
    # The renderer holds Python's lock, so threads gain nothing; it must not be forked once it has started.
    quiet = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    with ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, quiet) as pool:
        return _collect(pool.map(render, specs.items()), len(specs), progress)


def _collect(done: Iterable[tuple[str, str, bytes]], count: int, progress: bool) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for name, svg, png in tqdm(
        done, total=count, unit=" figures", delay=2, disable=None if progress else True
    ):
        files[f"{name}.svg"] = svg
        files[f"{name}.png"] = png
    return files

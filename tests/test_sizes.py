"""The size of the whole project, which may fall but not rise: a ratchet.

A change that makes a number smaller lowers its limit here; one that needs a larger one says why in its
commit. `pytest -rP tests/test_sizes.py` prints what is measured.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = ("harness", "predict", "prompts", "results", "synthetic")
LONG = 100
"""A line with more characters than this is long."""

LIMITS = {
    "lines of the packages": 38_592,
    "files of the packages": 302,
    "lines of the tests": 34_285,
    "words of pages written by hand": 18_796,
    "mean characters of a line": 53.0,
    "long lines, %": 7.9,
}


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def lines(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        yield from path.read_text(encoding="utf-8").splitlines()


def pages() -> list[Path]:
    """Pages written by hand; studies' pages are not counted, being mostly generated tables."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
    return [*top, *sorted((ROOT / "docs").rglob("*.md"))]


def measured() -> dict[str, float]:
    packages = sources(*PACKAGES)
    widths = [len(line) for line in lines(packages) if line.strip()]
    words = [len(path.read_text(encoding="utf-8").split()) for path in pages()]
    return {
        "lines of the packages": len(list(lines(packages))),
        "files of the packages": len(packages),
        "lines of the tests": len(list(lines(sources("tests")))),
        "words of pages written by hand": sum(words),
        "mean characters of a line": round(sum(widths) / len(widths), 1),
        "long lines, %": round(100 * sum(width > LONG for width in widths) / len(widths), 1),
    }


@pytest.mark.parametrize("name", LIMITS)
def test_the_house_does_not_grow(name: str) -> None:
    size = measured()[name]
    print(f"{name}: {size:,} (at most {LIMITS[name]:,})")  # noqa: T201
    assert size <= LIMITS[name]

"""The documentation pages, and the code blocks in them."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import ROOT

PACKAGES = ("harness", "predict", "prompts", "results", "synthetic")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(
        page
        for folder in ("docs", "studies", *PACKAGES)
        for page in sorted((ROOT / folder).rglob("*.md"))
        if "runs" not in page.parts
    ),
]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def split(page: Path) -> tuple[str, Sequence[tuple[str, str]]]:
    """A page without its code blocks, and each block as (language or "", code)."""
    text = page.read_text(encoding="utf-8")
    return _FENCED.sub("", text), _FENCED.findall(text)


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in `language`."""
    return [block for name, block in split(page)[1] if name == language]


def recipe(name: str) -> Path:
    return ROOT / "docs" / "recipes" / f"{name}.md"

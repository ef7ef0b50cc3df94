"""Python in the README and in docstrings prints what stands below it; what the pages name exists."""

import doctest
import re
import subprocess
import sys
from importlib import import_module

import pytest

from tests.conftest import ROOT


def test_the_python_block_prints_what_stands_below_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert found
    code, shown = found.groups()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == shown.split()


ROOMS = ("harness", "predict", "prompts", "results", "synthetic")
WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings_print_what_stands_below_them(module: str) -> None:
    found = doctest.testmod(import_module(module.removesuffix(".__init__")), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0


def test_every_link_to_a_file_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "results").rglob("README.md")]:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_every_path_that_is_named_exists() -> None:
    """`predict/curves/joint.py` and the like: pages outlive the files they name."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "harness" / "tiny" / "README.md"]
    for page in pages:
        for path in re.findall(
            r"(?<![\w/])((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)", page.read_text(encoding="utf-8")
        ):
            roots = [
                ROOT,
                page.parent,
                *(ROOT / room for room in ("harness", "synthetic", "results", "predict")),
            ]
            assert any((root / path).exists() for root in roots), f"{page}: {path}"

"""Python in the pages and in docstrings prints the output shown; files and headings named in pages exist."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.pages import PACKAGES, PAGES, split

WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
BLOCKS = [
    found.groups()
    for page in PAGES
    for found in re.finditer(r"```python\n(.*?)```\n\n```\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(("code", "shown"), BLOCKS)
def test_a_python_block_prints_what_stands_below_it(
    code: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    exec(code, {"__name__": "__main__"})
    assert capsys.readouterr().out.split() == shown.split()


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings_print_what_stands_below_them(module: str) -> None:
    found = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert (found.attempted > 0, found.failed) == (True, 0)


def anchors(page: Path) -> set[str]:
    """The anchors that a link may name after `#`: a page's headings, as code hosts spell them."""
    headings = re.findall(r"^#+ (.*)$", split(page)[0], re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_and_heading_that_a_page_names_exists(page: Path) -> None:
    """Links, and paths like `curves/joint.py`, which may begin in a package, so that none goes stale."""
    text = page.read_text(encoding="utf-8")
    for target, _, heading in re.findall(r"\]\((?!https?://)([^)#]*)(#([^)]+))?\)", text):
        file = page.parent / target if target else page
        assert file.exists(), target
        assert not heading or heading in anchors(file), f"{target}#{heading}"
    for path in re.findall(r"(?<![\w/.])(\.?(?:[a-z_0-9]+/)+[a-z_0-9]+\.py)", text):
        roots = [ROOT, page.parent, *(ROOT / package for package in PACKAGES)]
        assert any((root / path).exists() for root in roots), path

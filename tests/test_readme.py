"""The README's Python runs as it stands there and prints what stands below it."""

import re
import subprocess
import sys

from tests.conftest import ROOT


def test_the_python_block_prints_what_stands_below_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert found
    code, shown = found.groups()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == shown.split()


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

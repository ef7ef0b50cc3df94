"""The demo and the core run where neither PyTorch nor transformers is installed."""

from pathlib import Path

import pytest

from tests.installed import without


def said(folder: Path, *commands: str) -> list[str]:
    """The output lines of commands run in one process without the two packages, exit statuses as <0>."""
    done = without(["torch", "transformers"], *(line.split() for line in commands), folder=folder)
    return done.stdout.splitlines()


@pytest.mark.release
def test_the_demo_runs(tmp_path: Path) -> None:
    lines = said(
        tmp_path,
        "harness sample tiny --set samples=4 --set limit=4 --set budgets=10,40 --out run",
        "results curves run --out curves.csv",
        "synthetic run fig1-binary --repeats 2 --out twin",
        "predict forecast run --fit-max-n 2 --bootstrap 10 --out forecast.csv",
        "results report curves.csv twin/fig1-binary.csv forecast.csv --out report",
        "harness sample tiny --set samples=2 --limit 2 --set budget_by=force --out forced",
        "harness force run --setting 40 --at 5,10 --out cut",
        "harness sample gsm8k-budgets --set dataset=tiny --set model=tiny --out none --dry-run",
    )
    assert [line for line in lines if line.startswith("<")] == ["<0>"] * 8, lines


def test_what_needs_pytorch_says_so_in_one_line(tmp_path: Path) -> None:
    lines = said(tmp_path, "studies.tiny.run", "studies.trained.run --out trained", "harness gpu-check")
    assert lines[1::2] == ["<2>"] * 3, lines
    for line in lines[::2]:
        assert all(part in line for part in ("error: ", "torch", "pip install")), line
    assert list(tmp_path.iterdir()) == []

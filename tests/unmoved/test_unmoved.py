"""No number that a command prints or writes has moved, nor has a figure: see commands.py."""

import json
from numbers import Real
from pathlib import Path
from typing import Any

import pytest

from tests.unmoved.commands import COMMANDS, KEPT, figures, outcome

pytestmark = pytest.mark.integration

DRAWN = ("forecast", "backtest", "plan", "precision")
"""Commands whose intervals are drawn: another processor moves them by up to 5e-4."""


def moved(before: Any, now: Any, within: float) -> list[str]:
    """What differs, by its path; numbers may differ by `within`, or by that share."""
    if isinstance(before, Real) and isinstance(now, Real):
        same = before == now or abs(float(now) - float(before)) <= within * max(1.0, abs(float(before)))
        return [] if same else [f" {before} -> {now}"]
    if isinstance(before, dict) and isinstance(now, dict) and before.keys() == now.keys():
        pairs: Any = ((key, before[key], now[key]) for key in before)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = zip(range(len(now)), before, now, strict=True)
    else:
        return [] if before == now else [f" {before!r:.60} -> {now!r:.60}"]
    return [f"/{key}{line}" for key, one, other in pairs for line in moved(one, other, within)]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in (*COMMANDS, "figures")]
)
def test_no_number_has_moved(name: str, tmp_path: Path) -> None:
    before = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    now = figures(tmp_path) if name == "figures" else outcome(name, tmp_path)
    assert now.keys() == before.keys()
    within = 1e-3 if name.startswith(DRAWN) else 1e-6
    lines = [
        line
        for key in before
        if not key.endswith("/condition")
        for line in moved({key: before[key]}, {key: now[key]}, 0.11 if key.startswith("stdout") else within)
    ]
    assert not lines, "if this is meant: python -m tests.unmoved.commands\n" + "\n".join(lines[:20])

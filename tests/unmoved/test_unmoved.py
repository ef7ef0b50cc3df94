"""No number that a command prints or writes has moved, nor has a figure: see commands.py."""

import json
from numbers import Real
from pathlib import Path
from typing import Any

import pytest

from tests.unmoved.commands import COMMANDS, KEPT, figures, outcome

DRAWN = ("forecast", "backtest", "plan", "precision")
"""Commands whose intervals are drawn: another processor moves them by up to 5e-4."""


SLOW = ("forecast", "backtest", "precision", "figures")
"""Those that take seconds each: of a release."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    alone = pytest.mark.xdist_group(name)
    return [alone, pytest.mark.release] if name.startswith(SLOW) else [alone]


def moved(before: Any, now: Any, within: float, printed: bool = False) -> list[str]:
    """What differs, by its path; numbers may differ by `within`, or by that share.

    Numbers that are `printed` are rounded: they may differ by one in the last digit, or by that share.
    """
    if isinstance(before, Real) and isinstance(now, Real):
        if before == now:  # two infinities among them
            return []
        spare = 1.01 * last_digit(before, now) if printed else within
        off = abs(float(now) - float(before))
        return [] if off <= max(spare, within * abs(float(before))) else [f" {before} -> {now}"]
    if isinstance(before, dict) and isinstance(now, dict) and before.keys() == now.keys():
        pairs: Any = ((key, before[key], now[key]) for key in before)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = zip(range(len(now)), before, now, strict=True)
    else:
        return [] if before == now else [f" {before!r:.60} -> {now!r:.60}"]
    return [f"/{key}{line}" for key, one, other in pairs for line in moved(one, other, within, printed)]


def last_digit(*numbers: Real) -> float:
    """What one is worth in the last place of any of the numbers: 0.1 of 24.3 and 24.0, 1 of 172 and 9,700."""
    places = [len(str(float(number)).partition(".")[2].removesuffix("0")) for number in numbers]
    return float(10.0 ** -max(places))


def test_a_printed_number_may_differ_by_one_in_its_last_digit() -> None:
    assert not moved([24.3, 172.0, 0.6], [24.2, 173.0, 0.61], 1e-6, printed=True)
    assert moved([24.3], [24.5], 1e-6, printed=True)
    assert moved([172.0], [174.0], 1e-6, printed=True)
    assert moved([0.62], [0.64], 1e-3, printed=True)


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in (*COMMANDS, "figures")])
def test_no_number_has_moved(name: str, tmp_path: Path) -> None:
    before = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    now = figures(tmp_path) if name == "figures" else outcome(name, tmp_path)
    assert now.keys() == before.keys()
    within = 1e-3 if name.startswith(DRAWN) else 1e-6
    lines = [
        line
        for key in before
        if not key.endswith("/condition")
        for line in moved({key: before[key]}, {key: now[key]}, within, printed=key.startswith("stdout"))
    ]
    assert not lines, "if this is meant: python -m tests.unmoved.commands\n" + "\n".join(lines[:20])

"""Nothing that commands say, ask or write of the crossed world has moved: see scenes.py."""

import difflib
import re
from pathlib import Path

import pytest

from tests.unmoved.scenes import AS_IT_SHIPS, KEPT, SCENES, text_of

NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
SLOW = ("forecast-curves", "page", "report")
DRAWN = ("forecast", "backtest", "plan", "precision", "report", "page", "cached")
"""Scenes in which intervals are drawn or an optimiser ends: another processor moves their last digits."""

NOISE = 1e12
"""A condition number above this is whatever the last digits make of it."""


def moved(before: str, now: str, within: float) -> list[str]:
    """The lines that differ; numbers may differ by that share, or by one in their last decimal."""
    pairs = zip(before.splitlines(), now.splitlines(), strict=False)
    alike = [one if same(one, other, within) else other for one, other in pairs]
    alike += now.splitlines()[len(alike) :]
    return list(difflib.unified_diff(before.splitlines(), alike, lineterm="", n=0))


def same(one: str, other: str, within: float) -> bool:
    if one == other:
        return True
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    if "ill_conditioned" in one:  # which multiplies the last digits
        within = max(within, 0.01)
    return all(map(near, NUMBER.findall(one), NUMBER.findall(other), [within] * len(one)))


def near(one: str, other: str, within: float) -> bool:
    """Whether two numbers are one: whole ones by the share alone, so that counts are held to the digit."""
    a, b = (float(number.replace("−", "-").replace(",", "")) for number in (one, other))
    decimals = min(len(number.partition("e")[0].partition(".")[2]) for number in (one, other))
    spare = 1.01 * 10.0**-decimals if decimals else 0.0
    return min(abs(a), abs(b)) > NOISE or abs(a - b) <= max(spare, within * abs(a))


def test_whole_numbers_and_words_are_held_and_last_decimals_are_not() -> None:
    assert not moved("a 12.31 of 7", "a 12.30 of 7", 1e-6)
    assert moved("a 12.31 of 7", "a 12.31 of 8", 1e-3)
    assert moved("a 12.31 of 7", "a 12.33 of 7", 1e-6)
    assert moved("a 7", "b 7", 1e-6)
    assert moved("a", "a\nb", 1e-6)


def marks(name: str) -> list[pytest.MarkDecorator]:
    later = "release" if name.startswith(AS_IT_SHIPS) else "integration" if name in SLOW else None
    return [pytest.mark.xdist_group(name), *([getattr(pytest.mark, later)] if later else [])]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in SCENES])
def test_no_text_has_moved(name: str, tmp_path: Path) -> None:
    before = (KEPT / f"{name}.txt").read_text(encoding="utf-8")
    lines = moved(before, text_of(name, tmp_path), 1e-3 if name.startswith(DRAWN) else 1e-5)
    assert not lines, f"if this is meant: python -m tests.unmoved.scenes {name}\n" + "\n".join(lines[:30])

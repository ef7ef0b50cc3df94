"""How many tokens answers really take at a budget: a budget is asked for, and often not kept.

Usage({20: 171.4, 100: 240.0}, "as ... used them").at(50)  ->  197.2
"""

import csv
import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import results
from harness.experiment import tokens_in
from harness.tally.counts import Tally

CACHED = {"gsm8k": "qwen-gsm8k.csv", "math-level1-integer": "qwen-math.csv"}
"""Runs of a real model that ship with the project, by data set."""


@dataclass(frozen=True)
class Usage:
    """Tokens of a mean answer by the budget that was asked for, and where that was seen."""

    used: dict[int, float] = field(default_factory=dict)
    where: str = "the budgets themselves, which models seldom keep"
    boundless: bool = False
    """Whether an answer is taken to be as long as it may be, where nothing was seen."""

    def at(self, budget: int) -> float:
        """Between two budgets in proportion; below all as the least, above all by the largest one's share."""
        points = sorted(self.used.items())
        if not points:
            return math.inf if self.boundless else float(budget)
        (least, fewest), (largest, most) = points[0], points[-1]
        if budget <= least:
            return fewest
        for (low, before), (high, after) in pairwise(points):
            if budget <= high:
                return before + (after - before) * (budget - low) / (high - low)
        return most * budget / largest if largest else most + budget

    def __str__(self) -> str:
        seen = ", ".join(f"{used:.0f} for {budget}" for budget, used in sorted(self.used.items()))
        return f"{self.where}: {seen}" if seen else self.where


def usage(dataset: str, tally: Tally, thinking: bool = False) -> Usage:
    """As the answers in `tally` have it, else a run that ships with the project, else the budgets.

    The runs that ship had budgets in words: of budgets of `thinking` they say nothing.
    """
    own = {
        budget: counts.mean_tokens
        for (setting, decoding), counts in tally.settings.items()
        if decoding == "sample" and (budget := tokens_in(setting)) and counts.mean_tokens
    }
    if own:
        return Usage(own, "as in this folder")
    if thinking:
        return Usage({}, "the most there may be, as nothing here says how long this model thinks", True)
    if dataset not in CACHED:
        return Usage()
    file = Path(results.__file__).parent / "cached" / CACHED[dataset]
    with file.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["setting"].isdecimal() and row["N"] == "1"]
    found = {
        int(row["setting"]): float(row["tokens_per_answer"]) for row in rows if row["permutation"] == "exact"
    }
    return Usage(found, f"as {rows[0]['model']} used them in results/cached/{file.name}")

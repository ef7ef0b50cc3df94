"""How many tokens answers really take at a budget: a budget is asked for, and often not kept.

used, where = usage("gsm8k", tally)         ({20: 171.4, 100: 240.0}, "as in this folder")
tokens_at(50, used)                         197.1
"""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import results
from harness.experiment import tokens_in
from harness.tally.counts import Tally

CACHED = {"gsm8k": "qwen-gsm8k.csv", "math-level1-integer": "qwen-math.csv"}
"""Runs of a real model that ship with the project, by data set."""


def tokens_at(budget: int, used: Mapping[int, float]) -> float:
    """Tokens of a mean answer at `budget`, where those at some budgets are known; itself, where none are.

    Between two budgets in proportion; below all as the least, above all by the largest one's share.
    """
    budgets = sorted(used)
    if not budgets:
        return float(budget)
    largest, most = budgets[-1], used[budgets[-1]]
    if budget > largest:
        return most * budget / largest if largest else most + budget
    return float(np.interp(budget, budgets, [used[known] for known in budgets]))


def usage(dataset: str, tally: Tally, thinking: bool = False) -> tuple[dict[int, float], str]:
    """Tokens of a mean answer by the budget that was asked for, and where that was seen.

    As the answers in `tally` have it, else a run that ships with the project, else nothing. The runs that
    ship had budgets in words: of budgets of `thinking` they say nothing.
    """
    used = {
        budget: counts.mean_tokens
        for (setting, decoding), counts in tally.settings.items()
        if decoding == "sample" and (budget := tokens_in(setting)) and counts.mean_tokens
    }
    if used:
        where = "as in this folder"
    elif thinking:
        return {}, "the most there may be, as nothing here says how long this model thinks"
    elif dataset not in CACHED:
        return {}, "the budgets themselves, which models seldom keep"
    else:
        file = Path(results.__file__).parent / "cached" / CACHED[dataset]
        with file.open(encoding="utf-8", newline="") as table:
            rows = [row for row in csv.DictReader(table) if (row["N"], row["permutation"]) == ("1", "exact")]
        budgets = [row for row in rows if row["setting"].isdecimal()]
        used = {int(row["setting"]): float(row["tokens_per_answer"]) for row in budgets}
        where = f"as {budgets[0]['model']} used them in results/cached/{file.name}"
    shown = ", ".join(f"{tokens:.0f} for {budget}" for budget, tokens in sorted(used.items()))
    return used, f"{where}: {shown}"

"""Tables whose rows contradict each other: refused where no reading makes sense, else said.

question_id  answer  gold  correct
7            18      18    false      said: `correct` is believed
7            18      19    true       refused: question 7 has two right answers
"""

import warnings
from pathlib import Path

import pandas as pd

from results.tables.columns import refusal

_SAME = 1e-3  # lengths of one setting that differ by less than this share are one


def check_golds(samples: pd.DataFrame, name: str | Path) -> None:
    """Raise BadInput where a question has two right answers."""
    if "gold" in samples:
        golds = samples[["dataset", "question_id", "gold"]].dropna().drop_duplicates()
        again = golds[golds.duplicated(["dataset", "question_id"])]
        if len(again):
            row, _, question, gold = next(again.itertuples())
            expected = f"one right answer to question {question!r:.40}, as in its rows above"
            raise refusal(name, row, "gold", gold, expected)


def say_grades(samples: pd.DataFrame, name: str | Path) -> None:
    """Warn where `correct` is not what the texts say. 5 may be marked right where gold is 005."""
    if {"answer", "gold"} <= set(samples):
        known = samples["answer"].notna() & samples["gold"].notna()
        unlike = known & (samples["correct"] != (samples["answer"] == samples["gold"]))
        texts = samples.loc[unlike & samples["correct"], ["answer", "gold"]]
        numbers = texts.apply(pd.to_numeric, errors="coerce")
        unlike[numbers.index[numbers["answer"] == numbers["gold"]]] = False
        if unlike.any():
            row, first = int(unlike.to_numpy(bool).argmax()), samples[unlike].iloc[0]
            warnings.warn(
                f"{name}: {unlike.sum()} answers are marked right though they are not gold, or "
                f"wrong though they are; the first is in row {row + 1}, answer {first['answer']!r:.40} and "
                f"gold {first['gold']!r:.40}; the column 'correct' is believed",
                stacklevel=2,
            )


def say_lengths(curves: pd.DataFrame, name: str | Path) -> None:
    """Warn where the exact rows of one setting have different lengths (tokens_per_answer, or else T)."""
    column = next((name for name in ("tokens_per_answer", "T") if name in curves), None)
    if column:
        exact = curves[curves["permutation"] == "exact"]
        lengths = exact.groupby(["source", "dataset", "model", "method", "setting"], sort=False)[column]
        spread = lengths.agg(["min", "max"])
        unlike = spread[spread["max"] > spread["min"] * (1 + _SAME)]
        if len(unlike):
            setting, (low, high) = unlike.index[0][-1], unlike.iloc[0]
            warnings.warn(
                f"{name}: {len(unlike)} settings have rows of different {column}, the first of them setting "
                f"{setting!r}: {low:g} to {high:g}; one setting has one length",
                stacklevel=2,
            )

"""Tables whose rows contradict each other: refused where no reading makes sense, else said.

question_id  answer  gold  correct
7            18      18    false      said: `correct` is believed
7            18      19    true       refused: question 7 has two right answers
"""

import warnings
from pathlib import Path

import pandas as pd

from results.tables.columns import refusal


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

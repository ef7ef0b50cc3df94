"""What `from results import …` gives: one line from answers to numbers, for arrays and DataFrames in Python.

Answers are given as one list for each question, of any lengths; None or NaN is an answer that could not be
read, and casts no vote. An answer is right where it has the text of the question's gold ("18" or 18).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from results.commandline import BadInput, run
from results.paired.runs import compare_runs
from results.saturating import fit_saturating
from results.tables.contract import (
    as_samples,
    kind_of,
    read_curves,
    read_forecast,
    read_samples,
    write_curves,
    write_forecast,
    write_samples,
)
from results.votes.curves import build_curves
from results.votes.exact import (
    AnswerPools,
    VoteCounts,
    answer_pools,
    best_of_n,
    majority_accuracy,
    majority_curve,
)
from results.votes.tokens import tokens_per_answer

__all__ = [
    "AnswerPools", "BadInput", "VoteCounts", "answer_pools", "as_samples", "best_of_n",
    "best_of_n_curve", "build_curves", "compare", "fit_saturating", "kind_of", "majority_accuracy",
    "majority_curve", "read_curves", "read_forecast", "read_samples", "run", "tokens_per_answer",
    "vote_curve", "write_curves", "write_forecast", "write_samples",
]  # fmt: skip

Answers = Iterable[Sequence[Any]]
Gold = Iterable[Any] | None


def vote_curve(
    answers: pd.DataFrame | Answers, gold: Gold = None, ns: Sequence[int] | None = None
) -> pd.DataFrame:
    """The exact accuracy of a majority vote over N of the answers, for each N, with its standard error.

    The mean over all subsets of N answers, ties sharing the credit. answers: a samples table, or a list for
    each question, with their `gold`. ns: by default the powers of two up to the smallest pool, and that pool.
    Raises BadInput.

    >>> vote_curve([["18", "18", "7"], ["5", None, "6"], ["9", "9", "9"]], ["18", "5", "9"]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.722   0.147          3
    2  3     0.833   0.167          3
    """
    return _curve(answers, gold, "majority", ns)


def best_of_n_curve(
    answers: pd.DataFrame | Answers, gold: Gold = None, ns: Sequence[int] | None = None
) -> pd.DataFrame:
    """The exact chance that N of the answers hold a right one, for each N; see `vote_curve`.

    >>> best_of_n_curve([[18, 18, 7], [5, None, 6], [9, 9, 9]], gold=[18, 5, 9], ns=[1, 2]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.889   0.111          3
    """
    return _curve(answers, gold, "best_of_n", ns)


def compare(a: pd.DataFrame | Answers, b: pd.DataFrame | Answers, gold: Gold = None) -> pd.DataFrame:
    """The comparison table of two runs on the same questions: b − a, each question with itself.

    a, b: samples tables, or the answers of both with the `gold` of the questions. The columns are described
    in docs/tables.md. Raises BadInput.

    >>> before = [["7", "7"], ["5", "6"], ["9", "8"]] * 10
    >>> after = [["7", "7"], ["5", "5"], ["9", "9"]] * 10
    >>> compare(before, after, gold=[7, 5, 9] * 10)[["method", "N", "difference", "low", "high"]].round(3)
          method  N  difference    low   high
    0   majority  1       0.333  0.259  0.408
    1   majority  2       0.333  0.259  0.408
    2  best_of_n  1       0.333  0.259  0.408
    3  best_of_n  2       0.000  0.000  0.000
    """
    right = None if gold is None else list(gold)
    return compare_runs(
        {name: as_samples(as_frame(side, right, name), name) for name, side in {"a": a, "b": b}.items()}
    )


def as_frame(answers: pd.DataFrame | Answers, gold: Gold, name: str = "answers") -> pd.DataFrame:
    """A DataFrame as it is; lists of answers as samples whose questions are numbered from 0."""
    if isinstance(answers, pd.DataFrame):
        return answers
    if gold is None:
        raise BadInput(f"{name}: lists of answers need gold, the right answer to each question")
    given, right = [list(one) for one in answers], list(gold)
    if len(given) != len(right):
        raise BadInput(f"{name}: {len(given)} lists of answers and {len(right)} gold, expected one of each")
    rows = [(q, i, answer, right[q]) for q, one in enumerate(given) for i, answer in enumerate(one)]
    return pd.DataFrame(rows, columns=["question_id", "sample", "answer", "gold"])


def _curve(
    answers: pd.DataFrame | Answers, gold: Gold, method: str, ns: Sequence[int] | None
) -> pd.DataFrame:
    curves = build_curves(as_frame(answers, gold), [method], ns, permutations=0)
    several = [name for name in ("dataset", "model", "setting") if len(set(curves[name])) > 1]
    return curves[[*several, "N", "accuracy", "stderr", "questions"]]

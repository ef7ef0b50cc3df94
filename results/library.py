"""One line from answers to numbers: what the commands compute, for arrays and DataFrames in Python.

Answers are given as one list for each question, of any lengths; None or NaN is an answer that could not be
read, and casts no vote. An answer is right where it has the text of the question's gold ("18" or 18).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from results.commandline import BadInput
from results.tables.contract import as_samples
from results.votes.curves import build_curves

Answers = Iterable[Sequence[Any]]


def vote_curve(answers: Answers, gold: Iterable[Any], ns: Sequence[int] | None = None) -> pd.DataFrame:
    """The exact accuracy of a majority vote over N of the answers, for each N, with its standard error.

    The mean over all subsets of N answers, ties sharing the credit. ns: by default the powers of two up to
    the smallest pool, and that pool. Raises BadInput.

    >>> vote_curve([["18", "18", "7"], ["5", None, "6"], ["9", "9", "9"]], ["18", "5", "9"]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.722   0.147          3
    2  3     0.833   0.167          3
    """
    return _curve(answers, gold, "majority", ns)


def best_of_n_curve(answers: Answers, gold: Iterable[Any], ns: Sequence[int] | None = None) -> pd.DataFrame:
    """The exact chance that N of the answers hold a right one, for each N; see `vote_curve`.

    >>> best_of_n_curve([[18, 18, 7], [5, None, 6], [9, 9, 9]], gold=[18, 5, 9], ns=[1, 2]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.889   0.111          3
    """
    return _curve(answers, gold, "best_of_n", ns)


def compare(
    a: pd.DataFrame | Answers, b: pd.DataFrame | Answers, gold: Iterable[Any] | None = None
) -> pd.DataFrame:
    """The comparison table of two runs on the same questions: b − a, each question with itself.

    a, b: samples tables, or the answers of both with the `gold` of the questions. The columns are described
    in `results.tables`. Raises BadInput.

    >>> before = [["7", "7"], ["5", "6"], ["9", "8"]] * 10
    >>> after = [["7", "7"], ["5", "5"], ["9", "9"]] * 10
    >>> compare(before, after, gold=[7, 5, 9] * 10)[["method", "N", "difference", "low", "high"]].round(3)
          method  N  difference    low   high
    0   majority  1       0.333  0.259  0.408
    1   majority  2       0.333  0.259  0.408
    2  best_of_n  1       0.333  0.259  0.408
    3  best_of_n  2       0.000  0.000  0.000
    """
    from results.paired.runs import compare_runs

    right = None if gold is None else list(gold)
    runs = {}
    for name, side in (("a", a), ("b", b)):
        if not isinstance(side, pd.DataFrame):
            if right is None:
                raise BadInput(f"{name}: answers without gold; give gold, or a samples table")
            side = _samples(side, right)
        runs[name] = as_samples(side, name)
    return compare_runs(runs)


def _curve(answers: Answers, gold: Iterable[Any], method: str, ns: Sequence[int] | None) -> pd.DataFrame:
    curves = build_curves(_samples(answers, list(gold)), [method], ns, permutations=0)
    return curves[["N", "accuracy", "stderr", "questions"]]


def _samples(answers: Answers, gold: Sequence[Any]) -> pd.DataFrame:
    """A samples table whose questions are numbered from 0."""
    given = [list(one) for one in answers]
    if len(given) != len(gold):
        raise BadInput(
            f"answers to {len(given)} questions and gold of {len(gold)}: one list and one gold each"
        )
    rows = [(q, i, answer, gold[q]) for q, one in enumerate(given) for i, answer in enumerate(one)]
    return pd.DataFrame(rows, columns=["question_id", "sample", "answer", "gold"])

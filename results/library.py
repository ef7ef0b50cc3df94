"""The Python interface of `results`: one call from answers to numbers.

Answers are given as one list for each question, of any lengths; None or NaN is an unreadable answer, which
casts no vote. An answer is right if it equals the question's gold: "18", 18, 18.0 and "$18" are the same
answer (`results.canonical`), but different ones `with reading(as_written=True):`.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from results.commandline import BadInput, run
from results.methods import SCORED
from results.normal import LEVEL
from results.paired.runs import compare_runs
from results.read_options import reading
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
from results.votes.curves import build_curves, methods_of
from results.votes.exact import (
    AnswerPools,
    VoteCounts,
    all_of_n,
    answer_pools,
    best_of_n,
    majority_accuracy,
    majority_curve,
)
from results.votes.tokens import tokens_per_answer

__all__ = [
    "AnswerPools",
    "BadInput",
    "VoteCounts",
    "all_of_n",
    "all_of_n_curve",
    "answer_pools",
    "as_samples",
    "best_of_n",
    "best_of_n_curve",
    "build_curves",
    "compare",
    "fit_saturating",
    "kind_of",
    "majority_accuracy",
    "majority_curve",
    "read_curves",
    "read_forecast",
    "read_samples",
    "reading",
    "run",
    "tokens_per_answer",
    "vote_curve",
    "write_curves",
    "write_forecast",
    "write_samples",
]

Answers = Iterable[Sequence[Any]]
Gold = Iterable[Any] | None
Scores = Iterable[Sequence[float | None]]


def vote_curve(
    answers: pd.DataFrame | Answers,
    gold: Gold = None,
    ns: Sequence[int] | None = None,
    scores: str | Scores | None = None,
) -> pd.DataFrame:
    """The exact accuracy of a majority vote over N of the answers, for each N, with its standard error.

    The mean over all subsets of N answers; ties share the credit. answers: a samples table, or a list for
    each question, with their `gold`. ns: by default powers of two up to the pool size, and this size. An N
    above the smallest pool is computed from the questions with that many answers, if more than half. scores:
    the weights of the votes, as a list for each question or the name of the table's column. Raises BadInput.

    >>> vote_curve([["18", "18", "7"], ["5", None, "6"], ["9", "9", "9"]], ["18", "5", "9"]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.722   0.147          3
    2  3     0.833   0.167          3
    """
    return _curve(answers, gold, "majority" if scores is None else "weighted_majority", ns, scores)


def best_of_n_curve(
    answers: pd.DataFrame | Answers,
    gold: Gold = None,
    ns: Sequence[int] | None = None,
    scores: str | Scores | None = None,
) -> pd.DataFrame:
    """The exact chance that N of the answers include a right one, for each N; see `vote_curve`.

    With scores: the exact accuracy of the answer with the highest score, instead of a perfect judge's choice.

    >>> best_of_n_curve([[18, 18, 7], [5, None, 6], [9, 9, 9]], gold=[18, 5, 9], ns=[1, 2]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.889   0.111          3
    >>> best_of_n_curve([[18, 18, 7]], gold=[18], ns=[1, 2, 3], scores=[[0.9, 0.1, 0.5]]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667     NaN          1
    1  2     0.667     NaN          1
    2  3     1.000     NaN          1
    """
    return _curve(answers, gold, "best_of_n" if scores is None else "best_by_score", ns, scores)


def all_of_n_curve(
    answers: pd.DataFrame | Answers, gold: Gold = None, ns: Sequence[int] | None = None
) -> pd.DataFrame:
    """The exact chance that all of N answers are right (pass^k), for each N; see `vote_curve`.

    >>> all_of_n_curve([[18, 18, 7], [5, None, 6], [9, 9, 9]], gold=[18, 5, 9], ns=[1, 2]).round(3)
       N  accuracy  stderr  questions
    0  1     0.667   0.192          3
    1  2     0.444   0.294          3
    """
    return _curve(answers, gold, "all_of_n", ns)


def compare(
    a: pd.DataFrame | Answers,
    b: pd.DataFrame | Answers | None = None,
    gold: Gold = None,
    at: int | Sequence[int] | None = None,
    level: float = LEVEL,
    score: str | None = None,
    methods: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """The comparison table of two runs on the same questions: b − a, paired by question.

    a, b: samples tables, or the answers of both with the `gold` of the questions. at: the N to compare, one
    or several, chosen before seeing results. level: the joint coverage of all intervals. methods: by default
    the majority vote and best-of-N, with `at` only the vote (or best-of-N for verdicts, which do not vote);
    with `score`, a column of the tables, the two methods by score. Without b, these are compared with the
    plain vote on the same answers. The columns are described in docs/tables.md, the verdicts in
    docs/comparing.md. Raises BadInput.

    >>> before = [["7", "7"], ["5", "6"], ["9", "8"]] * 10
    >>> after = [["7", "7"], ["5", "5"], ["9", "9"]] * 10
    >>> compare(before, after, gold=[7, 5, 9] * 10)[["method", "N", "difference", "verdict"]].round(3)
          method  N  difference    verdict
    0   majority  1       0.333     better
    1   majority  2       0.333     better
    2  best_of_n  1       0.333     better
    3  best_of_n  2       0.000  undecided
    """
    right = None if gold is None else _listed(gold, "gold", "right answer to each question")
    sides = {"a": a} if b is None else {"a": a, "b": b}
    tables = [name for name, side in sides.items() if isinstance(side, pd.DataFrame)]
    own = tables if len(tables) < len(sides) else []  # gold is for lists; two tables refuse it
    runs = {
        name: as_samples(as_frame(side, None if name in own else right, name), name)
        for name, side in sides.items()
    }
    chosen = None if methods is None else methods_of(methods)
    if chosen is not None and any(method in SCORED for method in chosen) != (score is not None):
        raise BadInput(f"score and {' or '.join(SCORED)} go together: give both, or neither")
    return compare_runs(runs, at=at, level=level, methods=chosen, score=score)


def as_frame(answers: pd.DataFrame | Answers, gold: Gold, name: str = "answers") -> pd.DataFrame:
    """A DataFrame unchanged; lists of answers as samples whose questions are numbered from 0.

    Raises BadInput, which calls the answers `name`, unless each question has a list of answers and a right
    answer in `gold`, and for `gold` with a DataFrame. Warns of questions without answers.
    """
    if isinstance(answers, pd.DataFrame):
        if gold is not None:
            raise BadInput(
                f"gold: {name} is a table and has golds of its own, in the column 'gold': leave out gold="
            )
        return answers
    if gold is None:
        raise BadInput(f"{name}: lists of answers need gold, the right answer to each question")
    given = [
        _listed(one, f"{name} to question {question}", "list of answers")
        for question, one in enumerate(_listed(answers, name, "list for each question"))
    ]
    right = _listed(gold, "gold", "right answer to each question")
    if len(given) != len(right):
        raise BadInput(f"{name}: {len(given)} lists of answers and {len(right)} gold, expected one of each")
    if not any(given):
        raise BadInput(f"{name}: no answers, expected a list of them for each question")
    if empty := sum(not one for one in given):
        none = f"{empty} of {len(given)} questions have no answer"
        warnings.warn(f"{name}: {none}, and do not count", stacklevel=4)
    for place, cell in enumerate(right):
        _check_one(cell, f"gold of question {place}")
    for question, one in enumerate(given):
        for cell in one:
            _check_one(cell, f"{name} to question {question}")
    sizes = [len(one) for one in given]
    cells = [answer for one in given for answer in one]
    golds = [gold for gold, size in zip(right, sizes, strict=True) for _ in range(size)]
    return pd.DataFrame(
        {
            "question_id": np.repeat(np.arange(len(given)), sizes),
            "sample": np.concatenate([np.arange(size) for size in sizes]),
            # dtype object: a null among integers would turn them into floats.
            "answer": pd.Series(cells, dtype=object),
            "gold": pd.Series(golds, dtype=object),
        }
    )


def _listed(values: Any, what: str, expected: str) -> list[Any]:
    """The values as a list. Raises BadInput for a text, dict or set, or if they are not iterable."""
    if isinstance(values, str | bytes | dict | set) or not isinstance(values, Iterable):
        raise BadInput(f"{what}: found {values!r:.40}, expected a {expected}")
    return list(values)


def _check_one(cell: Any, what: str) -> None:
    """Raise BadInput if one answer is itself a list, or a text cut inside a character."""
    if isinstance(cell, str) and not cell.isascii():
        try:
            cell.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{what}: found {cell!r:.40}, expected text (half a character is none)") from None
    scalar = isinstance(cell, str | bytes) or (isinstance(cell, np.ndarray) and cell.ndim == 0)
    if isinstance(cell, Iterable) and not scalar:
        raise BadInput(f"{what}: found {cell!r:.40} in the place of one answer, expected text or a number")


def _scored(frame: pd.DataFrame, answers: pd.DataFrame | Answers, scores: Scores) -> pd.DataFrame:
    """The samples with a column of the listed scores. Raises BadInput unless each answer has one."""
    if isinstance(answers, pd.DataFrame):
        raise BadInput("scores: for a samples table, the name of its column of scores")
    given = [
        _listed(one, f"scores of question {question}", "list of scores")
        for question, one in enumerate(_listed(scores, "scores", "list for each question"))
    ]
    counts = frame.groupby("question_id", sort=True).size().reindex(range(len(given)), fill_value=0).tolist()
    if [len(one) for one in given] != counts or sum(counts) != len(frame):
        raise BadInput("scores: expected one for each answer, in lists as the answers")
    return frame.assign(score=[score for one in given for score in one])


def _curve(
    answers: pd.DataFrame | Answers,
    gold: Gold,
    method: str,
    ns: Sequence[int] | None,
    scores: str | Scores | None = None,
) -> pd.DataFrame:
    frame, column = as_frame(answers, gold), scores if isinstance(scores, str) else "score"
    if scores is not None and not isinstance(scores, str):
        frame = _scored(frame, answers, scores)
    curves = build_curves(frame, [method], ns, permutations=0, score=column)
    several = [name for name in ("dataset", "model", "setting") if len(set(curves[name])) > 1]
    return curves[[*several, "N", "accuracy", "stderr", "questions"]]

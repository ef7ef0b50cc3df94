"""Summarizes judging: how many answers have a score, at what cost, and how well scores find right answers.

    {"answers": 1200, "without_text": 0, "asked": 900, "judged": 1196, "null": 4,
     "prompt_tokens": 190812, "tokens": 900, "levels": 871, "auc": 0.81, "auc_within": 0.66}

levels counts distinct scores. auc is the probability that a right answer scores above a wrong one, ties
counting half; auc_within is the same among answers to one question. Only auc_within matters for best-of-N: a
judge that only knows which questions are hard has a high auc, but an auc_within of 0.5.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from harness.judge.distinct import Answers
from harness.judge.scores import Scores


def summary(answers: Answers, kept: Scores) -> dict[str, Any]:
    """The counts of a folder's answers; the tokens are those spent on their verdicts."""
    scores, right, questions = [], [], []
    judged = unknown = 0
    for row, _, verdict in kept.judged(answers):
        if verdict is None:
            continue
        judged += 1
        unknown += verdict.score is None
        if verdict.score is not None and isinstance(row.get("correct"), bool | int):
            scores.append(verdict.score)
            right.append(bool(row["correct"]))
            questions.append(repr((row.get("dataset"), row.get("question_id"))))
    verdicts = [kept.verdicts[key] for key in answers.asked if key in kept.verdicts]
    given = np.array(scores, float), np.array(right, bool)
    _, question = np.unique(np.array(questions, str), return_inverse=True)
    together = np.argsort(question, kind="stable")
    ends = np.flatnonzero(np.diff(question[together])) + 1
    parts = (np.split(column[together], ends) for column in given)
    return {
        "answers": answers.rows,
        "without_text": answers.without_text,
        "asked": len(answers.asked),
        "judged": judged,
        "null": unknown,
        "prompt_tokens": sum(verdict.prompt_tokens for verdict in verdicts),
        "tokens": sum(verdict.tokens for verdict in verdicts),
        "levels": len({verdict.score for verdict in verdicts} - {None}),
        "auc": auc([given]),
        "auc_within": auc(zip(*parts, strict=True)),
    }


def auc(groups: Iterable[tuple[NDArray[np.float64], NDArray[np.bool_]]]) -> float | None:
    """The share of pairs of a right and a wrong answer of one group in which the right one scores higher.

    Each group is (scores, right), both of shape (answers,). Ties count half; None if no group has a pair. It
    is the sum of the Mann-Whitney U statistics (1947) of the right answers over the number of pairs.
    """
    above = pairs = 0.0
    for scores, right in groups:
        rights = int(right.sum())
        above += float(rankdata(scores)[right].sum()) - rights * (rights + 1) / 2
        pairs += rights * (len(scores) - rights)
    return above / pairs if pairs else None


def told(counts: dict[str, Any], column: str) -> str:
    """The counts in one line."""
    line = f"{counts['judged']:,} of {counts['answers']:,} answers judged"
    if counts["without_text"]:
        line = f"{line}, {counts['without_text']:,} more have no text"
    if counts["answers"] > counts["asked"]:
        line += f" ({counts['asked']:,} distinct: identical answers to a question are judged once)"
    if counts["judged"]:
        line += f", {counts['null'] / counts['judged']:.1%} without a score"
    line += f"; the judge read {counts['prompt_tokens']:,} tokens and wrote {counts['tokens']:,}"
    if counts["auc"] is not None:
        line += f"; AUC {counts['auc']:.3f}"
        line += f", within a question {counts['auc_within']:.3f}" if counts["auc_within"] is not None else ""
    return f"{line}; column {column}" if counts["judged"] else line

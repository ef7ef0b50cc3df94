"""The length of answers: tokens per answer, and the paper's reasoning length T.

    question  tokens of its answers   mean          tokens per answer = (30 + 5) / 2 = 17.5
    a         10, 50                  30            T = 30 + 5 = 35, the sum over questions
    b         5                       5

Readers see tokens per answer; T is a column of the curves table (paper, Experiment Details: the completion
tokens of one answer, summed over the questions and averaged over the answers). The synthetic twin has no
questions to sum over: both its T and its tokens per answer are the number of steps of one answer.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.votes.exact import AnswerPools, Floats


def tokens_per_answer(pools: AnswerPools) -> float:
    """The mean over questions of the mean tokens of a question's answers; for the twin, its steps.

    As in an accuracy, every question counts the same, however many answers it has. This is the only
    definition of the length of a set of samples: curves, figures and forecasts all use it (and T).
    Questions without answers are left out. Unknown token counts are filled in unless they are most
    (`votes.exact.counted`); then the result is NaN, as it is without answers.
    """
    means = pools.tokens_of_questions[pools.sizes > 0]
    return float(means.mean()) if len(means) else float("nan")


def reasoning_length(per_answer: float, questions: int, source: str) -> float:
    """The column T: tokens per answer × questions for a language model, steps per answer for the twin.

    `source` is "llm" or "synthetic", as in the curves table.
    """
    return per_answer if source == "synthetic" else per_answer * questions


def answer_lengths(curves: pd.DataFrame) -> pd.Series[float]:
    """Tokens (for the twin: steps) per answer of each row of a curves or forecast table; NaN if unknown.

    Taken from tokens_per_answer or, if null, T (for a language model, T ÷ questions). 0 means unknown.
    """
    known = curves.reindex(columns=["tokens_per_answer", "T", "questions"]).astype("float64")
    per_answer = known["T"].where(curves["source"] == "synthetic", known["T"] / known["questions"])
    lengths = known["tokens_per_answer"].fillna(per_answer)
    return lengths.where(lengths > 0)


FOLLOWED = 0.5
"""If tokens used grow with a smaller power of the tokens requested, the budget does not set them."""


def budgets_ignored(lengths: Mapping[str, float]) -> bool:
    """Whether settings are token budgets that hardly affect the tokens used; lengths: tokens by setting.

    Such a setting may change only the number in the prompt, and not the reasoning. False if there is only
    one setting, or one whose name is not a number of tokens.
    """
    known = all(name.isdecimal() and int(name) and used > 0 for name, used in lengths.items())
    if len(lengths) < 2 or not known:
        return False
    least, *_, most = sorted(lengths, key=int)
    growth = np.log(lengths[most] / lengths[least]) / np.log(int(most) / int(least))
    return bool(growth < FOLLOWED)


def prefix_tokens(pools: AnswerPools, orders: NDArray[np.int32], ns: NDArray[np.int64]) -> Floats:
    """Tokens per answer of the first N answers of each question, in each order: (permutations, len(ns)).

    `orders` is from `results.votes.permutations.random_orders`; each N is at most the smallest pool.
    """
    first = np.repeat(pools.starts[:-1], pools.sizes)
    sums = np.cumsum(pools.tokens[first + orders], axis=1)
    before = np.concatenate([np.zeros((len(orders), 1)), sums], axis=1)[:, pools.starts[:-1]]
    ends = pools.starts[:-1, None] + ns - 1  # (questions, len(ns))
    means = (sums[:, ends] - before[:, :, None]) / ns
    return np.asarray(means.mean(axis=1))

"""How long answers are: tokens per answer, and the paper's reasoning length T.

    question  tokens of its answers   mean          tokens per answer = (30 + 5) / 2 = 17.5
    a         10, 50                  30            T = 30 + 5 = 35, the sum over questions
    b         5                       5

People read tokens per answer; T is the column of the curves table (paper, Experiment Details: the completion
tokens of one answer, summed over the questions and averaged over the answers). The synthetic twin has no
questions to sum over: its T is the number of steps of one answer, and so are its tokens per answer.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.votes.exact import AnswerPools, Floats


def tokens_per_answer(pools: AnswerPools) -> float:
    """The mean over questions of the mean tokens of a question's answers; for the twin, its steps.

    Every question counts the same however many answers it has, as in an accuracy. The one definition of the
    length of a set of samples: curves, figures and forecasts all take it (and T) from here. Questions without
    answers are left out, and answers without a token count where they are not most (`votes.exact.counted`);
    else NaN, as where there are no answers.
    """
    means = pools.tokens_of_questions[pools.sizes > 0]
    return float(means.mean()) if len(means) else float("nan")


def reasoning_length(per_answer: float, questions: int, source: str) -> float:
    """The column T: tokens per answer × questions for a language model, steps per answer for the twin.

    `source` is "llm" or "synthetic", as in the curves table.
    """
    return per_answer if source == "synthetic" else per_answer * questions


def answer_lengths(curves: pd.DataFrame) -> pd.Series[float]:
    """Tokens (for the twin: steps) per answer of each row of a curves or forecast table; NaN where unknown.

    The column tokens_per_answer, or T where that is missing: T ÷ questions for a language model. 0 is none.
    """
    known = curves.reindex(columns=["tokens_per_answer", "T", "questions"]).astype("float64")
    per_answer = known["T"].where(curves["source"] == "synthetic", known["T"] / known["questions"])
    lengths = known["tokens_per_answer"].fillna(per_answer)
    return lengths.where(lengths > 0)


FOLLOWED = 0.5
"""Tokens used that grow as asked for to a smaller power than this are not set by the budget."""


def budgets_ignored(lengths: Mapping[str, float]) -> bool:
    """Whether settings are tokens asked for that hardly set the tokens used; lengths: those by setting.

    What changes with such a setting may be the prompt, which names the number, and not the thinking. One
    setting, or one whose name is no number of tokens, says nothing of it.
    """
    known = all(name.isdecimal() and int(name) and used > 0 for name, used in lengths.items())
    if len(lengths) < 2 or not known:
        return False
    least, *_, most = sorted(lengths, key=int)
    growth = np.log(lengths[most] / lengths[least]) / np.log(int(most) / int(least))
    return bool(growth < FOLLOWED)


def prefix_tokens(pools: AnswerPools, orders: NDArray[np.int32], ns: NDArray[np.int64]) -> Floats:
    """Tokens per answer of the first N answers of each question, in each order: (permutations, len(ns)).

    `orders` are those of `results.votes.permutations.random_orders`; each N is at most the smallest pool.
    """
    first = np.repeat(pools.starts[:-1], pools.sizes)
    sums = np.cumsum(pools.tokens[first + orders], axis=1)
    before = np.concatenate([np.zeros((len(orders), 1)), sums], axis=1)[:, pools.starts[:-1]]
    ends = pools.starts[:-1, None] + ns - 1  # (questions, len(ns))
    means = (sums[:, ends] - before[:, :, None]) / ns
    return np.asarray(means.mean(axis=1))

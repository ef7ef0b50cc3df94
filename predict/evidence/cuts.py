"""Answers with some of them left out or cut off: the only ways in which a forecast sees less than there is.

votes 0 1 2 1 −1 of a question, the first three kept  ->  0 1 2;   stopped at 900 tokens  ->  0 −1 1 …
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from predict.evidence.points import Ints, Pool
from results.votes.exact import AnswerPools


def chosen_answers(pool: Pool, order: Ints, n: int, rest: bool = False) -> Pool:
    """The pool cut to `n` answers of each question: those first in `order`, a permutation of all answers.

    With `rest` all the others instead.
    """
    answers = pool.answers
    question = answers.question
    by_question = order[np.argsort(question[order], kind="stable")]
    place = np.empty(len(order), np.int64)
    place[by_question] = np.arange(len(order)) - answers.starts[question]
    return replace(pool, answers=subset(answers, (place < n) != rest), whole=answers.sizes)


def subset(answers: AnswerPools, kept: NDArray[np.bool_]) -> AnswerPools:
    """The marked answers, wrong ones numbered anew; a question may be left without any."""
    question = answers.question[kept]
    starts = np.searchsorted(question, np.arange(len(answers.question_ids) + 1))
    votes = renumbered(question, answers.votes[kept])
    return AnswerPools(answers.question_ids, starts, votes, answers.tokens[kept])


def renumbered(question: Ints, votes: Ints) -> Ints:
    """`votes` with each question's wrong answers numbered 1, 2, … without the numbers that were cut away."""
    wrong = votes > 0
    kinds, place = np.unique(np.stack([question[wrong], votes[wrong]], axis=1), axis=0, return_inverse=True)
    found = votes.copy()
    found[wrong] = place - np.searchsorted(kinds[:, 0], question[wrong]) + 1
    return found


def stopped(answers: AnswerPools, cap: float) -> AnswerPools:
    """`answers` as a run stopped at `cap` tokens leaves them: longer ones null, at cap tokens plus one.

    The one way to the answers: what a forecast sees, it sees through here. An unreadable answer of exactly
    `cap` tokens counts as longer: a run that was itself stopped there writes its unfinished answers so.
    """
    over = (answers.tokens > cap) | ((answers.tokens == cap) & (answers.votes < 0))
    votes = renumbered(answers.question, np.where(over, -1, answers.votes))
    return replace(answers, votes=votes, tokens=np.where(over, cap + 1, answers.tokens))

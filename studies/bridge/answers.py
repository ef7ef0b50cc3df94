"""The answers to every question at every length: the same answers, cut off at each length.

    read_answers([forced, whole]).codes[question, answer, length]  ->  0 right, −1 no answer, 1, 2, … wrong

A wrong answer has the same number at all lengths, so that it can be tracked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.experiment import FORCED
from results.votes.exact import Floats as Floats
from results.votes.exact import Ints as Ints

Bools = NDArray[np.bool_]
NULL, RIGHT = -1, 0
WHOLE = "whole"


@dataclass(frozen=True)
class Answers:
    """`codes` (questions, answers, lengths) of the answers to `questions`, cut off at `lengths`.

    `tokens` (lengths,) are the mean tokens of an answer, the paper's T for one answer.
    """

    questions: tuple[str, ...]
    lengths: tuple[str, ...]
    tokens: Floats
    codes: Ints

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of questions, of answers to each, and of lengths."""
        questions, answers, lengths = self.codes.shape
        return questions, answers, lengths

    def part(self, answers: slice) -> "Answers":
        """Some of the answers to every question."""
        return replace(self, codes=self.codes[:, answers])

    def halves(self) -> tuple["Answers", "Answers"]:
        """The answers of even and of odd index, equally many to every question in both."""
        even = self.shape[1] // 2 * 2
        return self.part(slice(0, even, 2)), self.part(slice(1, even, 2))

    def of(self, places: Ints) -> "Answers":
        """Some of the questions."""
        return replace(self, questions=tuple(self.questions[i] for i in places), codes=self.codes[places])

    def at(self, lengths: Sequence[int]) -> "Answers":
        """Some of the lengths, by place."""
        names = tuple(self.lengths[i] for i in lengths)
        return replace(
            self, lengths=names, tokens=self.tokens[[*lengths]], codes=self.codes[:, :, [*lengths]]
        )

    def right(self) -> Floats:
        """(questions, lengths): the share of right answers."""
        return np.asarray((self.codes == RIGHT).mean(axis=1))


def read_answers(forced: pd.DataFrame, whole: pd.DataFrame) -> Answers:
    """The answers in `forced` at each of its lengths, and in `whole` as they ended by themselves.

    An unfinished run has fewer answers to some questions, or fewer lengths: the block with the largest
    questions² × answers × lengths is used, since results should generalise to other questions.
    """
    lengths = sorted(forced["setting"].unique(), key=lambda name: int(name.removeprefix(FORCED)))
    table = pd.concat([forced, whole.assign(setting=WHOLE)], ignore_index=True)
    table["code"] = _codes(table)
    cells = table.set_index(["question_id", "sample", "setting"])["code"]
    every = cells.unstack().sort_index()[[*lengths, WHOLE]]  # noqa: PD010, no two rows are one
    questions = table["question_id"].nunique()
    common = [name for name in every if every[name].dropna().groupby("question_id").ngroups == questions]
    blocks = [block for names in (list(every), common) for block in _blocks(every[names].dropna())]
    block = max(blocks, key=lambda rows: rows.size * rows.index.unique("question_id").size)
    names = tuple(map(str, block.columns))
    ids = tuple(map(str, block.index.unique("question_id")))
    kept = table[table["question_id"].isin(ids)]
    tokens = kept.groupby("setting")["tokens"].mean()[[*names]].to_numpy(np.float64)
    return Answers(ids, names, tokens, block.to_numpy(np.int64).reshape(len(ids), -1, len(names)))


def _blocks(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """For each number n of answers to a question, the first n answers of all questions with at least n."""
    place = rows.groupby("question_id").cumcount()
    sizes = rows.groupby("question_id")[rows.columns[0]].transform("size")
    for size in sorted(sizes.unique()):
        yield rows[(sizes >= size) & (place < size)]


def _codes(table: pd.DataFrame) -> Ints:
    """0 for right, −1 for null, and for a wrong answer its number among those to its question."""
    answer = table["answer"].astype("object").where(table["answer"].notna(), None)
    wrong = (~table["correct"].astype(bool) & answer.notna()).to_numpy()
    codes = np.where(table["correct"].astype(bool), RIGHT, NULL)
    ranks = answer[wrong].groupby(table.loc[wrong, "question_id"]).transform(lambda own: pd.factorize(own)[0])
    codes[wrong] = 1 + ranks.to_numpy(np.int64)
    return codes

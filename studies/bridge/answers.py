"""The answers of every question at every length, each answer ended at all of them.

    read_answers([forced, whole]).codes[question, answer, length]  ->  0 right, −1 no answer, 1, 2, … wrong

A wrong answer has one number at all lengths, so that it can be followed along them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.experiment import FORCED

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NULL, RIGHT = -1, 0
WHOLE = "whole"


@dataclass(frozen=True)
class Answers:
    """`codes` (questions, answers, lengths) of the answers to `questions`, ended at `lengths`.

    `tokens` (lengths,) are what an answer took on average, the paper's T for one answer.
    """

    questions: tuple[str, ...]
    lengths: tuple[str, ...]
    tokens: Floats
    codes: Ints

    @property
    def shape(self) -> tuple[int, int, int]:
        """Questions, answers to each, lengths."""
        questions, answers, lengths = self.codes.shape
        return questions, answers, lengths

    def part(self, answers: slice) -> "Answers":
        """Some of the answers to every question."""
        return replace(self, codes=self.codes[:, answers])

    def halves(self) -> tuple["Answers", "Answers"]:
        """Answers of even number and of odd number: as many to every question in both."""
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


def read_answers(forced: pd.DataFrame, whole: pd.DataFrame, most: int | None = None) -> Answers:
    """The answers that `forced` holds at each of its lengths, and `whole` as they ended by themselves.

    Only questions with as many answers at every length as the best one has are kept, so that a run that is
    not finished gives whole questions; `most` keeps the first answers of each.
    """
    lengths = sorted(forced["setting"].unique(), key=lambda name: int(name.removeprefix(FORCED)))
    table = pd.concat([forced, whole.assign(setting=WHOLE)], ignore_index=True)
    if most is not None:
        table = table[table["sample"] < most]
    names = [*lengths, WHOLE]
    table["code"] = _codes(table)
    key = ["question_id", "sample"]
    wide = table.set_index([*key, "setting"])["code"].unstack()[names].dropna()  # noqa: PD010
    sizes = wide.groupby(level="question_id").size()
    complete = sizes.index[sizes == sizes.max()]
    wide = wide.loc[complete].sort_index()
    codes = wide.to_numpy(np.int64).reshape(len(complete), int(sizes.max()), len(names))
    kept = table[table["question_id"].isin(complete)]
    tokens = kept.groupby("setting")["tokens"].mean()[names].to_numpy(np.float64)
    return Answers(tuple(map(str, complete)), tuple(names), tokens, codes)


def _codes(table: pd.DataFrame) -> Ints:
    """0 right, −1 null, and the number of the wrong answer among those to its question."""
    answer = table["answer"].astype("object").where(table["answer"].notna(), None)
    wrong = (~table["correct"].astype(bool) & answer.notna()).to_numpy()
    codes = np.where(table["correct"].astype(bool), RIGHT, NULL)
    ranks = answer[wrong].groupby(table.loc[wrong, "question_id"]).transform(lambda own: pd.factorize(own)[0])
    codes[wrong] = 1 + ranks.to_numpy(np.int64)
    return codes

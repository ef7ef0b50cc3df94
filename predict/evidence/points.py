"""The data of `predict`: places on accuracy curves, the answers behind them, and what a forecast may see.

setting  T    N  accuracy  stderr        pool of "20": question q7 said 12, 12, 15, 12
20       97   1  0.52      0.013
20       97   4  0.58      0.013

Answers with some of them left out or cut off: the only ways in which a forecast sees less than there is.

votes 0 1 2 1 −1 of a question, the first three kept  ->  0 1 2;   stopped at 900 tokens  ->  0 −1 1 …
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from results.methods import METHODS
from results.votes.exact import AnswerPools
from results.votes.unnamed import put_in_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Texts = NDArray[np.str_]


@dataclass(frozen=True)
class Pool:
    """The answers of one setting, and how many there are of which these are those seen.

    T: tokens (for the twin: steps) of an answer, NaN if not counted; whole: (Q,) the answers to each question
    in the measured pool that these are part of; None: these are all, and what is asked are fresh ones.
    """

    setting: str
    T: float
    answers: AnswerPools
    whole: Ints | None = None

    @property
    def sizes(self) -> Floats:
        """(Q,) how many answers to each question the pool has that is asked about; inf: fresh ones."""
        if self.whole is None:
            return np.full(len(self.answers.question_ids), np.inf)
        return self.whole.astype(np.float64)


@dataclass(frozen=True)
class Points:
    """Places on accuracy curves, one element a point: setting, T (tokens or steps of one answer) and N.

    `spread`: standard deviation of log T where T is a forecast itself, 0 elsewhere; None: 0 everywhere.
    """

    setting: Texts
    T: Floats
    N: Ints
    spread: Floats | None = None

    def __len__(self) -> int:
        return len(self.N)

    def settings(self) -> list[tuple[str, float]]:
        """The different settings with their T, cheapest first (unknown T last)."""
        lengths = {str(s): float(t) for s, t in zip(self.setting, self.T, strict=True)}
        return sorted(lengths.items(), key=lambda pair: (np.isnan(pair[1]), pair[1], pair[0]))

    def __getitem__(self, at: NDArray[np.bool_] | Ints) -> "Points":
        """The points that a mask or indices choose."""
        spread = None if self.spread is None else self.spread[at]
        return Points(self.setting[at], self.T[at], self.N[at], spread)

    def places(self) -> list[tuple[str, int]]:
        """(setting, N) of each point."""
        return list(zip(self.setting.tolist(), self.N.tolist(), strict=True))

    @staticmethod
    def grid(lengths: Mapping[str, float], N: Sequence[int] | Ints) -> "Points":
        """Every N at every setting of `lengths`, which maps settings to T."""
        T = np.array(list(lengths.values()), dtype=np.float64)
        ns = np.asarray(N, dtype=np.int64)
        return Points(np.repeat(list(lengths), len(ns)), np.repeat(T, len(ns)), np.tile(ns, len(lengths)))


@dataclass(frozen=True, eq=False)
class Run:
    """Answers of one `setting` looked at as if each had been stopped at `cap` tokens.

    `caps`: what stopping later would be called as a setting, with its tokens; the first is `cap` itself.
    `whole`: (Q,) the answers to each question in the measured pool that `answers` are part of.
    """

    setting: str
    answers: AnswerPools
    cap: int
    caps: Mapping[str, int]
    whole: Ints


@dataclass(frozen=True)
class Evidence:
    """All that an estimator may look at.

    points: the observed curve points, P of them, sorted by T, then N.
    accuracy: their accuracies, shape (P,).
    stderr: their standard errors over questions, shape (P,); NaN where unknown.
    pools: the counted answers by setting; empty when only curves are known.
    method: majority or best_of_n, or one with an opposite.
    run: where dearer caps are asked, the answers as they were stopped.
    sizes: by setting, of how many questions each draw, a question or a cluster, is; none where unknown.
    """

    points: Points
    accuracy: Floats
    stderr: Floats
    pools: tuple[Pool, ...] = ()
    method: str = "majority"
    run: Run | None = None
    sizes: Mapping[str, Ints | Floats] = field(default_factory=dict)


def by_what_is_seen(pools: Sequence[Pool]) -> list[Pool]:
    """The pools, their questions in an order that hangs on no answer that is hidden."""
    ordered = put_in_order([pool.answers for pool in pools])
    return [
        replace(pool, answers=answers, whole=None if pool.whole is None else pool.whole[places])
        for pool, (answers, places) in zip(pools, ordered, strict=True)
    ]


def opposite(observed: Evidence) -> Evidence:
    """The same answers with right ones taken for wrong and all others for right, by the opposite method.

    All of N answers are right unless one of them is not: 1 − best of N here.
    """
    pools = []
    for pool in observed.pools:
        votes = np.where(pool.answers.votes == 0, 1, 0)
        pools.append(replace(pool, answers=replace(pool.answers, votes=votes)))
    in_order = tuple(by_what_is_seen(pools))
    method = METHODS[observed.method].opposite
    return replace(observed, accuracy=1 - observed.accuracy, pools=in_order, method=method)


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
    return replace(answers, starts=starts, votes=votes, tokens=answers.tokens[kept], scores=None)


def renumbered(question: Ints, votes: Ints) -> Ints:
    """`votes` with each question's wrong answers numbered 1, 2, … without the numbers that were cut away."""
    wrong = votes > 0
    kinds, place = np.unique(np.stack([question[wrong], votes[wrong]], axis=1), axis=0, return_inverse=True)
    corrected = votes.copy()
    corrected[wrong] = place - np.searchsorted(kinds[:, 0], question[wrong]) + 1
    return corrected


def stopped(answers: AnswerPools, cap: float) -> AnswerPools:
    """`answers` as a run stopped at `cap` tokens leaves them: longer ones null, at cap tokens plus one.

    The one way to the answers: what a forecast sees, it sees through here. An unreadable answer of exactly
    `cap` tokens counts as longer: a run that was itself stopped there writes its unfinished answers so.
    """
    over = (answers.tokens > cap) | ((answers.tokens == cap) & (answers.votes < 0))
    votes = renumbered(answers.question, np.where(over, -1, answers.votes))
    return replace(answers, votes=votes, tokens=np.where(over, cap + 1, answers.tokens))

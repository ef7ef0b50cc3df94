"""The data of `predict`: points of accuracy curves, the answers behind them, and what a forecast may see.

setting  T    N  accuracy  stderr        pool of "20": question q7 said 12, 12, 15, 12
20       97   1  0.52      0.013
20       97   4  0.58      0.013

Answers are hidden from a forecast only by leaving them out or by cutting them off.

votes 0 1 2 1 −1 of a question, the first three kept  ->  0 1 2;   stopped at 900 tokens  ->  0 −1 1 …
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from results.methods import METHODS
from results.votes.exact import AnswerPools
from results.votes.exact import Floats as Floats
from results.votes.exact import Ints as Ints
from results.votes.unnamed import put_in_order

Texts = NDArray[np.str_]


@dataclass(frozen=True)
class Pool:
    """The answers seen at one setting, and the size of the pool that they are part of.

    T: tokens (for the twin: steps) of an answer, NaN if not counted. whole: (Q,) the number of answers to
    each question in the measured pool that these are part of; None: fresh answers are to be forecast.
    """

    setting: str
    T: float
    answers: AnswerPools
    whole: Ints | None = None

    @property
    def sizes(self) -> Floats:
        """(Q,) the number of answers to each question in the pool to be forecast; inf: fresh ones."""
        if self.whole is None:
            return np.full(len(self.answers.question_ids), np.inf)
        return self.whole.astype(np.float64)


@dataclass(frozen=True)
class Points:
    """Points of accuracy curves, one element each: setting, T (tokens or steps of one answer) and N.

    `spread`: standard deviation of log T where T itself is a forecast, 0 elsewhere; None: 0 everywhere.
    """

    setting: Texts
    T: Floats
    N: Ints
    spread: Floats | None = None

    def __len__(self) -> int:
        return len(self.N)

    def settings(self) -> list[tuple[str, float]]:
        """The different settings with their T, cheapest first (unknown T last); if equal, in this order."""
        lengths = {str(s): float(t) for s, t in zip(self.setting, self.T, strict=True)}
        return sorted(lengths.items(), key=lambda pair: np.nan_to_num(pair[1], nan=np.inf))

    def __getitem__(self, at: NDArray[np.bool_] | Ints) -> "Points":
        """The points selected by a mask or indices."""
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
    """The answers of one `setting`, treated as if each had been stopped at `cap` tokens.

    `caps`: `cap` itself and the later caps: the name of each as a setting, with its tokens.
    `whole`: (Q,) the number of answers to each question in the measured pool that `answers` are part of.
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
    stderr: their standard errors over questions, shape (P,); NaN if unknown.
    pools: the answers of each setting; empty if only curves are known.
    method: majority or best_of_n, or one with an opposite.
    run: the answers as stopped at the cap, if larger caps are to be forecast; else None.
    sizes: by setting, the number of questions in each draw (a question or a cluster); empty if unknown.
    """

    points: Points
    accuracy: Floats
    stderr: Floats
    pools: tuple[Pool, ...] = ()
    method: str = "majority"
    run: Run | None = None
    sizes: Mapping[str, Ints | Floats] = field(default_factory=dict)


def places_of(setting: Sequence[str], *columns: Floats | Ints) -> Ints:
    """The place of each point's setting, (P,): by its T (unknown: last), then by its curve, not by its name.

    The `columns` are those of its points: T, N, accuracy and standard error.
    """
    curves: dict[str, list[float]] = {}
    table = np.nan_to_num(np.column_stack(columns), nan=np.inf).tolist()
    for name, cells in sorted(zip(setting, table, strict=True)):
        curves.setdefault(name, []).extend(cells)
    rising = sorted(curves, key=lambda name: (curves[name], name))
    return np.array([rising.index(name) for name in setting])


def by_what_is_seen(pools: Sequence[Pool]) -> list[Pool]:
    """The pools, with their questions in an order that depends on no hidden answer."""
    ordered = put_in_order([pool.answers for pool in pools])
    return [
        replace(pool, answers=answers, whole=None if pool.whole is None else pool.whole[places])
        for pool, (answers, places) in zip(pools, ordered, strict=True)
    ]


def opposite(observed: Evidence) -> Evidence:
    """The same answers with right ones as wrong and all others as right, by the opposite method.

    All of N answers are right unless at least one is wrong: accuracy is 1 − best-of-N here.
    """
    pools = []
    for pool in observed.pools:
        votes = np.where(pool.answers.votes == 0, 1, 0)
        pools.append(replace(pool, answers=replace(pool.answers, votes=votes)))
    in_order = tuple(by_what_is_seen(pools))
    method = METHODS[observed.method].opposite
    return replace(observed, accuracy=1 - observed.accuracy, pools=in_order, method=method)


def chosen_answers(pool: Pool, order: Ints, n: int, rest: bool = False) -> Pool:
    """The pool with the first `n` answers to each question in `order`, a permutation of all answers.

    With `rest`, all the others instead.
    """
    answers = pool.answers
    question = answers.question
    by_question = order[np.argsort(question[order], kind="stable")]
    place = np.empty(len(order), np.int64)
    place[by_question] = np.arange(len(order)) - answers.starts[question]
    return replace(pool, answers=subset(answers, (place < n) != rest), whole=answers.sizes)


def subset(answers: AnswerPools, kept: NDArray[np.bool_]) -> AnswerPools:
    """The answers marked in `kept`, with wrong ones renumbered; a question may be left without answers."""
    question = answers.question[kept]
    starts = np.searchsorted(question, np.arange(len(answers.question_ids) + 1))
    votes = renumbered(question, answers.votes[kept])
    return replace(answers, starts=starts, votes=votes, tokens=answers.tokens[kept], scores=None)


def renumbered(question: Ints, votes: Ints) -> Ints:
    """`votes` with each question's wrong answers numbered 1, 2, … again, without gaps."""
    wrong = votes > 0
    kinds, place = np.unique(np.stack([question[wrong], votes[wrong]], axis=1), axis=0, return_inverse=True)
    corrected = votes.copy()
    corrected[wrong] = place - np.searchsorted(kinds[:, 0], question[wrong]) + 1
    return corrected


def stopped(answers: AnswerPools, cap: float) -> AnswerPools:
    """`answers` as a run stopped at `cap` tokens gives them: longer ones are null, with cap + 1 tokens.

    All answers that a forecast sees at a cap come from here. An unreadable answer of exactly `cap` tokens
    counts as longer, since a run that was itself stopped there records its unfinished answers like this.
    """
    over = (answers.tokens > cap) | ((answers.tokens == cap) & (answers.votes < 0))
    votes = renumbered(answers.question, np.where(over, -1, answers.votes))
    return replace(answers, votes=votes, tokens=np.where(over, cap + 1, answers.tokens))

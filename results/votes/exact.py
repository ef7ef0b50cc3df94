"""Accuracy of N answers at every N up to the pool size, by three methods: the exact mean over all subsets.

    question  right  wrong    null  N        majority          best_of_n      all_of_n
    7         2      [1, 1]   1     1, 2, 3  0.4, 0.5, 0.567   0.4, 0.7, 0.9  0.4, 0.1, 0

majority (maj@k, self-consistency): the most frequent answer is right. best_of_n (pass@k): at
least one answer is. all_of_n (pass^k): all answers are.

Subsets are drawn without replacement. Answers tied for the lead share the credit. A null answer
takes a place in the subset but casts no vote; a subset of nulls only scores 0. All answers
marked correct are one answer; wrong answers are distinguished, and numbered, by their text.

Every accuracy is rounded where it is computed, so that equal values compare equal: a chance of
one half is 0.5, not 0.5 + 3e-16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from results.arguments import COUNT, COUNTS
from results.commandline import BadInput
from results.tables.columns import TEXT
from results.tables.key import ANSWERS, groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DIGITS = 12
"""Decimal places to which accuracies are rounded."""

SAME = 10 ** (1.0 - DIGITS)
"""Means of rounded accuracies count as equal if they differ by less than this, the effect of rounding."""


@dataclass(frozen=True)
class VoteCounts:
    """How often each answer was given, for Q questions.

    correct: (Q,) right answers; nulls: (Q,) answers that could not be read; wrong: (W,) the
    count of each distinct wrong answer, with wrong[starts[q] : starts[q + 1]] for question q;
    starts: (Q + 1,).
    """

    correct: Ints
    wrong: Ints
    starts: Ints
    nulls: Ints

    @property
    def pools(self) -> Ints:
        """(Q,) number of answers of each question."""
        cumulative = np.concatenate([[0], np.cumsum(self.wrong)])
        return self.correct + self.nulls + np.diff(cumulative[self.starts])


@dataclass(frozen=True)
class AnswerPools:
    """The answers to Q questions, each question's in the order of its `sample` column.

    question_ids: Q names in sorted order; starts: (Q + 1,) question q owns answers starts[q] :
    starts[q + 1]; votes: (answers,) −1 null, 0 right, 1, 2, … the question's distinct wrong
    answers; tokens: (answers,) completion tokens (`counted`), NaN if unknown; scores:
    (answers,) NaN for an answer without one, or None if no score was requested; clusters: Q
    names, or None if questions are independent; logs: scores are logarithms of weights.
    """

    question_ids: list[str]
    starts: Ints
    votes: Ints
    tokens: Floats
    scores: Floats | None = None
    clusters: list[str] | None = None
    logs: bool = False

    @property
    def sizes(self) -> Ints:
        """(Q,) number of answers of each question."""
        return np.diff(self.starts)

    @property
    def question(self) -> Ints:
        """(answers,) index of each answer's question."""
        return np.repeat(np.arange(len(self.question_ids)), self.sizes)

    @property
    def tokens_of_questions(self) -> Floats:
        """(Q,) mean tokens of a question's answers; NaN if it has none, or one has no token count."""
        sums = np.bincount(self.question, self.tokens, minlength=len(self.sizes))
        means: Floats = np.divide(sums, self.sizes, out=np.full(len(sums), np.nan), where=self.sizes > 0)
        return means

    def counts(self) -> VoteCounts:
        """The counts from which the exact accuracies are computed."""
        return self._counts

    def kept(self, answers: NDArray[np.bool_]) -> AnswerPools:
        """The pools of only the marked answers, (answers,); questions left without answers are dropped."""
        sizes = np.bincount(self.question[answers], minlength=len(self.question_ids))
        left = np.flatnonzero(sizes)
        return self.at(left, sizes[left], np.flatnonzero(answers))

    def at(self, questions: Ints, sizes: Ints, answers: Ints) -> AnswerPools:
        """The questions at these places, in this order, with the answers at these, `sizes` of each."""
        return replace(
            self,
            question_ids=[self.question_ids[q] for q in questions],
            starts=np.concatenate([[0], np.cumsum(sizes)]),
            votes=self.votes[answers],
            tokens=self.tokens[answers],
            scores=None if self.scores is None else self.scores[answers],
            clusters=None if self.clusters is None else [self.clusters[q] for q in questions],
        )

    @cached_property
    def _counts(self) -> VoteCounts:
        question, votes = self.question, self.votes
        kinds = np.zeros(len(self.question_ids), np.int64)
        np.maximum.at(kinds, question, votes)
        starts = np.concatenate([[0], np.cumsum(kinds)])
        correct, nulls = (np.bincount(question[one], minlength=kinds.size) for one in (votes == 0, votes < 0))
        wrong = np.bincount((starts[question] + votes - 1)[votes > 0], minlength=int(starts[-1]))
        return VoteCounts(correct, wrong, starts, nulls)


def answer_pools(samples: pd.DataFrame, score: str | None = None, logs: bool = False) -> AnswerPools:
    """The pools of one group's rows (one setting of one model on one data set), by question.

    score: the column (of floats) with the scores of the pools; logs: these are logarithms of
    weights. Raises BadInput if a stop rule decided how many answers each question got: such
    pools are not random samples of a question's answers, and whatever is computed from them
    would be biased.
    """
    _refuse_stopped(samples)
    question, names = pd.factorize(samples["question_id"], sort=True)
    order = np.lexsort((samples["sample"].to_numpy(np.int64), question))
    question = question[order]
    answer = pd.factorize(samples["answer"], sort=True)[0][order]
    correct = samples["correct"].to_numpy(bool)[order]
    starts = np.searchsorted(question, np.arange(len(names) + 1))
    votes = np.where(correct, 0, -1)
    wrong = ~correct & (answer >= 0)
    votes[wrong] = pd.Series(answer[wrong]).groupby(question[wrong]).rank("dense")
    tokens = np.full(len(samples), np.nan)
    if "tokens" in samples:
        tokens = counted(samples["tokens"].to_numpy(np.float64, na_value=np.nan)[order], question)
    scores = None if score is None else samples[score].to_numpy(np.float64)[order]
    ids = [str(name) for name in names]
    clusters = _clusters(samples, ids)
    return AnswerPools(ids, starts, votes, tokens, scores, clusters, logs)


MOST_UNCOUNTED = 0.5
"""If a larger share of the answers has no token count, their length counts as unknown."""


def counted(tokens: Floats, question: Ints) -> Floats:
    """Tokens of answers, (answers,), with the mean of the question's known counts for unknown ones.

    If it has none, the mean over the other questions is used, so that no mean changes.
    Unchanged if more than MOST_UNCOUNTED are unknown; all NaN if no known count is above 0.
    """
    known = ~np.isnan(tokens)
    if not tokens[known].any():
        return np.full(tokens.shape, np.nan)
    if known.all() or known.mean() < 1 - MOST_UNCOUNTED:
        return tokens
    counts = np.bincount(question[known], minlength=int(question.max()) + 1)
    sums = np.bincount(question[known], tokens[known], minlength=counts.size)
    means = np.divide(sums, counts, out=np.full(counts.size, np.nan), where=counts > 0)
    means[counts == 0] = np.nanmean(np.sort(means))  # sorted: the order of questions changes no digit
    return np.where(known, tokens, means[question])


def _clusters(samples: pd.DataFrame, names: Sequence[str]) -> list[str] | None:
    """The cluster of each question in `names`, one of its own if it names none; None if none names one."""
    if "cluster" not in samples or samples["cluster"].isna().all():
        return None
    of_question = samples.groupby("question_id", observed=True)["cluster"].first().reindex(pd.Index(names))
    own = [f"question {name}" for name in names]
    return list(np.where(of_question.isna(), own, "cluster " + of_question.astype(TEXT)))


def _refuse_stopped(samples: pd.DataFrame) -> None:
    """Raise BadInput if a stop rule decided how many answers each question got."""
    stopped = samples.get("stop_rule", pd.Series(dtype=TEXT)).notna().to_numpy(bool)
    if stopped.any():
        first = samples.iloc[int(stopped.argmax())]
        key = next(iter(groups(samples[stopped], ANSWERS)))[0]
        raise BadInput(
            f"{key}: a stop rule ({first['stop_rule']!s:.40}) ended each vote, so its answers do not show "
            "the accuracy at N: sample without stop_rule"
        )


def majority_accuracy(counts: VoteCounts, ns: Sequence[int] | Ints) -> Floats:
    """Exact majority-vote accuracy of every question at every N of `ns`: an array (Q, len(ns)).

    Raises ValueError if an N is not whole, below 1 or above the size of a question's pool.
    """
    from results.votes.exact_kernel import vote_curves  # numba takes half a second to import

    asked, pools = _whole(ns), counts.pools
    if pools.size and np.any((asked < 1) | (asked > pools.min())):
        raise ValueError(f"N must be from 1 to the smallest pool ({pools.min()})")
    accuracy = np.empty((counts.correct.size, asked.size))
    if accuracy.size:
        question = np.repeat(np.arange(counts.correct.size), np.diff(counts.starts))
        rising = counts.wrong[np.lexsort((counts.wrong, question))]
        parts = (counts.correct, rising, counts.starts, counts.nulls)
        vote_curves(*(np.ascontiguousarray(part, np.int64) for part in parts), asked, accuracy)
    return accuracy.round(DIGITS)


def accuracy_by_question(counts: VoteCounts, method: str, ns: Sequence[int] | Ints) -> Floats:
    """Exact accuracy of every question at every N, (Q, len(ns)), by one of EVERY_METHOD.

    Raises ValueError if an N is below 1 or above the size of a question's pool.
    """
    if method == "majority":
        return majority_accuracy(counts, ns)
    of_counts = {"best_of_n": best_of_n, "all_of_n": all_of_n}[method]
    return of_counts(counts.pools[:, None], counts.correct[:, None], np.asarray(ns))


def whole_vote(counts: VoteCounts) -> Floats:
    """The accuracy (Q,) of the majority vote of each question's whole pool, however large."""
    question = np.repeat(np.arange(counts.correct.size), np.diff(counts.starts))
    top = counts.correct.copy()
    np.maximum.at(top, question, counts.wrong)
    right_leads = (counts.correct == top) & (top > 0)
    wrong_leaders = question[counts.wrong == top[question]]
    leaders = right_leads + np.bincount(wrong_leaders, minlength=top.size)
    return np.asarray(right_leads / np.maximum(leaders, 1))


def at_fraction(curve: Floats, answers: Floats, pull: Floats) -> Floats:
    """Each question's accuracy at `answers`, (K,), which need not be whole: (Q, K), NaN beyond the `curve`.

    curve: (Q, most) at N = 1 … most. For a fractional number of answers, that fraction of the
    questions has one more. Such a number is a ratio of mean costs over the questions: `pull`,
    (Q, K), is each question's effect on it, which changes the spread of the accuracies but not
    their mean (the delta method).
    """
    most = curve.shape[1]
    answers = np.where((answers >= 1) & (answers <= most + 1e-9), answers, np.nan)
    last = max(most - 1, 1)  # at the end of the pool, use the last segment of the curve
    whole = np.minimum(np.nan_to_num(answers, nan=1.0).astype(np.int64), last)
    fewer, more = curve[:, whole - 1], curve[:, np.minimum(whole, most - 1)]
    slope = more - fewer
    return np.asarray(fewer + (answers - whole) * slope + slope.mean(axis=0) * pull)


def majority_curve(correct: int, wrong: Sequence[int], nulls: int = 0) -> Floats:
    """Exact accuracy of one question's majority vote (self-consistency) at every N, from its counts.

    Parameters:
        correct: number of right answers.
        wrong: how often each distinct wrong answer was given, in any order.
        nulls: number of answers that could not be read, which are drawn but cast no vote.

    Returns an array of shape (pool,), pool = correct + sum(wrong) + nulls; element N − 1 is the
    accuracy of the vote of N answers drawn without replacement. Tied answers share the credit
    equally. Raises BadInput if a count is negative or not whole.
    """
    right, unread = COUNT.of(correct), COUNT.of(nulls)
    given = np.array([right, unread, *COUNTS.of(wrong)], np.int64)
    positive = given[2:][given[2:] > 0]
    pool = int(given.sum())
    counts = VoteCounts(given[:1], positive, np.array([0, positive.size]), given[1:2])
    return np.asarray(majority_accuracy(counts, np.arange(1, pool + 1))[0])


def best_of_n(pool: ArrayLike, correct: ArrayLike, n: ArrayLike) -> Floats:
    """Chance that `n` of `pool` answers, `correct` of them right, include a right one: pass@k.

    1 − C(pool − correct, n) / C(pool, n). The arguments broadcast (Chen et al. 2021, eq. 1).
    Raises ValueError unless all are whole, 0 ≤ correct ≤ pool and 1 ≤ n ≤ pool.
    """
    return (1.0 - _all_of_a_kind(pool, _whole(pool) - _whole(correct), n)).round(DIGITS)


def all_of_n(pool: ArrayLike, correct: ArrayLike, n: ArrayLike) -> Floats:
    """Chance that `n` of `pool` answers, `correct` of them right, are all right: pass^k.

    C(correct, n) / C(pool, n). The arguments broadcast (Yao et al. 2024, tau-bench,
    arXiv:2406.12045). Raises ValueError unless all are whole, 0 ≤ correct ≤ pool and 1 ≤ n ≤
    pool.
    """
    return _all_of_a_kind(pool, correct, n)


def _all_of_a_kind(pool: ArrayLike, kind: ArrayLike, n: ArrayLike) -> Floats:
    """C(kind, n) / C(pool, n), computed factor by factor to avoid overflow."""
    pools, kinds, counts = np.broadcast_arrays(*(_whole(given) for given in (pool, kind, n)))
    if np.any((kinds < 0) | (kinds > pools) | (counts < 1) | (counts > pools)):
        raise ValueError("needs 0 <= correct <= pool and 1 <= n <= pool")
    share = np.ones(pools.shape)
    for i in range(int(counts.max(initial=0))):
        chance = np.maximum(kinds - i, 0) / np.maximum(pools - i, 1)
        share = np.where(i < counts, share * chance, share)
    return np.asarray(share).round(DIGITS)


def _whole(numbers: ArrayLike) -> Ints:
    """The numbers as signed integers. Raises ValueError if one is not finite and whole."""
    given = np.asarray(numbers, np.float64)
    if not np.all(np.isfinite(given) & (given == np.rint(given))):
        raise ValueError(f"{numbers!r:.40}: needs whole numbers")
    return given.astype(np.int64)

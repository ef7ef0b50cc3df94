"""What a run stopped at a cap shows: when each answer ended and what it said, or that it had not ended.

    question  times of its answers, C = 2000     ended (bin)    unfinished
    7         812 right, 1400 wrong, 2000+       3 right, 6 wrong   1

Times are logarithms of tokens, grouped into bins that hold equally many ended answers, so that a likelihood
is a product of counts with a table. Of an unfinished answer, only the fact that it is one is kept.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from predict.evidence.points import Floats, stopped, subset
from results.votes.exact import AnswerPools, VoteCounts

BINS = 32


@dataclass(frozen=True)
class SeenLengths:
    """The answers to Q questions, as a run stopped at `cap` tokens shows them.

    Arguments:
        edges: (K + 1,) edges of the K bins, in log tokens: the first is −inf, the last log cap. A bin
            includes its upper edge.
        middles: (K,) mean log tokens of the ended answers in each bin.
        right, other: (Q, K) ended answers in each bin that are right, and that are not.
        unfinished: (Q,) answers longer than the cap.
        votes: counts of the ended answers; nulls are those that ended but could not be read.
    """

    cap: float
    edges: Floats
    middles: Floats
    right: Floats
    other: Floats
    unfinished: Floats
    votes: VoteCounts

    @property
    def questions(self) -> int:
        """Q."""
        return len(self.unfinished)

    @cached_property
    def ended_counts(self) -> Floats:
        """(Q, K) ended answers in each bin."""
        return self.right + self.other

    @property
    def ended_share(self) -> float:
        """The share of all answers that ended within the cap."""
        done = self.ended_counts.sum()
        return float(done / (done + self.unfinished.sum()))


def seen_at(answers: AnswerPools, cap: float) -> SeenLengths:
    """Group the answers of a run by question and time, as if it had been stopped at `cap`.

    Raises ValueError if no answer ended within the cap.
    """
    cut = stopped(answers, cap)
    ended = cut.tokens <= cap
    if not ended.any():
        raise ValueError(f"no answer ended within {cap:g} tokens")
    question, tokens = cut.question, np.maximum(cut.tokens[ended], 1.0)
    inner = np.unique(np.quantile(tokens, np.arange(1, BINS) / BINS, method="lower"))
    limits = np.append(inner[inner < cap], cap)
    place = np.searchsorted(limits, tokens, side="left")
    K, Q = len(limits), len(cut.question_ids)
    x = np.log(tokens)
    totals = np.bincount(place, minlength=K)
    middles = np.bincount(place, weights=x, minlength=K) / np.maximum(totals, 1)
    middles = np.where(totals > 0, middles, np.log(limits))
    edges = np.concatenate([[-np.inf], np.log(limits)])
    cell = question[ended] * K + place
    correct = cut.votes[ended] == 0
    right = np.bincount(cell[correct], minlength=Q * K).reshape(Q, K).astype(float)
    other = np.bincount(cell[~correct], minlength=Q * K).reshape(Q, K).astype(float)
    unfinished = np.bincount(question[~ended], minlength=Q).astype(float)
    return SeenLengths(cap, edges, middles, right, other, unfinished, subset(cut, ended).counts())


def thinned(answers: AnswerPools, questions: int, each: int) -> AnswerPools:
    """At most `questions` questions, drawn with a fixed seed, with the first `each` of their answers."""
    kept = np.random.default_rng(0).permutation(len(answers.question_ids))[:questions]
    question = answers.question
    chosen = (np.arange(len(question)) - answers.starts[question] < each) & np.isin(question, kept)
    return subset(answers, chosen).kept(np.ones(chosen.sum(), bool))  # drop questions left without answers

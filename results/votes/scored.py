"""Accuracy of N answers with scores, at every N: the exact mean over all subsets of N.

    answer  right  score        N                  1      2      3
    18      yes    0.9          best_by_score      0.333  0.667  1
    7       no     0.8          weighted_majority  0.333  0.667  0
    7       no     0.3

best_by_score: the answer with the highest score (best-of-N by a verifier or a reward model).
Answers tied for it share the credit. Answers without a score rank below all scored ones, and
unreadable answers below those. Infinite scores are the highest and the lowest.

highest_score: the highest score itself, if scores are the credit of an answer, from 0 to 1, such
as the share of tests that it passed; at N = 1 this is the mean score. An answer without a score
counts as 0.

weighted_majority: the answer with the largest sum of scores; answers tied for the lead share the
credit. Weights are finite and at least 0; the weight of a log-probability is its exponential, and
rewards of any size become weights by one of WEIGHTS if requested. An answer of weight 0, without
a score or unreadable takes a place in the subset but casts no vote. The result is exact if all
weights of a question are multiples of 1/k of its largest, with k up to 60 (960 in a pool of up
to 16 answers: `grid_steps`), as with ratings from 1 to 10 or counts of votes. Other weights are
rounded to a grid; answers whose weight is rounded to 0 vote, on a grid of their own, only if no
others were drawn. The effect of rounding is measured in ORDERS random orders and added back (a
control variate): unbiased, with a standard error below 0.5 points on a question.
"""

import warnings
import zlib
from collections.abc import Collection

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.arguments import WEIGHTS
from results.commandline import BadInput
from results.methods import CREDIT, SCORED
from results.tables.columns import refuse, score_cells
from results.votes.exact import DIGITS, AnswerPools, Floats, Ints, accuracy_by_question

MAX_POOL = 512
"""The most answers per question for a weighted majority: time grows with their third power."""

ORDERS = 1024
"""Random orders that give the effect of rounding on a question to half a point."""

_PLACES = 9
"""Decimals kept of weights on the grid; the last bits depend on the processor."""

_MANY = 0.1
"""A larger share of answers without a score causes a warning."""


def score_column(
    samples: pd.DataFrame, score: str, weights: str | None = None
) -> tuple[pd.DataFrame, str, bool]:
    """The samples with the column of scores as floats; its name, `score` or "score_" + `score`; and
    whether the scores are logarithms of weights.

    weights: how scores become weights, one of WEIGHTS. Warns if more than a tenth of the
    readable answers have no score. Raises BadInput if there is no such column, one of its cells
    is not a number, or it is empty.
    """
    if not isinstance(score, str):
        raise BadInput(f"score: found {score!r:.40}, expected the name of a column of scores")
    columns = map(str, samples)
    own = [name for name in columns if name in ("score", "logprob") or name.startswith("score_")]
    column = next((name for name in (score, f"score_{score}") if name in own), None)
    if column is None:
        there = f"there are {', '.join(own)}" if own else "there are none"
        wanted = score if score in ("score", "logprob") else f"score_{score.removeprefix('score_')}"
        raise BadInput(f"scores: no column {wanted!r:.40} in the samples: {there}")
    cells, bad = score_cells(samples[column])
    refuse(bad, "scores", samples[column], "a number")
    if cells.isna().all():
        raise BadInput(f"scores: column {column!r} is empty")
    read = samples["answer"].notna()
    absent = int((cells.isna() & read).sum())
    if absent > _MANY * read.sum():
        warnings.warn(
            f"scores: {absent:,} of {read.sum():,} answers have none in column {column!r}: they rank below "
            "all others and have no weight",
            stacklevel=2,
        )
    if weights == "sigmoid":
        cells = cells.map(lambda cell: -np.logaddexp(0.0, -cell), na_action="ignore")
    return samples.assign(**{column: cells}), column, column == "logprob" or weights is not None


def check_weights(weights: str | None, methods: Collection[str], score: str | None) -> None:
    """Raise BadInput if `weights` is not one of WEIGHTS, or would change nothing."""
    if weights is None:
        return
    WEIGHTS.of(weights)
    if "weighted_majority" not in methods:
        raise BadInput(f"weights {weights} are for weighted_majority: name it in the methods")
    if score == "logprob":
        raise BadInput(f"weights {weights}: leave it out: the weights of a logprob are e to its power")


def accuracy_by(pools: AnswerPools, method: str, ns: Ints) -> Floats:
    """Exact accuracy of every question at every N, (Q, len(ns)), by any method."""
    if method in SCORED:
        return accuracy_by_score(pools, method, ns)
    return accuracy_by_question(pools.counts(), method, ns)


def accuracy_by_score(pools: AnswerPools, method: str, ns: Ints) -> Floats:
    """Exact accuracy of every question at every N, (Q, len(ns)), by one of SCORED.

    Raises BadInput if scores cannot be weights, or credit.
    """
    from results.votes import score_kernel  # numba takes half a second to import

    assert pools.scores is not None
    if method == "weighted_majority":
        _check_weights(pools)
    if method in CREDIT:
        _refuse(pools, (pools.scores < 0) | (pools.scores > 1), ": highest_score needs scores from 0 to 1")
    accuracy = np.zeros((len(pools.question_ids), len(ns)))
    sizes = np.ascontiguousarray(ns, np.int64)
    for question, (start, end) in enumerate(zip(pools.starts[:-1], pools.starts[1:], strict=True)):
        votes, scores = pools.votes[start:end].astype(np.int64), pools.scores[start:end]
        if method == "best_by_score":
            level = rank_levels(votes, scores)
            rising = np.argsort(level, kind="stable")
            right = (votes[rising] == 0).astype(np.float64)
            score_kernel.best_curve(level[rising], right, sizes, accuracy[question])
        elif method in CREDIT:
            credit = np.sort(np.nan_to_num(scores))
            level = np.unique(credit, return_inverse=True)[1]
            score_kernel.best_curve(level, credit, sizes, accuracy[question])
        else:
            with np.errstate(divide="ignore"):  # log of 0
                weights = scores if pools.logs else np.log(scores)
            accuracy[question] = _weighted(votes, weights, sizes)
    return accuracy.round(DIGITS)


def rank_levels(votes: Ints, scores: Floats) -> Ints:
    """The rank of each answer (answers,), ties equal: 0 unreadable, 1 without a score, 2, 3, … by score."""
    scored = (votes >= 0) & ~np.isnan(scores)
    level = np.where(votes < 0, 0, 1)
    level[scored] = 2 + np.unique(scores[scored], return_inverse=True)[1]
    return level


def _weighted(votes: Ints, logs: Floats, ns: Ints) -> Floats:
    """The weighted vote's accuracy at each N (len(ns),); logs: logarithms of weights, NaN: no weight."""
    from results.votes import score_kernel

    logs = np.where((votes < 0) | np.isnan(logs), -np.inf, logs)
    accuracy, drawn = np.zeros(len(ns)), np.arange(len(votes))
    none = np.ones(len(ns))  # the chance that all N are among the answers left
    while np.isfinite(logs).any():
        shares = np.exp(logs - logs.max())
        relative = (shares * _parts(shares)).round(_PLACES)
        whole, here = np.rint(relative), np.minimum(ns, len(votes))
        part = np.zeros(len(ns))
        score_kernel.weighted_curve(*_voters(votes, whole.astype(np.int64)), len(votes), here, part)
        if (relative != whole).any():
            kinds = [np.sort(relative[votes == kind]).tolist() for kind in range(votes.max() + 1)]
            rank = np.argsort([0, *sorted(range(1, len(kinds)), key=kinds.__getitem__)])
            order = np.lexsort((relative, rank[votes.clip(0)]))  # independent of the answers' order and names
            voters = [each[order] for each in (votes.clip(0), relative, whole)]
            rng = np.random.default_rng(zlib.crc32(voters[2].tobytes()))
            orders = rng.permuted(np.tile(np.arange(len(votes)), (ORDERS, 1)), axis=1)
            added = np.zeros(here.max() + 1)
            score_kernel.lost_by_rounding(*voters, orders, added)
            part = np.clip(part + added[here], 0.0, 1.0)
        accuracy += none * part
        votes, logs = votes[whole == 0], logs[whole == 0]
        none = (np.maximum(len(votes) - drawn, 0) / (len(drawn) - drawn)).cumprod()[ns - 1]
    return accuracy


def _voters(votes: Ints, weights: Ints) -> tuple[Ints, Ints, int]:
    """Weights by answer, the right one first, then by ascending total; their starts; answers without vote."""
    kinds = [np.sort(weights[(votes == kind) & (weights > 0)]) for kind in range(max(votes.max(), 0) + 1)]
    right, *wrong = kinds
    wrong = sorted((kind for kind in wrong if kind.size), key=lambda kind: int(kind.sum()))
    classes = [right, *wrong]
    starts = np.cumsum([0, *(kind.size for kind in classes)]).astype(np.int64)
    whole = np.concatenate(classes)
    return whole // np.gcd.reduce(whole), starts, len(votes) - whole.size


def _parts(shares: Floats) -> int:
    """The smallest k such that all shares are multiples of 1/k, if any; else the steps of the grid."""
    most = grid_steps(len(shares))
    multiples = np.arange(1, most + 1)[:, None] * shares
    exact = (np.abs(multiples - np.rint(multiples)) < 10.0**-_PLACES).all(axis=1)
    return int(exact.argmax()) + 1 if exact.any() else most


def grid_steps(answers: int) -> int:
    """Steps of the grid of weights: a multiple of 60, so that halves, thirds, … sixths are exact.

    At the same grid, half the answers take a quarter of the time, so a pool half the size gets a
    grid four times as fine: 60 at 64 answers, 240 at 32, 960 at 16 and fewer.
    """
    return 60 * min(max(64 // answers, 1), 4) ** 2


def _refuse(pools: AnswerPools, bad: NDArray[np.bool_], because: str) -> None:
    """Raise BadInput for the first answer, if any, whose score is bad, saying why."""
    if bad.any():
        assert pools.scores is not None
        at = int(bad.argmax())
        name, score = pools.question_ids[int(pools.question[at])], pools.scores[at]
        raise BadInput(f"question {name}: a score of {score:g}{because}")


def _check_weights(pools: AnswerPools) -> None:
    """Raise BadInput if a score cannot be a weight, or a question has too many answers."""
    assert pools.scores is not None
    bad = np.isposinf(pools.scores) if pools.logs else np.isinf(pools.scores) | (pools.scores < 0)
    _refuse(
        pools,
        bad,
        " is not a weight: weighted_majority needs finite scores of at least 0; turn rewards into "
        "weights with --weights softmax (or sigmoid); best_by_score takes any score",
    )
    if pools.sizes.max() > MAX_POOL:
        raise BadInput(
            f"weighted_majority takes up to {MAX_POOL} answers a question, found {pools.sizes.max()}"
        )

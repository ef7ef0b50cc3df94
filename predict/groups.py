"""The groups of one INPUT: each model on each dataset as curve points, and from samples the answers too.

    samples.jsonl or curves.csv  ->  Group("llm", "gsm8k", "llama", "majority", points, accuracy, …, pools)

T is read from the table, or is tokens_per_answer × questions; for language models it is scaled by 1e-5
(T'). As it is a sum over questions, a setting with fewer of them than another is given the T that it would
have with as many: settings are ordered and compared by the length of an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from predict.protocol import Floats, Ints, Points, Pool
from results import BadInput, kind_of, read_curves, read_samples
from results.votes.exact import AnswerPools, answer_pools, best_of_n, majority_accuracy

TOKEN_SCALE = {"llm": 1e5, "synthetic": 1.0}


@dataclass(frozen=True)
class Group:
    """One model on one dataset with one method: P points, and one pool a setting (none from curves).

    Arguments:
        points: setting, T (fitting scale) and N, shape (P,); sorted by T, then N.
        accuracy, stderr: shape (P,).
        cost: tokens per answer of each setting ({} where unknown).
        questions: number of questions of each setting (0 where unknown).
    """

    source: str
    dataset: str
    model: str
    method: str
    points: Points
    accuracy: Floats
    stderr: Floats
    cost: dict[str, float]
    questions: dict[str, int]
    pools: tuple[Pool, ...] = ()

    @property
    def name(self) -> str:
        """What the group is called in tables and messages."""
        return f"{self.model} on {self.dataset} ({self.source}, {self.method})"

    @property
    def scale(self) -> float:
        """T in the table divided by T on the fitting scale."""
        return TOKEN_SCALE[self.source]


def read_groups(paths: Sequence[str | Path], method: str, at_n: Sequence[int] = ()) -> list[Group]:
    """Every group of `method` in the files, all samples or all curves tables. Raises BadInput."""
    kinds = {kind_of(path) for path in paths}
    if kinds == {"samples"}:
        groups = groups_of_samples(read_samples(*paths), method, at_n)
    elif kinds == {"curves"}:
        groups = groups_of_curves(read_curves(*paths), method)
    else:
        raise BadInput(
            f"{', '.join(map(str, paths))}: {' and '.join(sorted(kinds))} tables, expected one kind: "
            "samples or curves"
        )
    if not groups:
        raise BadInput(f"{', '.join(map(str, paths))}: no rows to forecast {method} from")
    return groups


def groups_of_curves(frame: pd.DataFrame, method: str) -> list[Group]:
    """The groups in a checked curves table: rows of `method` with permutation "exact" and an accuracy."""
    rows = frame[(frame["method"] == method) & (frame["permutation"] == "exact")]
    rows = rows.reindex(columns=[*frame.columns, *(c for c in _OPTIONAL if c not in frame)])
    rows = rows[rows["accuracy"].notna()]
    keys = ["source", "dataset", "model"]
    return [
        _group(str(key[0]), str(key[1]), str(key[2]), method, part)
        for key, part in rows.groupby(keys, sort=False)
    ]


_OPTIONAL = ("accuracy", "stderr", "T", "tokens_per_answer", "questions")


def _group(source: str, dataset: str, model: str, method: str, rows: pd.DataFrame) -> Group:
    settings = rows["setting"].astype(str)
    real = {name: rows[name].astype("float64") for name in _OPTIONAL}
    cost = real["tokens_per_answer"].groupby(settings).mean()
    questions = real["questions"].groupby(settings).max().fillna(0).astype(int)
    T = real["T"].fillna(real["tokens_per_answer"] * real["questions"]).groupby(settings).mean()
    if source != "synthetic":
        T = T * (questions.max() / questions.where(questions > 0)).fillna(1.0)
    T = T / TOKEN_SCALE[source]
    N = rows["N"].to_numpy(np.int64)
    order = np.lexsort((N, settings.to_numpy(), settings.map(T).to_numpy()))
    points = Points(settings.to_numpy(str)[order], settings.map(T).to_numpy(np.float64)[order], N[order])
    return Group(
        source, dataset, model, method, points,
        real["accuracy"].to_numpy()[order], real["stderr"].to_numpy()[order],
        {str(k): float(v) for k, v in cost.dropna().items()},
        {str(k): int(v) for k, v in questions.items()},
    )  # fmt: skip


def groups_of_samples(frame: pd.DataFrame, method: str, at_n: Sequence[int] = ()) -> list[Group]:
    """The groups in a checked samples table (without greedy answers), exact at `grid` and `at_n`."""
    rows = frame[frame["decoding"] == "sample"]
    rows = rows if "source" in rows else rows.assign(source="llm")
    groups = []
    for key, part in rows.groupby(["source", "dataset", "model"], sort=False):
        source, dataset, model = map(str, key)
        answers = {str(name): answer_pools(one) for name, one in part.groupby("setting", sort=False)}
        most = max(len(one.question_ids) for one in answers.values())
        pools = [make_pool(name, one, source, most) for name, one in answers.items()]
        groups.append(group_of_pools(source, dataset, model, method, pools, at_n))
    return groups


def make_pool(setting: str, answers: AnswerPools, source: str = "llm", questions: int | None = None) -> Pool:
    """A pool with T' = mean completion tokens × questions / 1e5, or mean steps; NaN where not counted.

    `questions`: those of the group's largest pool (None: of this one).
    """
    known = answers.tokens[np.isfinite(answers.tokens)]
    T = float(known.mean()) if known.size else np.nan
    questions = questions or len(answers.question_ids)
    return Pool(setting, T if source == "synthetic" else T * questions / TOKEN_SCALE[source], answers)


def group_of_pools(
    source: str, dataset: str, model: str, method: str, pools: Sequence[Pool], at_n: Sequence[int] = ()
) -> Group:
    """The group whose points are the exact accuracies of `pools`, each up to its smallest question's pool."""
    ordered = sorted(pools, key=lambda pool: (np.isnan(pool.T), pool.T, pool.setting))
    parts = [(pool, grid(int(pool.answers.sizes.min()), at_n)) for pool in ordered]
    values = [question_accuracy(pool.answers, ns, method) for pool, ns in parts]
    points = Points(
        np.concatenate([np.full(len(ns), pool.setting) for pool, ns in parts]),
        np.concatenate([np.full(len(ns), pool.T) for pool, ns in parts]),
        np.concatenate([ns for _, ns in parts]),
    )
    counts = {pool.setting: len(pool.answers.question_ids) for pool in ordered}
    cost = {
        pool.setting: price_of_answer(source, pool.T, max(counts.values()))
        for pool in ordered if np.isfinite(pool.T)
    }  # fmt: skip
    return Group(
        source, dataset, model, method, points,
        np.concatenate([value.mean(axis=0) for value in values]),
        np.concatenate([_stderr(value) for value in values]),
        cost, counts, tuple(ordered),
    )  # fmt: skip


def price_of_answer(source: str, T: float, questions: int) -> float:
    """Tokens of one answer at T on the fitting scale; for the twin its steps. NaN without questions."""
    if source == "synthetic":
        return T
    return T * TOKEN_SCALE[source] / questions if questions else np.nan


def grid(smallest_pool: int, at_n: Sequence[int] = ()) -> Ints:
    """The N at which a pool is read: 1 … 8, powers of two, the pool itself, and those of `at_n` within it."""
    powers = [2**k for k in range(4, smallest_pool.bit_length())]
    asked = [n for n in at_n if n <= smallest_pool]
    return np.unique([*range(1, min(8, smallest_pool) + 1), *powers, smallest_pool, *asked]).astype(np.int64)


def question_accuracy(answers: AnswerPools, ns: Ints, method: str) -> Floats:
    """Exact accuracy of each question at each N, shape (questions, len(ns))."""
    counts = answers.counts()
    if method == "best_of_n":
        return best_of_n(counts.pools[:, None], counts.correct[:, None], ns[None, :])
    return majority_accuracy(counts, ns)


def first_answers(pool: Pool, n: int) -> Pool:
    """The pool cut to the first `n` answers of each question (its T stays)."""
    if n >= pool.answers.sizes.max(initial=0):
        return pool
    return chosen_answers(pool, np.arange(len(pool.answers.votes)), n)


def chosen_answers(pool: Pool, order: Ints, n: int) -> Pool:
    """The pool cut to `n` answers of each question: those first in `order`, a permutation of all answers."""
    answers = pool.answers
    question = np.repeat(np.arange(len(answers.question_ids)), answers.sizes)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_question = np.lexsort((rank, question))
    place = np.arange(len(order)) - answers.starts[:-1][question[by_question]]
    kept = np.sort(by_question[place < n])
    starts = np.searchsorted(question[kept], np.arange(len(answers.question_ids) + 1))
    votes = renumbered(question[kept], answers.votes[kept])
    return replace(pool, answers=AnswerPools(answers.question_ids, starts, votes, answers.tokens[kept]))


def renumbered(question: Ints, votes: Ints) -> Ints:
    """`votes` with each question's wrong answers numbered 1, 2, … without the numbers that were cut away."""
    wrong = votes > 0
    kinds, place = np.unique(np.stack([question[wrong], votes[wrong]], axis=1), axis=0, return_inverse=True)
    renumbered = votes.copy()
    renumbered[wrong] = place - np.searchsorted(kinds[:, 0], question[wrong]) + 1
    return renumbered


def _stderr(values: Floats) -> Floats:
    if len(values) < 2:
        return np.full(values.shape[1], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))

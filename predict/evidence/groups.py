"""The input tables as groups: one model on one dataset as curve points; from samples, with the answers.

    samples.jsonl or curves.csv  ->  Group(Key("llm", "gsm8k", "llama", method="majority"), points, …, pools)

In all of `predict`, T is the length of an answer in tokens (for the synthetic twin: steps). It comes from
`results.votes.tokens`, so samples and their curves give the same T.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from predict.evidence.points import Floats, Ints, Points, Pool, Run, places_of
from results.methods import FORECAST
from results.tables.key import ANSWERS, PANEL, WHOSE, Key, groups
from results.votes.clusters import mean_accuracy, standard_error
from results.votes.curves import usual_methods
from results.votes.exact import AnswerPools, accuracy_by_question, answer_pools
from results.votes.tokens import answer_lengths, tokens_per_answer
from results.votes.unnamed import contents, unnamed
from results.words.names import curves_name, method_name


@dataclass(frozen=True)
class Group:
    """One model on one dataset with one method: P points, and one pool per setting (none from curves).

    Arguments:
        key: model, dataset and method; the setting is left open.
        points: setting, T and N, shape (P,); sorted by T, then N.
        accuracy, stderr: shape (P,).
        questions: number of questions of each setting (0 if unknown).
        clusters: number of clusters of questions of each setting that has clusters.
        priced: whether T is the length of one answer. A curves table with neither tokens per answer nor the
            number of questions has only sums over questions: they order its settings, but give no cost.
        run: the uncut answers if the settings are caps of one run (`capped.py`).
    """

    key: Key
    points: Points
    accuracy: Floats
    stderr: Floats
    questions: dict[str, int]
    pools: tuple[Pool, ...] = ()
    priced: bool = True
    run: Run | None = None
    clusters: Mapping[str, float] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """How the N answers to a question are combined into one."""
        return self.key.method

    @property
    def called(self) -> str:
        """ "llama on gsm8k"."""
        return curves_name(self.key)

    @property
    def title(self) -> str:
        """ "llama on gsm8k, majority vote"; for a run, with its setting and cap."""
        method = method_name(self.key)
        if self.run is None:
            return method
        return f"{method}, setting {self.run.setting}, stopped at {self.run.cap:,} tokens"

    @property
    def name(self) -> str:
        """What the group is called in messages."""
        of = f", setting {self.run.setting}" if self.run else ""
        return f"{self.called}{of} ({self.key.source}, {self.method})"

    @property
    def identity(self) -> Key:
        """The key that distinguishes it from other groups; two names may look the same."""
        return self.key.at(self.run.setting) if self.run else self.key

    @property
    def unit(self) -> str:
        """The unit in which the length of an answer is counted."""
        return "steps" if self.key.source == "synthetic" else "tokens"


def _usual(there: Collection[str]) -> str:
    """The method forecast by default: the first of FORECAST that is in `there`, else ""."""
    return next((method for method in FORECAST if method in there), "")


def groups_of_curves(frame: pd.DataFrame, method: str | None) -> list[Group]:
    """The groups in a checked curves table: rows of `method` with permutation "exact" and an accuracy.

    method: by default each model's own: the majority vote, if there is one.
    """
    optional = ("accuracy", "stderr", "T", "tokens_per_answer", "questions", "clusters")
    rows = frame[frame["permutation"] == "exact"]
    rows = rows.reindex(columns=[*frame.columns, *(c for c in optional if c not in frame)])
    rows = rows[rows["accuracy"].notna()].astype({"questions": "float64"})  # unknown is not fewer
    most = rows.groupby([*PANEL, "setting"], dropna=False)["questions"].transform("max")
    rows = rows[~(rows["questions"] < most)]  # drop an N that only some of the questions have answers for
    usual = {whose: _usual(set(part["method"])) for whose, part in groups(rows, WHOSE)}
    chosen = [(key, part) for key, part in groups(rows, PANEL) if key.method == (method or usual[key.whose])]
    return [_of_rows(key, part) for key, part in chosen]


def _of_rows(key: Key, rows: pd.DataFrame) -> Group:
    names = rows["setting"].astype(str)
    lengths = answer_lengths(rows)
    priced = bool(lengths.notna().any())
    T = names.map((lengths if priced else rows["T"].astype("float64")).groupby(names).mean())
    questions = rows["questions"].astype("float64").groupby(names).max().fillna(0).astype(int)
    clusters = rows["clusters"].astype("float64").groupby(names).max().dropna()
    columns = (T, *(rows[name] for name in ("N", "accuracy", "stderr")))
    place = places_of(names.tolist(), *(column.to_numpy(np.float64) for column in columns))
    rows = rows.assign(names=names, lengths=T, place=place).sort_values(["place", "N"])
    points = Points(
        rows["names"].to_numpy(str),
        rows["lengths"].to_numpy(np.float64),
        rows["N"].to_numpy(np.int64),
    )
    return Group(
        key,
        points,
        rows["accuracy"].to_numpy(np.float64),
        rows["stderr"].to_numpy(np.float64),
        {str(name): int(number) for name, number in questions.items()},
        priced=priced,
        clusters={str(name): float(number) for name, number in clusters.items()},
    )


def groups_of_samples(frame: pd.DataFrame, method: str | None, at_n: Sequence[int] = ()) -> list[Group]:
    """The groups in a checked samples table, exact at `grid` and `at_n`; method: as in `sampled`."""
    of_samples = []
    for key, settings in sampled(frame, method):
        answers = unnamed([answer_pools(rows) for rows in settings.values()])
        pools = [make_pool(name, own) for name, own in zip(settings, answers, strict=True)]
        of_samples.append(group_of_pools(key, pools, at_n))
    return of_samples


def sampled(frame: pd.DataFrame, method: str | None) -> Iterator[tuple[Key, dict[str, pd.DataFrame]]]:
    """Yield the key of each model on each data set of a samples table, and its sampled rows by setting.

    method: by default each model's own: the majority vote, or best-of-N for verdicts, which do not vote.
    """
    rows = frame[frame["decoding"] == "sample"]
    usual = {} if method else usual_methods(rows)
    for key, part in groups(rows, WHOSE):
        by = key.by(method or _usual(usual[key]))
        yield by, {own.setting: rows for own, rows in groups(part, ANSWERS)}


def make_pool(setting: str, answers: AnswerPools) -> Pool:
    """The pool of a setting; T is the mean length of its answers."""
    return Pool(setting, tokens_per_answer(answers), answers)


def group_of_pools(key: Key, pools: Sequence[Pool], at_n: Sequence[int] = ()) -> Group:
    """The group of the exact accuracies of `pools`, each up to the fewest answers that a question has."""
    ordered = sorted(pools, key=_place)
    parts = [(pool, grid(int(pool.answers.sizes.min()), at_n)) for pool in ordered]
    values = [accuracy_by_question(pool.answers.counts(), key.method, ns) for pool, ns in parts]
    sizes = [len(ns) for _, ns in parts]
    points = Points(
        np.repeat([pool.setting for pool in ordered], sizes),
        np.repeat([pool.T for pool in ordered], sizes),
        np.concatenate([ns for _, ns in parts]),
    )
    return Group(
        key,
        points,
        np.concatenate([mean_accuracy(value) for value in values]),
        np.concatenate(
            [
                standard_error(value, pool.answers.clusters)
                for value, pool in zip(values, ordered, strict=True)
            ]
        ),
        {pool.setting: len(pool.answers.question_ids) for pool in ordered},
        tuple(ordered),
        clusters={p.setting: len(set(p.answers.clusters)) for p in ordered if p.answers.clusters},
    )


def _place(pool: Pool) -> tuple[Any, ...]:
    """Sorts pools by T (unknown: last), then by their answers: by how many are right, not by their names."""
    right = mean_accuracy(accuracy_by_question(pool.answers.counts(), "majority", [1]))[0].round(12)
    return np.nan_to_num(pool.T, nan=np.inf), right, sorted(contents(pool.answers)), pool.setting


def grid(smallest_pool: int, at_n: Sequence[int] = ()) -> Ints:
    """The N of a pool's points: 1 … 8, powers of two, the pool's size, and those of `at_n` up to this."""
    powers = [2**k for k in range(4, smallest_pool.bit_length())]
    forecast_ns = [n for n in at_n if n <= smallest_pool]
    return np.unique([*range(1, min(8, smallest_pool) + 1), *powers, smallest_pool, *forecast_ns]).astype(
        np.int64
    )

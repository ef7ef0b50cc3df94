"""Curves of an expensive side, improved by a cheap side's answers to the same and many more questions.

    method    N  questions  accuracy  stderr  with             accuracy_with  low_with  high_with  gain
    majority  8  50         0.553     0.049   mini/low, N = 4  0.548          0.488     0.608      2.7

`results.paired.powered` explains the method. The cheap measurements of a question are the cheap
side's exact accuracies by the same method, at each of its settings and at N = 1, 2, 4, ….
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.methods import SCORED
from results.normal import z_of
from results.paired.pairs import golds_agree, say_unnamed
from results.paired.powered import FEWEST, powered
from results.paired.sides import golds_of
from results.tables.key import UNNAMED, WHOSE, Key, groups, on_dataset
from results.tables.schemas import CURVE_KEY
from results.terminal import visible
from results.votes.curves import Exact
from results.votes.exact import accuracy_by_question
from results.votes.setting import Setting, feasible, settings_of

_BY_LUCK = 0.999
"""Confidence level of the test for a non-random part: a false alarm once in a thousand cases."""


@dataclass(frozen=True)
class _Measured:
    """The cheap side's measurements, by question: of the expensive side's questions, and of others."""

    asked: pd.DataFrame
    others: pd.DataFrame
    draws: list[str]
    other_draws: list[str]

    @property
    def doubt(self) -> str | None:
        """A warning if the questions asked are no random part of all."""
        here, there = self.asked.iloc[:, 0], self.others.iloc[:, 0]
        stderr = np.sqrt(here.var() / here.count() + there.var() / there.count())
        if abs(here.mean() - there.mean()) <= z_of(_BY_LUCK) * stderr:
            return None
        shares = f"the cheap side is right in {here.mean():.1%} of them, in {there.mean():.1%} of the others"
        return f"the questions are no random part of all: {shares}"


def with_cheap(
    curves: pd.DataFrame, votes: Sequence[Exact], samples: pd.DataFrame, cheap: pd.DataFrame, name: str
) -> pd.DataFrame:
    """The curves of `samples` with the columns CHEAP (docs/tables.md) in their exact rows.

    votes: the accuracies by question behind the rows; cheap: the cheap side's samples, which
    messages call `name`. Raises BadInput if the data set or golds differ, only one side has
    clusters, fewer than FEWEST questions (or clusters) are on both sides or on the cheap one
    only, or there are no votes. Warns if the expensive side's questions are not a random part.
    """
    rows: list[dict[str, Any]] = []
    doubts = dict[str, None]()
    for whose, own in groups(samples, WHOSE):
        offered = _offered(own, whose.dataset, cheap, name)
        for curve in votes:
            if curve.group.key.whose == whose:
                pair = visible(f"{curve.group.key} --with {name}")
                measured = _measured(curve, offered, pair)
                rows += _rows(curve, measured)
                if measured.doubt:
                    doubts[f"{pair}: {measured.doubt}"] = None
    if not rows:
        raise BadInput(
            f"--with {visible(name)}: at no N do all questions have enough sampled answers: give a smaller N"
        )
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=2)
    table = pd.DataFrame(rows).astype({"N": curves["N"].dtype})
    return curves.merge(table, "left", on=CURVE_KEY)


def _offered(samples: pd.DataFrame, dataset: str, cheap: pd.DataFrame, name: str) -> list[Setting]:
    """The cheap side's settings on the data set. Raises BadInput and warns as for compared runs."""
    of_same = cheap["dataset"].isin([dataset, UNNAMED]) | (dataset == UNNAMED)
    known = cheap[of_same & (cheap["decoding"] == "sample")]
    if known.empty:
        others = ", ".join(map(str, cheap["dataset"].unique()))
        raise BadInput(visible(f"--with {name}: no sampled answers{on_dataset(dataset)}; it is of {others}"))
    shared = sorted(set(samples["question_id"]) & set(known["question_id"]))
    pair = visible(f"{Key('', dataset, '')} and {name}")
    agreed = golds_agree(pair, golds_of(samples), golds_of(known), shared)
    say_unnamed(pair, dataset, str(known["dataset"].iloc[0]), agreed)
    return list(settings_of(known))


def _measured(curve: Exact, offered: Sequence[Setting], pair: str) -> _Measured:
    """The cheap measurements of a curve's questions and of others. Raises BadInput if they are too few."""
    own = curve.group.pools
    by_setting = [_accuracies(setting, curve.key.method) for setting in offered]
    every = pd.concat(by_setting, axis=1).sort_index()
    asked, others = every.reindex(own.question_ids), every.drop(own.question_ids, errors="ignore")
    named = dict(zip(own.question_ids, own.clusters or own.question_ids, strict=True))
    for setting in offered:
        pools = setting.pools
        if (pools.clusters is None) != (own.clusters is None):
            raise BadInput(f"{pair}: questions come in clusters on one side and not on the other")
        named = dict(zip(pools.question_ids, pools.clusters or pools.question_ids, strict=True)) | named
    measured = _Measured(asked, others, [named[q] for q in asked.index], [named[q] for q in others.index])
    kind = "questions" if own.clusters is None else "clusters of questions"
    for which, part, draws in (
        (f"of the same {kind}", asked, measured.draws),
        (f"further {kind}", others, measured.other_draws),
    ):
        by_column = [len(set(np.array(draws)[part[column].notna()])) for column in part]
        if min(by_column) < FEWEST:
            raise BadInput(f"{pair}: it has {min(by_column)} {which}, expected at least {FEWEST}")
    return measured


def _accuracies(setting: Setting, method: str) -> pd.DataFrame:
    """The cheap side's accuracy on each question, indexed by name, at N = 1, 2, 4, …."""
    pools, ns = setting.pools, feasible(setting, None)
    accuracy = accuracy_by_question(pools.counts(), "majority" if method in SCORED else method, ns)
    side = Key("", "", setting.key.model, setting.key.setting)
    columns = [f"{side}, N = {n}" for n in ns]
    return pd.DataFrame(accuracy, pools.question_ids, columns)


def _rows(curve: Exact, measured: _Measured) -> Iterator[dict[str, Any]]:
    """Yield the row of one curve at each N."""
    cheap, others = measured.asked.to_numpy(), measured.others.to_numpy()
    for n, dear in zip(curve.ns, curve.accuracy.T, strict=True):
        both = powered(dear, cheap, others, measured.draws, measured.other_draws)
        yield {
            **curve.key.cells,
            "N": n,
            "permutation": "exact",
            "with": measured.asked.columns[int(both.slopes.argmax())],
            "accuracy_with": both.mean,
            "low_with": both.interval.low,
            "high_with": both.interval.high,
            "gain": both.gain,
        }

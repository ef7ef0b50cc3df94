"""The choice of which sides are compared, and on which questions.

Runs are paired at each setting that both have or, if they share none, each setting of one with each setting
of the other. If there is only one run, its settings are paired with each other.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.paired.sides import Side
from results.tables.key import UNNAMED, on_dataset
from results.terminal import visible
from results.votes.clusters import Clusters


def pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    """Yield the pairs of sides, in the order of the inputs, each on the questions that both have.

    Raises BadInput and warns as `shared_questions` and `clusters_of` do.
    Also warns of sides in no pair.
    """
    settings: dict[tuple[str, str], set[str]] = {}
    for side in sides:
        settings.setdefault((side.dataset, side.run), set()).add(side.setting)
    alone = len({side.run for side in sides}) == 1
    paired = set[int]()
    for a, b in itertools.combinations(sides, 2):
        if not same_dataset(a, b):
            continue
        if a.run == b.run:
            wanted = alone
        else:
            of_a, of_b = (settings[side.dataset, side.run] for side in (a, b))
            wanted = a.setting == b.setting or of_a.isdisjoint(of_b)
        if wanted:
            shared = shared_questions(a, b)
            pair = a.on(shared), b.on(shared)
            clusters_of(*pair)
            paired |= {id(a), id(b)}
            yield pair
    left = [side for side in sides if paired and id(side) not in paired]
    if left:
        names = ", ".join(side.named + on_dataset(side.dataset) for side in left)
        warnings.warn(f"compared with nothing, as no other run has such answers: {names}", stacklevel=2)


def same_dataset(a: Side, b: Side) -> bool:
    """Whether two sides may be on one data set; a data set without a name may be any."""
    return a.dataset == b.dataset or UNNAMED in (a.dataset, b.dataset)


def shared_questions(a: Side, b: Side) -> list[str]:
    """The questions that both sides have.

    Raises BadInput if there are none, or right answers differ. Issues a UserWarning about questions that only
    one side has, about questions with fewer answers than most, which limit N, and if only the questions'
    names indicate that they are the same.
    """
    every = set(a.pools.question_ids) | set(b.pools.question_ids)
    shared = sorted(set(a.pools.question_ids) & set(b.pools.question_ids))
    pair = f"{a.named} and {b.named}{on_dataset(a.dataset)}"
    if not shared:
        first = " and ".join(repr(side.pools.question_ids[0]) for side in (a, b) if side.pools.question_ids)
        none = f"{pair} have no question in common (their first: {first:.80})"
        raise BadInput(f"{none}: compare runs on the same questions")
    agreed = golds_agree(pair, a.golds, b.golds, shared)
    if a.table != b.table:
        say_unnamed(pair, a.dataset, b.dataset, agreed)
    if len(shared) < len(every):
        lone = len(every) - len(shared)
        warnings.warn(f"{pair}: {lone} of {len(every)} questions are in one of them only", stacklevel=3)
    for side in (a.on(shared), b.on(shared)):
        few = int((side.pools.sizes < np.median(side.pools.sizes)).sum())
        if few:
            short = f"{few} of {len(shared)} questions have fewer answers than most"
            named = f"{side.named}{on_dataset(side.dataset)}"
            warnings.warn(f"{named}: N up to {side.most}: {short}", stacklevel=3)
    return shared


def clusters_of(a: Side, b: Side) -> Clusters:
    """The clusters of the questions that two sides share; if one side has none, those of the other.

    Raises BadInput if the sides contradict each other.
    """
    one, other = a.pools.clusters, b.pools.clusters
    if one is None or other is None:
        return one or other
    for question, *clusters in zip(a.pools.question_ids, one, other, strict=True):
        if clusters[0] != clusters[1]:
            own = f"question {question}"
            first, second = ("no cluster" if cluster == own else f"{cluster!r:.40}" for cluster in clusters)
            raise BadInput(
                f"question {question!r:.40} is in {first} in {visible(a.table)} and in {second} in "
                f"{visible(b.table)}: give it the same in both"
            )
    return one


def golds_agree(pair: str, one: pd.Series[str], other: pd.Series[str], shared: Sequence[str]) -> bool:
    """Whether both have a gold for every shared question. Raises BadInput if two golds differ."""
    golds = pd.concat([one, other], axis=1, join="inner")
    for name, here, there in golds.itertuples():
        if here != there:
            raise BadInput(
                f"{pair}: the right answer to question {name!r} is {here!r:.40} in one and {there!r:.40} in "
                "the other, so these are not the same questions"
            )
    return int(golds.index.isin(shared).sum()) == len(shared)


def say_unnamed(pair: str, one: str, other: str, agreed: bool) -> None:
    """Warn if only the questions' names match: one data set has no name, or neither and golds are missing."""
    if one != other or (one == UNNAMED and not agreed):
        warnings.warn(
            f"{pair}: questions are matched by their names alone, since a data set has no name: "
            "import both with the same --dataset NAME, or give both a column dataset",
            stacklevel=4,
        )

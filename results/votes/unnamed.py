"""Renames questions by their answers, so that random draws do not depend on their names.

    question_id  votes       new name
    zebra        0 1 0       1
    apple        0 0 0       0

If two questions have the same answers, it makes no difference which comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from results.votes.exact import AnswerPools, Ints


def contents(pools: AnswerPools) -> list[bytes]:
    """A digest of each question's answers, (Q,): their votes, tokens and scores in the order of the pool."""
    parts = [pools.votes.astype("<i8"), pools.tokens.astype("<f8")]
    if pools.scores is not None:
        parts.append(pools.scores.astype("<f8"))
    spans = zip(pools.starts[:-1], pools.starts[1:], strict=True)
    return [_digest([part[start:end].tobytes() for part in parts]) for start, end in spans]


def unnamed(settings: Sequence[AnswerPools]) -> list[AnswerPools]:
    """The pools of several settings (or sides) with numbers instead of names, the same in all of them.

    Questions and clusters are numbered in the order of their digests over all the settings, so that neither
    names nor the order of rows affect random draws from these pools.
    """
    return [pools for pools, _ in put_in_order(settings)]


def put_in_order(settings: Sequence[AnswerPools]) -> list[tuple[AnswerPools, Ints]]:
    """The pools of `unnamed`, each with the indices, (Q,), that its questions had before."""
    of_settings = [dict(zip(pools.question_ids, contents(pools), strict=True)) for pools in settings]
    of_settings.sort(key=lambda digests: sorted(digests.values()))
    names = {name for digests in of_settings for name in digests}
    digests = {name: _digest([own.get(name, b"absent") for own in of_settings]) for name in names}

    members: dict[str, set[str]] = {}
    for pools in settings:
        for name, cluster in zip(pools.question_ids, pools.clusters or [], strict=False):
            members.setdefault(cluster, set()).add(name)
    clusters = _numbers(
        {cluster: _digest(sorted(digests[name] for name in own)) for cluster, own in members.items()}
    )
    for cluster in sorted(members, key=lambda cluster: clusters[cluster]):
        for name in members[cluster]:
            digests[name] += clusters[cluster].encode()  # keeps equal questions of one cluster together
    questions = _numbers(digests)
    return [_renamed(pools, questions, clusters) for pools in settings]


def _renamed(
    pools: AnswerPools, questions: dict[str, str], clusters: dict[str, str]
) -> tuple[AnswerPools, Ints]:
    names = [questions[name] for name in pools.question_ids]
    places = np.argsort(names)
    sizes = pools.sizes[places]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    moved = pools.at(places, sizes, np.repeat(pools.starts[:-1][places], sizes) + within)
    numbers = None if moved.clusters is None else [clusters[name] for name in moved.clusters]
    return replace(moved, question_ids=sorted(names), clusters=numbers), places


def _numbers(digests: dict[str, bytes]) -> dict[str, str]:
    """Numbers of equal width for the names, in the order of their digests and then of the names."""
    rising = sorted(digests, key=lambda name: (digests[name], name))
    width = len(str(len(rising)))
    return {name: f"{place:0{width}}" for place, name in enumerate(rising)}


def _digest(parts: Sequence[bytes]) -> bytes:
    return blake2b(b"".join(parts), digest_size=16).digest()

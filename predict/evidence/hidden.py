"""What is hidden: the one place where a group is cut to what an estimator may see.

12 answers a question, 4 kept  ->  evidence made of these 4 alone;  unseen: the other 8
"""

from collections.abc import Sequence

import numpy as np

from predict.evidence.capped import pools_at, seen_of
from predict.evidence.cuts import chosen_answers
from predict.evidence.groups import Group
from predict.evidence.points import Evidence, Pool


def observe(
    group: Group, settings: Sequence[str], max_n: int, seed: int = 0, draw: int | None = None
) -> Evidence:
    """The part of `group` at `settings` with N ≤ max_n.

    Of samples that is max_n answers to each question: the first ones, or with `draw`, the number of a split,
    random ones. Everything an estimator sees is made from these answers alone.
    """
    if group.pools:
        run, seen = None, drawn(group, settings, max_n, seed, draw)
        if group.run:
            run, seen = seen_of(group.run, seen[0].answers)
        cut = group.with_pools(seen)
        return Evidence(cut.points, cut.accuracy, cut.stderr, cut.pools, group.method, run)
    at = np.isin(group.points.setting, list(settings)) & np.less_equal(group.points.N, max_n)
    return Evidence(group.points[at], group.accuracy[at], group.stderr[at], (), group.method)


def drawn(
    group: Group, settings: Sequence[str], n: int, seed: int, draw: int | None, rest: bool = False
) -> list[Pool]:
    """`n` random answers to each question at `settings` in split number `draw`, the first `n` where that is
    None; with `rest` all others."""
    pools = [pool for pool in group.pools if pool.setting in settings]
    if group.run:  # its answers as they came, not as they are at each cap
        pools = [Pool(group.run.setting, np.nan, group.run.answers)]
    orders = [np.arange(len(pool.answers.votes)) for pool in pools]
    if draw is not None:
        rng = np.random.default_rng([seed, draw])
        orders = [rng.permutation(order) for order in orders]
    return [chosen_answers(pool, order, n, rest) for pool, order in zip(pools, orders, strict=True)]


def unseen(group: Group, settings: Sequence[str], n: int, seed: int, draw: int) -> list[Pool]:
    """The answers of a group that split number `draw` hides: of `settings` all but `n`, of others all."""
    rest = drawn(group, settings, n, seed, draw, rest=True)
    if group.run:
        return pools_at(rest[0].answers, group.run.caps.items())
    return [*rest, *(pool for pool in group.pools if pool.setting not in settings)]

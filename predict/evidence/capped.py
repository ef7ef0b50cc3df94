"""Hard caps: one run treated as if it had been stopped at C tokens, with larger caps as its settings.

    run              seen      asked                  predictor  predicted  low   high  tokens
    qwen3 on aime    cap=8000  cap=16000, N = 8       survival   0.61       0.55  0.67  9,700

A run with token counts gives the result at every cap up to its longest answer. A forecast sees only what lies
within C. The predictor `survival` uses the answers; its rivals, the curve predictors, see the curve at eight
caps up to C, in equal steps of the share of answers that ended.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from predict.evidence.groups import Group, group_of_pools, make_pool, sampled
from predict.evidence.points import Evidence, Pool, Run, by_what_is_seen, chosen_answers, stopped
from results import BadInput
from results.votes.caps import cap_name, check_tokens, endings
from results.votes.clusters import cluster_sizes
from results.votes.exact import AnswerPools, answer_pools
from results.votes.unnamed import put_in_order, unnamed

RIVAL_CAPS = 8


def capped(
    samples: pd.DataFrame, method: str | None, cap: int, at_caps: Sequence[int], at_n: Sequence[int] = ()
) -> list[Group]:
    """Each run in a checked samples table as a group with the settings `cap`, which is seen, and `at_caps`.

    The accuracy of a setting is that of all answers; it is unknown for caps beyond the point where the run
    itself cut answers off. Raises BadInput if tokens are missing or the caps make no sense.
    """
    check_tokens(samples)
    if min(at_caps) <= cap:
        raise BadInput(f"--at-caps {min(at_caps)}: give caps above --fit-cap {cap}")
    groups = []
    for key, settings in sampled(samples, method):
        for setting, rows in settings.items():
            prefix = setting if len(settings) > 1 else None
            caps = {cap_name(one, prefix): one for one in sorted({cap, *at_caps})}
            (answers,) = unnamed([answer_pools(unfinished_marked(rows, cap))])
            run = Run(setting, answers, cap, caps, answers.sizes)
            known = pools_at(run.answers, caps.items(), stop=_stop(run, rows))
            groups.append(replace(group_of_pools(key, known, at_n), run=run))
    if not groups:
        raise BadInput("no sampled answers to forecast from")
    return groups


def unfinished_marked(rows: pd.DataFrame, cap: float) -> pd.DataFrame:
    """Rows of a samples table with answers that the run cut off, readable or not, marked as unfinished.

    Such an answer is null and not right, and takes one token more than it was allowed: it was censored there.
    `finish_reason` says which answers these are. If it is missing and no answer is longer than `cap`, the run
    is assumed to have been stopped there, so that answers of `cap` tokens are unfinished.
    """
    tokens = rows["tokens"].astype(float)
    at_limit = (tokens >= cap) & (tokens.max() <= cap)
    cut = endings(rows).eq("length").fillna(False) | (endings(rows).isna() & at_limit)
    return rows.assign(
        answer=rows["answer"].mask(cut), correct=rows["correct"] & ~cut, tokens=tokens + cut.astype(float)
    )


def _stop(run: Run, rows: pd.DataFrame) -> float:
    """The largest cap the run shows. Raises BadInput if none ended by `run.cap` or any was cut before."""
    tokens, cap = run.answers.tokens, run.cap
    if not (tokens <= cap).any():
        raise BadInput(
            f"setting {run.setting}: --fit-cap {cap}: every answer is longer, the shortest has "
            f"{tokens.min():.0f} tokens"
        )
    cut_off = endings(rows).eq("length").fillna(False)
    first = rows["tokens"].astype(float)[cut_off].min()
    if first < cap:  # false if no answer is cut off: NaN
        raise BadInput(
            f"setting {run.setting}: --fit-cap {cap}: the run itself cut answers off before that; give at "
            f"most {first:.0f}"
        )
    if not (tokens > cap).any():
        return cap  # the run may have been stopped there
    return float(np.nan_to_num(first, nan=np.inf))


def seen_of(run: Run, answers: AnswerPools) -> tuple[Run, list[Pool]]:
    """Of a run's `answers`: the run stopped at its cap, and the pools at `RIVAL_CAPS` caps up to it."""
    ((in_order, places),) = put_in_order([stopped(answers, run.cap)])
    seen = replace(run, answers=in_order, whole=run.whole[places])
    ended = seen.answers.tokens[seen.answers.tokens <= run.cap]
    shares = np.arange(1, RIVAL_CAPS) / RIVAL_CAPS
    cheaper = np.unique(np.quantile(ended, shares, method="higher")).tolist() if ended.size else []
    named = [(f"{one:.0f}", one) for one in cheaper if one < run.cap]
    return seen, pools_at(seen.answers, [*named, (next(iter(run.caps)), run.cap)])


def pools_at(answers: AnswerPools, caps: Iterable[tuple[str, float]], stop: float = np.inf) -> list[Pool]:
    """The answers at each of the named caps up to `stop`, with the tokens that they use at this cap."""
    pools = []
    for name, cap in caps:
        if cap <= stop:
            cut = stopped(answers, cap)
            pools.append(make_pool(name, replace(cut, tokens=np.minimum(cut.tokens, cap))))
    return pools


def observe(
    group: Group, settings: Sequence[str], max_n: int, seed: int = 0, draw: int | None = None
) -> Evidence:
    """The part of `group` at `settings` with N ≤ max_n.

    With samples this is max_n answers to each question: the first ones, or random ones if `draw` gives the
    number of a split. Everything an estimator sees is made from these answers alone.
    """
    if group.pools:
        run, seen = None, drawn(group, settings, max_n, seed, draw)
        if group.run:
            run, seen = seen_of(group.run, seen[0].answers)
        else:
            seen = by_what_is_seen(seen)
        cut = group_of_pools(group.key, seen)
        pools = {pool.setting: pool.answers for pool in seen}
        sizes = {name: cluster_sizes(len(own.question_ids), own.clusters) for name, own in pools.items()}
        return Evidence(cut.points, cut.accuracy, cut.stderr, cut.pools, group.method, run, sizes)
    at = np.isin(group.points.setting, list(settings)) & np.less_equal(group.points.N, max_n)
    draws = {**group.questions, **group.clusters}
    known = {setting: round(draws[setting]) for setting in settings if draws[setting]}
    equal = {setting: np.full(count, group.questions[setting] / count) for setting, count in known.items()}
    return Evidence(group.points[at], group.accuracy[at], group.stderr[at], (), group.method, None, equal)


def drawn(
    group: Group, settings: Sequence[str], n: int, seed: int, draw: int | None, rest: bool = False
) -> list[Pool]:
    """`n` random answers to each question at `settings` in split number `draw` (None: the first `n`); with
    `rest`, all the others instead."""
    pools = [pool for pool in group.pools if pool.setting in settings]
    if group.run:  # its uncut answers, not those at each cap
        pools = [Pool(group.run.setting, np.nan, group.run.answers)]
    orders = [np.arange(len(pool.answers.votes)) for pool in pools]
    if draw is not None:
        rng = np.random.default_rng([seed, draw])
        orders = [rng.permutation(order) for order in orders]
    return [chosen_answers(pool, order, n, rest) for pool, order in zip(pools, orders, strict=True)]


def unseen(group: Group, settings: Sequence[str], n: int, seed: int, draw: int) -> list[Pool]:
    """The answers that split number `draw` hides: all but `n` at `settings`, and all at other settings."""
    rest = drawn(group, settings, n, seed, draw, rest=True)
    if group.run:
        return pools_at(rest[0].answers, group.run.caps.items())
    return [*rest, *(pool for pool in group.pools if pool.setting not in settings)]

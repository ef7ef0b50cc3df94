"""The answers of each setting: the order of settings, the N that they allow, and warnings about gaps.

for setting in settings_of(samples):                     # a table of samples
    feasible(setting, [1, 4, 64])   ->  [1, 4]           # every question has that many answers
    beyond(setting, [1, 4, 64], most=True)               # the questions with 64, if these are most
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.tables.key import ANSWERS, Key, groups
from results.votes.caps import endings
from results.votes.clusters import look_clustered
from results.votes.exact import AnswerPools, Ints, answer_pools
from results.votes.tokens import tokens_per_answer

_MOST_QUESTIONS = 0.5
"""More than this share of the questions counts as most of them."""


@dataclass(frozen=True)
class Setting:
    """The answers of one setting and their tokens per answer.

    shares: the columns unreadable and cut_off, each a mean over questions. uncounted: the
    number of answers without a token count.
    """

    key: Key
    pools: AnswerPools
    tokens: float
    shares: dict[str, float]
    uncounted: int


def settings_of(samples: pd.DataFrame, score: str | None = None, logs: bool = False) -> Iterator[Setting]:
    """Yield the answers of each setting of each model; score, logs: as in `answer_pools`."""
    for key, rows in groups(samples, ANSWERS):
        pools = answer_pools(rows, score, logs)
        ended = endings(rows)
        cut = ended.eq("length").fillna(False) if ended.notna().any() else np.nan
        by_answer = pd.DataFrame({"unreadable": rows["answer"].isna(), "cut_off": cut})
        means = by_answer.groupby(rows["question_id"]).mean().mean()
        shares = {name: float(means[name]) for name in ("unreadable", "cut_off")}
        uncounted = int(rows["tokens"].isna().sum()) if "tokens" in rows else len(rows)
        yield Setting(key, pools, tokens_per_answer(pools), shares, uncounted)


def sampled_groups(samples: pd.DataFrame) -> Iterator[tuple[Key, pd.DataFrame]]:
    """Yield the sampled answers of each setting, settings in order. Raises BadInput if there are none."""
    sampled = samples[samples["decoding"] == "sample"]
    if sampled.empty:
        raise BadInput("no sampled answers: greedy ones alone cannot be voted on")
    order = settings_in_order(sampled)
    yield from sorted(groups(sampled, ANSWERS), key=lambda group: order.index(group[0].setting))


def settings_in_order(samples: pd.DataFrame) -> list[str]:
    """The settings by number, else by mean tokens, else by name (short ones first), never by their rows."""
    tokens = samples["tokens"] if "tokens" in samples else pd.Series(np.nan, samples.index)
    lengths = tokens.groupby(samples["setting"]).mean()
    return sorted_settings(lengths[sorted(lengths.index, key=lambda name: (len(name), name))])


def sorted_settings(lengths: pd.Series[float]) -> list[str]:
    """The settings by size if all are numbers or "name=number" (`forced=25`); else by length if all have one.

    lengths: the mean length of each setting, which is the index. If some are unknown, settings stay as given.
    """
    numbers = pd.to_numeric(lengths.index.to_series().astype(str).str.rpartition("=")[2], errors="coerce")
    sizes = numbers if numbers.notna().all() else lengths
    return list(sizes.sort_values(kind="stable").index if sizes.notna().all() else sizes.index)


def _wanted(setting: Setting, ns: Sequence[int] | None) -> list[int]:
    """The requested N; by default powers of two, and the sizes of the smallest and the largest pool."""
    sizes = setting.pools.sizes
    smallest, largest = int(sizes.min()), int(sizes.max())
    return sorted(powers_and(largest) | {smallest} if ns is None else set(ns))


def feasible(setting: Setting, ns: Sequence[int] | None) -> Ints:
    """Each wanted N for which every question has enough answers."""
    smallest = int(setting.pools.sizes.min())
    return np.array([n for n in _wanted(setting, ns) if n <= smallest], np.int64)


def beyond(setting: Setting, ns: Sequence[int] | None, most: bool) -> Iterator[tuple[Setting, Ints]]:
    """Yield each larger N with the questions that have enough answers, if these are most; warn of all."""
    sizes = setting.pools.sizes
    shown, left_out = dict[int, list[int]](), list[int]()
    for n in _wanted(setting, ns):
        enough = int((sizes >= n).sum())
        if sizes.min() >= n:
            continue
        if most and enough > _MOST_QUESTIONS * sizes.size:
            shown.setdefault(enough, []).append(n)
        else:
            left_out.append(n)
    counts = setting.pools.counts()
    share = counts.correct / counts.pools
    for enough, numbers in shown.items():
        kept = sizes >= numbers[0]
        part = setting.pools.kept(kept.repeat(sizes))
        named = ", ".join(map(str, numbers))
        line = f"N = {named}: only {enough} of {sizes.size} questions have that many answers"
        line += f" (at N = 1 right in {share[kept].mean():.1%}; all: {share.mean():.1%})"
        warnings.warn(f"{setting.key}: {line}", stacklevel=3)
        yield replace(setting, pools=part, tokens=tokens_per_answer(part)), np.array(numbers, np.int64)
    if left_out:
        short = int((sizes < left_out[0]).sum())
        few = f"{short} of {sizes.size} questions have fewer than {left_out[0]} answers"
        named = ", ".join(map(str, left_out))
        warnings.warn(
            f"{setting.key}: N = {named} left out: {few} (the smallest pool has {sizes.min()})",
            stacklevel=3,
        )


def powers_and(most: int) -> set[int]:
    """The default values of N: 1, 2, 4, … and `most` itself."""
    return {2**k for k in range(most.bit_length())} | {most}


def warn_of_gaps(sampled: Sequence[Setting]) -> None:
    """Warn if a setting lacks token counts, or questions that others have.

    Questions of other settings of the model count as unanswered; of other models, only the
    number is reported.
    """
    questions: dict[Key, set[str]] = {}
    for setting in sampled:
        for whose in (setting.key.whose, _of_data(setting.key)):
            questions.setdefault(whose, set()).update(setting.pools.question_ids)
    for setting in sampled:
        expected = len(questions[setting.key.whose])
        absent = expected - len(setting.pools.question_ids)
        if absent:
            line = f"{setting.key}: {absent} of {expected} questions have no answer"
            warnings.warn(line, stacklevel=3)
        answers = setting.pools.votes.size
        if 0 < setting.uncounted < answers:
            effect = "no T" if np.isnan(setting.tokens) else "T is that of the others"
            line = f"{setting.uncounted} of {answers} answers have no token count"
            warnings.warn(f"{setting.key}: {effect}: {line}", stacklevel=3)
    for whose in dict.fromkeys(setting.key.whose for setting in sampled):
        mine, every = len(questions[whose]), len(questions[_of_data(whose)])
        if mine < every:
            line = f"{whose}: answers to {mine} of the {every} questions in these tables"
            warnings.warn(line, stacklevel=3)


def warn_of_clusters(sampled: Sequence[Setting]) -> None:
    """Warn once if questions look as if they came in clusters."""
    for setting in sampled:
        pools = setting.pools
        if pools.clusters is None:
            counts = pools.counts()
            line = look_clustered(pools.question_ids, counts.correct / counts.pools)
            if line:
                warnings.warn(f"{setting.key}: {line}", stacklevel=3)
                return


def _of_data(key: Key) -> Key:
    """The key of the data set, with no model."""
    return Key(key.source, key.dataset, "")

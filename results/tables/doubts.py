"""Warnings about doubtful rows of a samples table, which is accepted nonetheless.

question_id  answer  gold  correct
7            18      18    false      `correct` is believed

There are also warnings, once per table, if no answer is right, if answers are copies of each
other, and if some answers say "None" or "nan".
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from math import lgamma, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.canonical import canonical_texts
from results.tables.key import ANSWERS, WHOSE, groups, model_on, on_dataset
from results.tables.schemas import SAMPLE_KEY
from results.tables.shards import missing
from results.terminal import plural

NULL_WORDS = ("None", "none", "null", "nan", "NaN", "<NA>", "N/A", "n/a")
"""What programs write for a missing answer; these count as votes unless --unreadable names them."""

_LOOKED_AT = 200
"""Number of questions that are searched for copies."""

_TELLING = ("answer", "tokens", "finish_reason")
"""Columns that are equal in copies."""

_FEWEST_ANSWERS, _FEWEST_QUESTIONS, _LONG, _NEARLY_ALL = 4, 5, 20, 0.9
"""Minimum answers to a question, questions, mean tokens, and share alike for a warning of copies."""

_MOST_PAIRS = 100
"""Number of pairs of models that are compared."""

_BY_LUCK = log(1e-3)
"""Answers count as copies if the log of the chance of their repeats is below this."""


def say_doubts(tables: Sequence[pd.DataFrame], names: Sequence[str | Path]) -> None:
    """Issue a UserWarning for each doubt about checked samples tables that are read as one."""
    for table, name in zip(tables, names, strict=True):
        if line := _grades(table):
            _say(name, line)
    joined = tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True)
    for line in (
        *_none_right(joined),
        *_words(joined),
        *_copies(joined),
        *_shards(joined),
        *_clusters(joined),
    ):
        _say(" and ".join(map(str, names)), line)


def say_same_answers(tables: Mapping[str, pd.DataFrame]) -> None:
    """Issue a UserWarning if two of the samples tables, to be compared, have the same answers."""
    for (name, mine), (other, theirs) in islice(combinations(tables.items(), 2), _MOST_PAIRS):
        shared = sorted({*mine["question_id"]} & {*theirs["question_id"]})[:_LOOKED_AT]
        parts = [table[table["question_id"].isin(shared)] for table in (mine, theirs)]
        first, second = ([*groups(part[part["decoding"] == "sample"], ANSWERS)] for part in parts)
        for (key, rows), (other_key, others) in product(first, second):
            if key.setting == other_key.setting and (line := _same_answers(rows, others)):
                _say(f"{name} and {other}", f"setting {key.setting}: {line}: one cache under two names?")


def _say(name: str | Path, line: str) -> None:
    warnings.warn(f"{name}: {line}", stacklevel=3)


def _grades(samples: pd.DataFrame) -> str | None:
    """A warning if `correct` contradicts answer and gold in one spelling."""
    if not {"answer", "gold"} <= set(samples):
        return None
    known = samples["answer"].notna() & samples["gold"].notna()
    equal = (samples["answer"] == samples["gold"]).fillna(False)
    unlike = np.array(known & (samples["correct"] != equal), bool)
    right = unlike & samples["correct"].to_numpy(bool)
    answer, gold = (canonical_texts(samples.loc[right, column]) for column in ("answer", "gold"))
    unlike[right] = (answer != gold).to_numpy(bool)
    if not unlike.any():
        return None
    row = int(unlike.argmax())
    first = samples.iloc[row]
    return (
        f"'correct' contradicts answer and gold in {plural(f'{unlike.sum():,}', 'row')}, and is believed; "
        f"the first is row {row + 1}, answer {first['answer']!r:.40} and gold {first['gold']!r:.40}"
    )


def _none_right(samples: pd.DataFrame) -> Iterator[str]:
    """A warning for each model that is never right on a data set: more often the table's fault."""
    for key, rows in groups(samples, WHOSE):
        if rows["correct"].any():
            continue
        read = rows[rows["answer"].notna()]
        of_all = plural(f"{len(rows):,}", "answer")
        who = f"0 % right of {of_all} of {model_on(key.model, key.dataset)}"
        if read.empty:
            yield f"{who}: none could be read; check the column 'answer'"
        elif "gold" in read and len(known := read.dropna(subset=["gold"])):
            pair = f"answer {known['answer'].iloc[0]!r:.40}, gold {known['gold'].iloc[0]!r:.40}"
            yield f"{who}; check that answers and gold are written alike and belong together (first: {pair})"
        else:
            yield f"{who}; check the column 'correct'"


def _shards(samples: pd.DataFrame) -> Iterator[str]:
    """A warning for each run with shards missing from the table."""
    if "shard" in samples:
        shards = samples[["dataset", "model", "shard"]].dropna().drop_duplicates()
        yield from missing(shards.itertuples(index=False, name=None))


def _clusters(samples: pd.DataFrame) -> Iterator[str]:
    """Warnings if all questions share one cluster, each has its own, or only some have one."""
    if "cluster" in samples and samples["cluster"].notna().any():
        questions = samples.groupby(["dataset", "question_id"], observed=True)["cluster"]
        named, clusters = questions.count() > 0, questions.first()
        if len(named) > 1 and len(clusters.unique()) == 1:
            yield f"all {len(named)} questions are in one cluster, which says nothing about others"
        elif len(named) > 1 and clusters.is_unique and named.all():
            yield "each question is a cluster of its own: standard errors are as without clusters"
        if not named.all():
            yield f"{(~named).sum()} of {len(named)} questions have no cluster: each counts as its own"


def _words(samples: pd.DataFrame) -> Iterator[str]:
    """A warning for each answer that was perhaps meant as null."""
    counts = samples["answer"].value_counts()
    for word in NULL_WORDS:
        if word in counts.index:
            yield (
                f"{word!r} votes like any other answer, in {plural(f'{counts[word]:,}', 'row')}; if it means "
                f"that nothing could be read, give --unreadable {word}"
            )


def _copies(samples: pd.DataFrame) -> Iterator[str]:
    """Warnings for answers that are copies of others, under another number or model."""
    first = pd.factorize(samples["question_id"])[0] < _LOOKED_AT
    columns = [*SAMPLE_KEY, *(name for name in _TELLING if name in samples)]
    some = samples.loc[first, columns]
    sampled = some[some["decoding"] == "sample"]
    models: dict[tuple[str, str], dict[str, pd.DataFrame]] = {}
    for key, rows in groups(sampled, ANSWERS):
        models.setdefault((key.dataset, key.setting), {})[key.model] = rows
        copies, block = _times_repeated(rows)
        place = f"{model_on(key.model, key.dataset)}, setting {key.setting}"
        if alike := _all_alike(rows):
            yield (
                f"{place}: in {alike} questions all answers are the same, with the same number of tokens: "
                "one seed for all requests, a cache, or greedy decoding?"
            )
        elif copies > 1:
            how = f"{copies:g} times" if copies == int(copies) else f"after every {block}"
            yield (
                f"{place}: the answers to most questions repeat {how}, under new numbers; "
                "intervals would be too narrow: leave the copies out"
            )
    for (dataset, setting), by_model in models.items():
        for one, other in islice(combinations(by_model, 2), _MOST_PAIRS):
            if line := _same_answers(by_model[one], by_model[other]):
                place = f"{one} and {other}{on_dataset(dataset)}, setting {setting}"
                yield f"{place}: {line}: one cache under two names?"


def _same_answers(rows: pd.DataFrame, others: pd.DataFrame) -> str | None:
    """For how many questions two models gave the same answers in one order; None if by luck."""
    shared = set(rows["question_id"]) & set(others["question_id"])
    later = others.assign(sample=others["sample"] + rows["sample"].max() + 1)
    both = pd.concat([rows, later])
    both = both[both["question_id"].isin(shared)]
    sizes = [table["question_id"].value_counts() for table in (rows, others)]
    if not shared or not sizes[0][list(shared)].equals(sizes[1][list(shared)]):
        return None
    if rows["question_id"].is_unique and (alike := _all_alike(both, fewest=2)):
        return f"the answers to {alike} questions are the same, with the same number of tokens"
    answers = _kinds(both)
    repeated = [one for one in answers if _repeats(one, len(one) // 2, in_place=False)]
    if not _beyond_luck(repeated, answers, [len(one) // 2 for one in repeated]):
        return None
    return f"the answers to {len(repeated)} of {len(answers)} questions are the same, in the same order"


def _all_alike(rows: pd.DataFrame, fewest: int = _FEWEST_ANSWERS) -> str | None:
    """For how many questions all answers are identical, as are their token counts; None if few or short.

    Also None if most questions share one token count, such as the limit at which answers
    were cut off.
    """
    if "tokens" not in rows:
        return None
    known = rows.dropna(subset=["tokens"])
    each = known.groupby("question_id", sort=False)["tokens"].agg(["size", "nunique", "first"])
    each["answers"] = known.groupby("question_id", sort=False)["answer"].nunique(dropna=False)
    each = each[each["size"] >= fewest]
    if len(each) < _FEWEST_QUESTIONS or known["tokens"].mean() < _LONG:
        return None
    alike = (each["nunique"] == 1) & (each["answers"] == 1)
    one_length = each["first"].value_counts().iloc[0] > len(each) / 2
    return f"{alike.sum()} of {len(each)}" if alike.mean() > _NEARLY_ALL and not one_length else None


def _times_repeated(rows: pd.DataFrame) -> tuple[float, int]:
    """How often the answers to most questions repeat a block (1: never), and its length.

    Copies come block by block or answer by answer; the last block may be cut off. An answer is
    compared by the columns of _TELLING.
    """
    answers = _kinds(rows)
    pool = max(map(len, answers))
    for block in range(1, pool // 2 + 1):
        repeated = [one for one in answers if _repeats(one, block * len(one) // pool)]
        blocks = [block * len(one) // pool for one in repeated]
        if _beyond_luck(repeated, answers, blocks):
            return pool / block, block
    return 1, pool


def _kinds(rows: pd.DataFrame) -> list[NDArray[Any]]:
    """The answers to each question in the order of `sample`, coded as integers, equal for equal answers."""
    question = pd.factorize(rows["question_id"])[0]
    columns = [column for column in _TELLING if column in rows]
    kind = rows.groupby(columns, dropna=False, sort=False).ngroup().to_numpy()
    order = np.lexsort((rows["sample"].to_numpy(np.int64), question))
    return np.split(kind[order], np.flatnonzero(np.diff(question[order])) + 1)


def _beyond_luck(
    repeated: Sequence[NDArray[Any]], answers: Sequence[NDArray[Any]], blocks: Sequence[int]
) -> bool:
    """Whether `repeated`, more than half of `answers`, are too many block copies to be luck.

    If all orders were equally likely, the answers to a question would repeat a block with
    probability (orders of the block) / (orders of all its answers).
    """
    if len(repeated) <= len(answers) / 2:
        return False
    chosen = lgamma(len(answers) + 1) - lgamma(len(repeated) + 1) - lgamma(len(answers) - len(repeated) + 1)
    varied = [(one, block) for one, block in zip(repeated, blocks, strict=True) if (one != one[0]).any()]
    tried = log(max(map(len, answers)))  # number of block lengths tried
    return sum(_log_chance(one, block) for one, block in varied) + chosen + tried < _BY_LUCK


def _repeats(answers: NDArray[Any], block: int, in_place: bool = True) -> bool:
    """Whether the answers repeat a block of that length or, if in_place, each of its answers in turn."""
    if not 0 < block < len(answers):
        return False
    if (answers[block:] == answers[:-block]).all():
        return True
    rows = answers.reshape(block, -1) if in_place and len(answers) % block == 0 else answers[None]
    return bool((rows == rows[:, :1]).all())


def _log_chance(answers: NDArray[Any], block: int) -> float:
    """The log of the probability that a random order makes the answers copies of a block, in either way."""
    counts = np.unique(answers, return_counts=True)[1]
    of_block = np.rint(counts * block / len(answers)).astype(np.int64)
    return min(log(2) + _log_orders(of_block) - _log_orders(counts), 0.0)


def _log_orders(counts: NDArray[Any]) -> float:
    """The log of the number of distinct orders of answers with these counts."""
    return lgamma(sum(counts) + 1) - sum(lgamma(count + 1) for count in counts)

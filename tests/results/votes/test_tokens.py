"""results.votes.tokens: the mean length of answers, also with unequal numbers of answers per question."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from results import answer_pools, build_curves
from results.votes.tokens import (
    answer_lengths,
    budgets_ignored,
    prefix_tokens,
    reasoning_length,
    tokens_per_answer,
)
from tests.results.votes.samples import samples_of

TOKENS = {"a": [10, 20, 30, 140], "b": [80]}


def samples(tokens: dict[str, list[int | None]]) -> pd.DataFrame:
    return samples_of({name: "r" * len(used) for name, used in tokens.items()}, tokens=tokens)


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize(("source", "T"), [("llm", 130.0), ("synthetic", 65.0)])
def test_every_question_counts_the_same_however_many_answers_it_has(source, T):
    """(50 + 80) / 2 = 65, where a mean over the five answers would be 56; T is 50 + 80."""
    curves = build_curves(samples(TOKENS).assign(source=source), permutations=0)
    assert set(curves["source"]) == {source}
    assert set(curves["T"]) == {T} == {reasoning_length(65.0, 2, source)}
    assert set(curves["tokens_per_answer"]) == set(answer_lengths(curves)) == {65.0}
    assert answer_lengths(curves.assign(tokens_per_answer=0.0)).isna().all()  # unknown


@pytest.mark.parametrize(
    ("tokens", "length"),
    [
        ({"a": [10, None], "b": [80]}, 45),  # a missing count is the mean of its question
        ({"a": [10, 30, None], "b": [80, 100, 120], "c": [None]}, 60),
        ({"a": [10, None], "b": [80, None]}, 45),
        ({"a": [10, None], "b": [None]}, math.nan),  # most are unknown
        ({"a": [None], "b": [None]}, math.nan),
        ({"a": [0, 0], "b": [None]}, math.nan),  # no answer has 0 tokens
    ],
)
def test_the_length_is_that_of_the_answers_with_a_count_unless_most_have_none(tokens, length):
    pools = answer_pools(samples(tokens))
    assert tokens_per_answer(pools) == pytest.approx(length, nan_ok=True)
    shuffled = samples(tokens).sample(frac=1, random_state=0)
    assert tokens_per_answer(answer_pools(shuffled)) == pytest.approx(length, nan_ok=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        build_curves(samples(tokens), permutations=0)
    said = [line for line in map(str, (one.message for one in caught)) if "no token count" in line]
    used = [one for own in tokens.values() for one in own]
    effect = "no T:" if math.isnan(length) else "T is that of the others:"
    some = used.count(None) < len(used)
    expected = [f"{effect} {used.count(None)} of {len(used)}"] if some else []
    assert [line.partition(": ")[2].partition(" answers")[0] for line in said] == expected


def test_first_answers_of_an_order():
    pools = answer_pools(samples({"a": [10, 20, 60], "b": [1, 2, 3, 4]}))
    orders = np.array([[0, 1, 2, 3, 2, 1, 0], [2, 1, 0, 0, 1, 2, 3]], np.int32)
    expected = [[(10 + 4) / 2, (15 + 3.5) / 2, (30 + 3) / 2], [(60 + 1) / 2, (40 + 1.5) / 2, (30 + 2) / 2]]
    np.testing.assert_allclose(prefix_tokens(pools, orders, np.array([1, 2, 3])), expected)


@pytest.mark.parametrize(
    ("lengths", "ignored"),
    [
        ({"20": 170, "100": 240, "500": 262}, True),  # 1.54 times as long for 25 times the tokens
        ({"500": 262, "20": 170}, True),
        ({"20": 30, "100": 240, "500": 262}, False),  # 8.7 times as long, but hardly longer from 100 to 500
        ({"10": 9, "120": 58}, False),
        ({"1": 1, "50": 50}, False),
        ({"low": 100, "high": 110}, False),
        ({"0": 100, "50": 110}, False),
        ({"20": 170}, False),
        ({"20": 0, "50": 10}, False),
        ({"20": math.nan, "50": 10}, False),
        ({}, False),
    ],
)
def test_a_budget_is_ignored_where_answers_grow_by_less_than_its_root(
    lengths: dict[str, float], ignored: bool
) -> None:
    assert budgets_ignored(lengths) is ignored

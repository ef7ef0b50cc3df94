"""The next token against its definition, written out in plain Python."""

import math
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.engines.base import Sampling
from harness.engines.transformers.next_token import next_tokens

GRID = 20_000


def definition(logits: list[float], temperature: float, top_p: float, top_k: int) -> list[float]:
    """Each token's probability: softmax, the k likeliest, the smallest set of them that reaches top_p."""
    weights = [math.exp((value - max(logits)) / temperature) for value in logits]
    ranked = sorted(range(len(logits)), key=lambda token: -weights[token])
    kept, reached = [], 0.0
    for rank, token in enumerate(ranked):
        if (top_k != -1 and rank >= top_k) or reached >= top_p:
            break
        kept.append(token)
        reached += weights[token] / sum(weights)
    total = sum(weights[token] for token in kept)
    return [weights[token] / total if token in kept else 0.0 for token in range(len(logits))]


def frequencies(logits: list[float], sampling: Sampling) -> list[float]:
    """How often each token comes up over an even grid of uniform numbers: exact up to its two ends."""
    rows = torch.tensor(logits).repeat(GRID, 1)
    uniform = (torch.arange(GRID) + 0.5) / GRID
    counts = Counter(next_tokens(rows, uniform, sampling).tolist())
    return [counts[token] / GRID for token in range(len(logits))]


@settings(deadline=None)  # other programs may want the processor
@given(
    # Steps of a quarter that differ: equal logits have no order of their own.
    logits=st.lists(st.integers(-20, 20), min_size=2, max_size=8, unique=True),
    temperature=st.sampled_from([0.3, 1.0, 1.7]),
    top_p=st.sampled_from([1.0, 0.95, 0.61, 0.1]),
    top_k=st.sampled_from([-1, 1, 2, 5]),
)
def test_tokens_come_up_as_often_as_they_should(
    logits: list[int], temperature: float, top_p: float, top_k: int
) -> None:
    values = [logit / 4 for logit in logits]
    found = frequencies(values, Sampling(1, temperature, top_p, top_k))
    assert found == pytest.approx(definition(values, temperature, top_p, top_k), abs=3 / GRID)


def test_the_ends_of_the_uniform_range_choose_possible_tokens() -> None:
    logits = torch.tensor([[-math.inf, 0.0, 0.0, -math.inf]]).repeat(2, 1)
    assert next_tokens(logits, torch.tensor([0.0, 1 - 2**-24]), Sampling(1, 1.0)).tolist() == [1, 2]


def test_half_precision_logits_are_drawn_from_in_full() -> None:
    # In bfloat16 a running sum over so many equal tokens would stand still long before its end.
    logits = torch.zeros(1000, 5000, dtype=torch.bfloat16)
    drawn = next_tokens(logits, (torch.arange(1000) + 0.5) / 1000, Sampling(1, 1.0))
    assert drawn.tolist() == pytest.approx([(i + 0.5) * 5 - 0.5 for i in range(1000)], abs=1)


def test_top_p_keeps_no_token_beyond_the_set_that_reaches_it() -> None:
    logits = torch.zeros(GRID, 4)  # a quarter each, without rounding
    drawn = next_tokens(logits, (torch.arange(GRID) + 0.5) / GRID, Sampling(1, 1.0, top_p=0.5))
    assert len(set(drawn.tolist())) == 2

"""The alarm for answers that repeat: silent where they were drawn independently, loud where they were not."""

import itertools
import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.run.repeats import ALARM, Repeat, Texts, bennett, find_repeats

CHUNK = 8
ANSWERS = 32

Draw = Callable[[random.Random, int], list[str]]
"""The texts of the answers to one question, given its number."""


def texts(answers: list[str], tokens: int = 60) -> Texts:
    group = Texts()
    for index, answer in enumerate(answers):
        group.add(index, answer, tokens)
    return group


def run(draw: Draw, questions: int = 20, tokens: int = 60, seed: int = 0, chunk: int = CHUNK) -> list[Repeat]:
    rng = random.Random(seed)
    groups = [texts(draw(rng, question), tokens) for question in range(questions)]
    return find_repeats(groups, (chunk,), free=True)


def independent(support: int, skew: float = 1.0) -> Draw:
    """Answers out of `support` texts, the k-th of which has weight k^-skew; each question has its own."""
    weights = [k**-skew for k in range(1, support + 1)]

    def draw(rng: random.Random, question: int) -> list[str]:
        return [f"{question} {word}" for word in rng.choices(range(support), weights, k=ANSWERS)]

    return draw


def chunked(new: Callable[[random.Random], list[str]], replay: Callable[[int], int]) -> Draw:
    """Requests of which the k-th replays the `replay(k)`-th."""

    def draw(rng: random.Random, _question: int) -> list[str]:
        requests: list[list[str]] = []
        for k in range(ANSWERS // CHUNK):
            requests.append(new(rng) if replay(k) == k else requests[replay(k)])
        return list(itertools.chain(*requests))

    return draw


def first(_k: int) -> int:
    return 0


def fresh(rng: random.Random) -> list[str]:
    return [str(rng.random()) for _ in range(CHUNK)]


@pytest.mark.parametrize(
    "draw", [independent(2, 0), independent(5), independent(40), independent(40, 3), fresh]
)
@pytest.mark.parametrize("chunk", [2, CHUNK, 16, 64])
def test_independent_answers_raise_no_alarm_however_often_short_ones_repeat(draw: Draw, chunk: int) -> None:
    if draw is fresh:
        draw = chunked(fresh, lambda k: k)
    for seed in range(20):
        assert not any(repeat.alarm for repeat in run(draw, tokens=9, seed=seed, chunk=chunk))


def test_the_chance_is_a_bound_that_independent_answers_keep_to() -> None:
    draw, runs = independent(5), 400
    for kind in ("place", "within", "between"):
        chances = [
            repeat.chance
            for seed in range(runs)
            for repeat in run(draw, 10, seed=seed)
            if repeat.kind == kind
        ]
        for level in (0.5, 0.1, 0.02):
            found = sum(chance <= level for chance in chances)
            assert found <= runs * level + 4 * math.sqrt(runs * level), (kind, level)


@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (chunked(fresh, first), "place"),  # every request has the same seed
        (chunked(fresh, lambda k: k - k % 2), "place"),  # a cache gave every other request
        (chunked(lambda rng: [str(rng.random())] * CHUNK, lambda k: k), "within"),  # a seed for all n
        (chunked(lambda rng: [str(rng.random())] * CHUNK, first), "identical"),
    ],
)
def test_fixed_seeds_and_caches_raise_one(draw: Draw, kind: str) -> None:
    for repeats in (run(draw), run(draw, questions=6)):
        assert repeats[0].alarm
        assert repeats[0].kind == kind
        assert repeats[0].chance < ALARM / 3


def test_a_cache_that_shuffles_raises_one() -> None:
    def draw(rng: random.Random, _question: int) -> list[str]:
        answers = fresh(rng)
        return [answer for _ in range(ANSWERS // CHUNK) for answer in rng.sample(answers, CHUNK)]

    assert run(draw)[0].kind == "between"
    assert run(draw)[0].alarm


def test_one_request_in_twenty_from_a_cache_is_enough_in_a_long_run() -> None:
    def draw(rng: random.Random, question: int) -> list[str]:
        return chunked(fresh, lambda k: 0 if k == 1 and question % 5 == 0 else k)(rng, question)

    assert not run(draw, questions=10)[0].alarm
    assert run(draw, questions=100)[0].alarm


def test_answers_that_are_one_text_are_an_alarm_only_if_long_many_and_free_to_differ() -> None:
    same = [texts(["one and the same"] * 8) for _ in range(6)]
    other = [texts([str(n) for n in range(8)]) for _ in range(6)]
    assert find_repeats([*same * 2, *other[:1]], (8,), free=True)[0].alarm
    assert not find_repeats([*same * 2, *other[:2]], (8,), free=True)[0].alarm
    assert find_repeats(same, (8,), free=False) == []
    assert find_repeats(same[:4], (8,), free=True) == []
    assert find_repeats([texts(["12"] * 8, tokens=9) for _ in range(6)], (8,), free=True) == []
    assert find_repeats([texts(["once"] * 3) for _ in range(6)], (8,), free=True) == []


def test_guesses_at_the_size_of_a_request_share_the_false_alarms() -> None:
    repeats = [texts(chunked(fresh, first)(random.Random(q), q)) for q in range(20)]
    (worst, *_) = find_repeats(repeats, (2, 4, 8, 16), free=False)
    assert worst.alarm
    assert worst.kind == "place"


def test_the_sentence_has_the_figures_and_the_causes() -> None:
    assert str(run(chunked(fresh, first))[0]) == (
        "answers at the same place of different requests have the same text in 100.00% of pairs, 9.68% are "
        f"expected (chance below 1e-{_power(run(chunked(fresh, first))[0].chance)}): "
        "the same seed in every request, or a cache"
    )
    whole = chunked(lambda rng: [str(rng.random())] * CHUNK, first)
    assert str(run(whole)[0]) == (
        "all answers are one text in 100.0% of the questions and settings with long answers: "
        "one seed for all requests, a cache, or greedy decoding"
    )


def _power(chance: float) -> int:
    return math.floor(-math.log10(chance))


@settings(deadline=None, max_examples=60)
@given(
    labels=st.lists(st.sampled_from("aabbbc"), min_size=4, max_size=7),
    chunk=st.integers(2, 4),
    count=st.integers(1, 3),
)
def test_shares_and_bound_are_those_over_all_orders(labels: list[str], chunk: int, count: int) -> None:
    """Mean and variance by going through all orders; the order at hand is held against them."""
    size = len(labels)
    pairs = {
        "place": [(i, j) for i, j in itertools.combinations(range(size), 2) if i % chunk == j % chunk],
        "within": [(i, j) for i, j in itertools.combinations(range(size), 2) if i // chunk == j // chunk],
        "between": [(i, j) for i, j in itertools.combinations(range(size), 2) if i // chunk != j // chunk],
    }
    found = {repeat.kind: repeat for repeat in find_repeats([texts(labels)] * count, (chunk,), free=False)}
    equal = sum(a == b for a, b in itertools.combinations(labels, 2))
    for kind, chosen in pairs.items():
        orders = [sum(order[i] == order[j] for i, j in chosen) for order in itertools.permutations(labels)]
        mean, variance = float(np.mean(orders)), float(np.var(orders))
        if variance < 1e-9:
            assert kind not in found
            continue
        here = sum(labels[i] == labels[j] for i, j in chosen)
        most = min(len(chosen), equal) - mean
        assert found[kind].observed == pytest.approx(here / len(chosen))
        assert found[kind].expected == pytest.approx(mean / len(chosen))
        assert found[kind].chance == pytest.approx(
            bennett(count * (here - mean) / most, count * variance / most**2)
        )


def test_bennett_is_a_bound_for_coins() -> None:
    coins, p = 30, 0.1
    for heads in range(4, 20):
        exact = sum(math.comb(coins, k) * p**k * (1 - p) ** (coins - k) for k in range(heads, coins + 1))
        assert exact <= bennett(heads - coins * p, coins * p * (1 - p)) < 20 * exact**0.7
    assert bennett(0, 1) == bennett(-1, 1) == 1

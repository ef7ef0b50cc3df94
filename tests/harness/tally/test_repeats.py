"""The alarm for answers that repeat: silent where they were drawn independently, loud where they were not."""

import itertools
import math
import random
from collections.abc import Callable

import pytest

from harness.tally.repeats import ALARM, SHUFFLES, Repeat, Texts, find_repeats

TOGETHER = 8
"""The number of answers that a server draws at the same time, or that a cache keeps."""
ANSWERS = 32

Draw = Callable[[random.Random, int], list[str]]
"""The texts of the answers to one question, given its number."""


def texts(answers: list[str], tokens: int = 60) -> Texts:
    group = Texts()
    for index, answer in enumerate(answers):
        group.extend([index], [answer], tokens)
    return group


def run(draw: Draw, questions: int = 20, tokens: int = 60, seed: int = 0) -> list[Repeat]:
    rng = random.Random(seed)
    groups = [texts(draw(rng, question), tokens) for question in range(questions)]
    return find_repeats(groups, exchangeable=True, free=True)


def independent(support: int, skew: float = 1.0) -> Draw:
    """Draws from `support` texts, different for each question; the k-th has weight k^-skew."""
    weights = [k**-skew for k in range(1, support + 1)]

    def draw(rng: random.Random, question: int) -> list[str]:
        return [f"{question} {word}" for word in rng.choices(range(support), weights, k=ANSWERS)]

    return draw


def replayed(new: Callable[[random.Random], list[str]], replay: Callable[[int], int]) -> Draw:
    """Draws groups of answers in which the k-th group repeats group `replay(k)`."""

    def draw(rng: random.Random, _question: int) -> list[str]:
        groups: list[list[str]] = []
        for k in range(ANSWERS // TOGETHER):
            groups.append(new(rng) if replay(k) == k else groups[replay(k)])
        return list(itertools.chain(*groups))

    return draw


def first(_k: int) -> int:
    return 0


def fresh(rng: random.Random) -> list[str]:
    return [str(rng.random()) for _ in range(TOGETHER)]


@pytest.mark.parametrize(
    "draw",
    [independent(2, 0), independent(5), independent(40), independent(40, 3), replayed(fresh, lambda k: k)],
)
def test_independent_answers_raise_no_alarm_however_often_short_ones_repeat(draw: Draw) -> None:
    for seed in range(5):
        assert not any(repeat.alarm for repeat in run(draw, tokens=9, seed=seed))


def test_independent_answers_are_as_improbable_as_the_chance_says() -> None:
    draw, runs = independent(5), 200
    found = [repeat for seed in range(runs) for repeat in run(draw, 10, seed=seed)]
    chances = [repeat.chance for repeat in found if repeat.distance]
    for level in (0.5, 0.1, 0.02):
        least = sum(chance <= level for chance in chances)
        assert least <= runs * level + 4 * math.sqrt(runs * level), level


@pytest.mark.parametrize(
    ("draw", "in_order"),
    [
        (replayed(fresh, first), True),  # the same seeds again and again
        (replayed(fresh, lambda k: k - k % 2), True),  # every other group came from a cache
        (replayed(lambda rng: [str(rng.random())] * TOGETHER, lambda k: k), True),  # one seed for a group
        (replayed(lambda rng: [str(rng.random())] * TOGETHER, first), False),
    ],
)
def test_fixed_seeds_and_caches_raise_one(draw: Draw, in_order: bool) -> None:
    for repeats in (run(draw), run(draw, questions=6)):
        assert repeats[0].alarm
        assert (repeats[0].distance is not None) is in_order
        assert repeats[0].chance < ALARM


def went_on(same: float) -> Draw:
    """A run resumed after half its answers; a share `same` of the second half repeats the first."""

    def draw(rng: random.Random, _question: int) -> list[str]:
        half = [str(rng.random()) for _ in range(ANSWERS // 2)]
        return [*half, *(one if rng.random() < same else str(rng.random()) for one in half)]

    return draw


def test_a_server_that_draws_the_same_again_after_a_restart_raises_one() -> None:
    """As with vLLM, which seeds its generator with 0: a real resumed run of 100 × 16 had 937 copies."""
    (worst, *_) = run(went_on(0.6))
    assert worst.alarm
    assert worst.distance == ANSWERS // 2
    assert worst.observed == pytest.approx(0.6, abs=0.1)
    assert run(went_on(0.02), questions=200)[0].alarm
    assert not any(repeat.alarm for repeat in run(went_on(0.0), questions=200))


def test_shares_at_a_distance_are_those_of_the_samples_that_there_are() -> None:
    """Samples 3 and 11 are missing; of the 22 pairs that are 8 apart, three are equal."""
    group = Texts()
    for index in {*range(ANSWERS)} - {3, 11}:
        text = str(index % 8 if index in (0, 8, 16, 24) else index + 100)
        group.extend([index], [text], 60)
    (found,) = (one for one in find_repeats([group] * 8, True, free=True) if one.distance)
    assert (found.distance, found.observed) == (8, pytest.approx(3 / 22))
    assert "8 samples apart" in str(found)


def test_which_answers_are_equal_counts_and_not_their_texts() -> None:
    others = run(lambda rng, question: [f"so {text}" for text in independent(5)(rng, question)])
    assert others == run(independent(5))


def test_one_request_in_twenty_from_a_cache_is_enough_in_a_long_run() -> None:
    def draw(rng: random.Random, question: int) -> list[str]:
        return replayed(fresh, lambda k: 0 if k == 1 and question % 5 == 0 else k)(rng, question)

    assert not run(draw, questions=10)[0].alarm
    assert run(draw, questions=100)[0].alarm


def test_answers_that_are_one_text_are_an_alarm_only_if_long_many_and_free_to_differ() -> None:
    same = [texts(["one and the same"] * 8) for _ in range(6)]
    other = [texts([str(n) for n in range(8)]) for _ in range(6)]
    assert find_repeats([*same * 2, *other[:1]], True, free=True)[0].alarm
    assert not find_repeats([*same * 2, *other[:2]], True, free=True)[0].alarm
    assert find_repeats(same, True, free=False) == []
    assert find_repeats(same[:4], True, free=True) == []
    assert find_repeats([texts(["12"] * 8, tokens=9) for _ in range(6)], True, free=True) == []
    assert find_repeats([texts(["once"] * 4) for _ in range(6)], True, free=True)[0].alarm
    assert find_repeats([texts(["once"] * 3) for _ in range(6)], True, free=True) == []


def test_the_chance_of_an_order_that_always_leads_is_that_of_one_in_twenty_for_each_distance() -> None:
    (worst, *_) = run(replayed(fresh, first), questions=12)
    assert worst.chance == pytest.approx((ANSWERS - 1) * (1 + SHUFFLES) ** -12, rel=1e-6, abs=0)
    assert worst.observed == 1

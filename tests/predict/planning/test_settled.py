"""What a settled vote costs, beside a simulation of the rule from the very laws that drew the answers."""

from dataclasses import replace

import numpy as np
import pytest

from predict.answers.mixture import drawn_atoms
from predict.answers.population import fit_population
from predict.answers.rest import worlds
from predict.planning.settled import settled
from tests.predict.answers.pools import pool_of

N = 24


def laws(questions: int, wrong: list[float], rng: np.random.Generator) -> np.ndarray:
    """(questions, 2 + len(wrong)): right, the wrong ones, unreadable."""
    right = np.where(rng.random(questions) < 0.6, rng.beta(8, 2, questions), rng.beta(1.5, 4, questions))
    others = (1 - right)[:, None] * rng.dirichlet(wrong, questions)
    return np.column_stack([0.95 * right, 0.95 * others, np.full(questions, 0.05)])


def by_hand(law: np.ndarray, rng: np.random.Generator) -> tuple[int, float, float]:
    """Answers asked for until one answer leads by four, its credit, and that of the vote of all N."""
    counts, asked, credit = np.zeros(len(law) - 1), None, 0.0
    for n, answer in enumerate(rng.choice(len(law), N, p=law), start=1):
        if answer < len(counts):
            counts[answer] += 1
        first, second = np.sort(counts)[::-1][:2]
        if asked is None and (first - second >= 4 or first - second > N - n or n == N):
            asked, credit = n, share(counts)
    assert asked is not None
    return asked, credit, share(counts)


def share(counts: np.ndarray) -> float:
    """The right answer's credit, ties shared."""
    return float(counts[0] == counts.max() > 0) / (counts == counts.max()).sum()


@pytest.mark.parametrize("wrong", [[2.0, 1.0, 0.5], [1.0] * 60], ids=["few wrong ones", "all different"])
def test_cost_and_accuracy_are_those_of_the_rule_played_by_hand(wrong: list[float]) -> None:
    rng = np.random.default_rng(5)
    law = laws(300, wrong, rng)
    kinds = np.array([*range(len(wrong) + 1), -1])
    raw = np.array([rng.choice(kinds, 64, p=row / row.sum()) for row in law])
    found = settled(pool_of(raw).answers, N).set_index("rule")
    played = np.array([by_hand(row / row.sum(), rng) for row in law for _ in range(20)])
    asked, stopped, every = played.mean(axis=0)
    lead, fixed = found.loc["lead:4"], found.loc[f"fixed:{N}"]
    assert lead["answers"] == pytest.approx(asked, rel=0.04)
    assert lead["cost"] / fixed["cost"] == pytest.approx(asked / N, rel=0.04)
    assert fixed["accuracy"] == pytest.approx(every, abs=0.015)
    assert lead["accuracy"] == pytest.approx(stopped, abs=0.015)
    assert found.loc["fixed:6", "answers"] == 6
    assert found["cost"].iloc[1:].is_monotonic_decreasing


def test_an_early_end_saves_the_tokens_of_the_questions_that_are_clear() -> None:
    """Clear questions (10 tokens an answer) in turn with others (1,000) that two answers share evenly."""
    rng = np.random.default_rng(7)
    raw = np.zeros((40, 64), np.int64)
    raw[1::2] = rng.permuted(np.tile([0, 1], (20, 32)), axis=1)
    answers = pool_of(raw).answers
    tokens = np.where(answers.question % 2 == 0, 10.0, 1000.0)
    found = settled(replace(answers, tokens=tokens), N).set_index("rule")
    asked = np.mean([by_hand(np.array([0.5, 0.5, 0.0]), rng)[0] for _ in range(1000)])
    assert found.loc[f"fixed:{N}", "cost"] == pytest.approx(N * (10 + 1000) / 2)
    assert found.loc["lead:4", "cost"] == pytest.approx((4 * 10 + asked * 1000) / 2, rel=0.05)


def test_chances_are_those_that_answers_are_drawn_with() -> None:
    rng = np.random.default_rng(6)
    raw = rng.choice(np.array([0, 1, 2, -1]), (3, 6), p=[0.5, 0.2, 0.2, 0.1])
    counts = pool_of(raw).answers.counts()
    atom = drawn_atoms(fit_population(counts).posterior(), 5, rng)
    for world in worlds(counts, atom, rng):
        chances = world.chances()
        drawn = world.more(np.full(len(chances), 200_000), rng) / 200_000
        assert drawn[:, 0] == pytest.approx(chances[:, 0], abs=0.006)
        assert drawn[:, 1] == pytest.approx(1 - chances.sum(axis=1), abs=0.006)
        assert drawn[:, 2:] == pytest.approx(chances[:, 1:], abs=0.006)

"""The gate on every question: exact probabilities, and how often chance alone fails one of many."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import stats

from results.paired.every_question import QuestionGate, chance_of_fall

Counts = list[int]


def gate(
    right: Counts, answers: Counts, before: Counts | None = None, margin: float = 0.0, level: float = 0.95
) -> QuestionGate:
    names = [f"q{q}" for q in range(len(right))]
    first = None if before is None else (np.array(before), np.array(answers))
    return QuestionGate(names, np.array(right), np.array(answers), first, margin, level)


@pytest.mark.parametrize(
    ("right", "before", "margin", "word", "fallen"),
    [
        ([4] * 10, None, 0.0, "holds", []),
        ([4] * 9 + [0], None, 0.0, "fails", [9]),
        ([4] * 9 + [3], None, 0.0, "fails", [9]),
        ([4] * 9 + [3], None, 0.25, "holds", []),
        ([4] * 9 + [2], None, 0.25, "undecided", []),
        ([4] * 9 + [0], None, 0.25, "fails", [9]),
        ([4] * 9 + [0], None, 0.7, "undecided", []),
        ([4] * 10, [4] * 10, 0.0, "holds", []),
        ([4] * 10, [2] * 10, 0.0, "holds", []),
        ([4] * 9 + [0], [4] * 10, 0.0, "fails", [9]),
        ([4] * 9 + [3], [4] * 10, 0.0, "undecided", []),
        ([4] * 9 + [3], [4] * 10, 0.25, "holds", []),
        ([4] * 9 + [0], [4] * 10, 0.7, "undecided", []),
        ([4] * 13 + [0], [4] * 14, 0.0, "undecided", []),
    ],
)
def test_what_is_seen_and_what_luck_explains(right, before, margin, word, fallen):
    found = gate(right, [4] * len(right), before, margin)
    assert found.word == word
    assert found.fallen.nonzero()[0].tolist() == fallen


@pytest.mark.parametrize("margin", [Fraction(0), Fraction(1, 4)])
@pytest.mark.parametrize(("first", "of", "then", "out_of"), [(4, 4, 0, 4), (3, 4, 1, 5), (5, 6, 2, 3)])
def test_the_chance_of_a_fall_is_that_of_all_falls_as_large(first, of, then, out_of, margin):
    """Computed in exact fractions, at the worst of 41 common probabilities."""
    fall = Fraction(first, of) - Fraction(then, out_of)

    def chance(share: Fraction) -> Fraction:
        lower, total = share - margin, Fraction(0)
        for x, y in product(range(of + 1), range(out_of + 1)):
            if Fraction(x, of) - Fraction(y, out_of) >= fall:
                of_x = comb(of, x) * share**x * (1 - share) ** (of - x)
                total += of_x * comb(out_of, y) * lower**y * (1 - lower) ** (out_of - y)
        return total

    worst = max(chance(margin + (1 - margin) * Fraction(k, 40)) for k in range(41))
    assert chance_of_fall(first, of, then, out_of, float(margin)) == pytest.approx(float(worst), rel=2e-3)


@pytest.mark.parametrize("answers", [4, 16])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 1.0), (0.0, 1.0), None])
def test_of_equal_runs_luck_fails_a_question_in_at_most_5_of_100(shares, answers):
    """400 comparisons of 60 questions; at a true rate of 5 %, more than 33 occur once in 300 tests.

    `shares` None: no earlier run, and each question is right just as often as the margin requires.
    """
    rng = np.random.default_rng(0)
    counts = [answers] * 60
    if shares is None:
        alone = rng.binomial(answers, 0.8, (400, 60))
        words = [gate(list(now), counts, margin=0.2).word for now in alone]
    else:
        a, b = rng.binomial(answers, rng.uniform(*shares, 60), (2, 400, 60))
        words = [gate(list(now), counts, list(before)).word for before, now in zip(a, b, strict=True)]
    assert words.count("fails") <= 33


def test_too_few_answers_say_how_many_would_show_a_fall():
    """A fall from n of n to 0 of n has a probability of 4^−n by chance, at a true share of one half."""
    assert gate([4] * 10, [4] * 10, [0] + [4] * 9).answers_needed is None
    assert gate([4] * 100, [4] * 100, [4] * 100).answers_needed == 6
    assert 4.0**-6 <= 0.05 / 100 < 4.0**-5
    assert gate([4] * 100, [4] * 100).answers_needed is None
    wide = gate([4] * 100, [4] * 100, [4] * 100, margin=0.97).answers_needed
    assert chance_of_fall(wide, wide, 0, wide, 0.97) <= 0.05 / 100 < chance_of_fall(250, 250, 0, 250, 0.97)
    assert gate([4] * 100, [4] * 100, margin=0.97).answers_needed == 250 > np.log(0.05 / 100) / np.log(0.97)


def test_what_holding_shows_is_the_least_of_simultaneous_bounds():
    found = gate([8, 7], [8, 8], margin=0.2)
    (low,) = (stats.binomtest(7, 8, alternative="greater").proportion_ci(0.975).low,)
    assert found.word == "holds"
    assert found.at_least == pytest.approx(low)

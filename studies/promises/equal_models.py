"""How often a comparison reports a difference that does not exist, and how often it finds one that does.

New questions of all kinds (easy, hard, with a leading wrong answer) get fresh answers in every comparison;
answers to hard questions take more tokens. The rows are those of `compare_runs` in `results.paired.runs`: the
vote and best-of-N at all powers of two, at equal N and at equal cost.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from results.normal import LEVEL, Interval
from results.paired.differences import mean_differences
from results.paired.runs import Pair
from results.paired.sides import Side
from results.paired.simultaneous import level_of_each
from results.votes.exact import AnswerPools, Floats
from studies.promises.rows import Row, at_least, at_most, share
from tests.results.paired.made import better, varied_laws

RUNS = 1000
"""The number of comparisons for each case."""

TOGETHER, ALONE = ("all rows", "one row named"), "rows by their own 90 %"
GAIN, DEARER, POPULATION = 0.05, 3.0, 40_000
Rng = np.random.Generator


def measured(times: float) -> Iterator[Row]:
    """Measure all cases; `times` multiplies RUNS."""
    runs = max(20, round(times * RUNS))
    for size in ((10, 8), (20, 4), (60, 8), (100, 16), (300, 8)):
        yield from of_two("two equal models", *size, 0.0, runs)
    for size in ((60, 8), (100, 16), (300, 8)):
        yield from of_two("the second is right 5 points more often", *size, GAIN, runs)
    for size in ((20, 4), (60, 8)):
        yield from of_four(*size, runs)
    for tied in (1.5, 3.0):
        for size in ((20, 4), (60, 8), (100, 16)):
            yield at_equal_cost(*size, tied, runs)


def of_two(table: str, questions: int, answers: int, gain: float, runs: int) -> Iterator[Row]:
    """Two models, the second better by `gain`: how often they are called different, and how often worse."""
    rng = np.random.default_rng([questions, answers, round(100 * gain)])
    ns = 2 ** np.arange(answers.bit_length())
    told: dict[str, list[tuple[bool, bool]]] = {rule: [] for rule in (*TOGETHER, ALONE)}
    for _ in range(runs):
        laws = varied_laws(questions, rng)
        others = better(laws, gain) if gain else laws
        sides = [side(laws, answers, rng), side(others, answers, rng)]
        every, named = pairs(sides, ns), pairs(sides, ns[-1:])[:1]
        for rule, found in zip(TOGETHER, (intervals(every), intervals(named)), strict=True):
            told[rule].append(decided(found))
        told[ALONE].append(decided(intervals(every, 0.90)))
    case = f"{questions} questions × {answers} answers"
    for rule, verdicts in told.items():
        different, worse = np.transpose(verdicts)
        promised = at_most(1 - LEVEL) if rule in TOGETHER and not gain else ""
        yield Row(table, case, f"{rule}, %", *share(different), promised)
        if gain and rule in TOGETHER:
            yield Row(table, case, f"{rule}: worse, %", *share(worse), at_most((1 - LEVEL) / 2))


def of_four(questions: int, answers: int, runs: int) -> Iterator[Row]:
    """Four equal models, all pairs and rows at once."""
    rng = np.random.default_rng([questions, answers, 4])
    ns = 2 ** np.arange(answers.bit_length())
    different = []
    for _ in range(runs):
        laws = varied_laws(questions, rng)
        sides = [side(laws, answers, rng) for _ in range(4)]
        different.append(decided(intervals(pairs(sides, ns)))[0])
    case = f"{questions} questions × {answers} answers"
    found = share(different)
    yield Row("four equal models", case, "all pairs and rows, %", *found, at_most(1 - LEVEL))


def at_equal_cost(questions: int, answers: int, tied: float, runs: int) -> Row:
    """Coverage of the interval at equal cost for a single row, the vote of all of a's answers.

    b is equally good but takes three times the tokens, so it gets a third of the answers.
    """
    rng = np.random.default_rng([questions, answers, round(10 * tied)])
    ns = np.array([answers])

    def drawn(size: int) -> Pair:
        laws = varied_laws(size, rng)
        a, b = (side(laws, answers, rng, tied, dear) for dear in (1.0, DEARER))
        return Pair(a, b, "majority", ns)

    true = drawn(POPULATION).at_cost.mean()
    held = []
    for _ in range(runs):
        found = mean_differences(drawn(questions).at_cost).interval
        held.append(found.low[0] <= true <= found.high[0])
    case = f"{questions} questions × {answers} answers, hard ones × {np.exp(tied):.0f}"
    return Row("equal cost, hard questions dearer", case, "held, %", *share(held), at_least(LEVEL))


def side(laws: Floats, answers: int, rng: Rng, tied: float = 1.5, dear: float = 1.0) -> Side:
    """Fresh answers to questions with these laws; the hardest take e^tied times the tokens of the easiest."""
    questions = len(laws)
    ladder = laws.cumsum(axis=1)[:, None, :-1]
    votes = (rng.random((questions, answers, 1)) > ladder).sum(axis=2)
    late = tied * (1 - laws[:, :1]) + 0.3 * rng.standard_normal((questions, answers))
    names = [f"q{place}" for place in range(questions)]
    starts = np.arange(questions + 1) * answers
    pools = AnswerPools(names, starts, votes.ravel(), 100 * dear * np.exp(late).ravel())
    return Side("", "", "", "", pools, pd.Series(dtype=str), price=1.0)


def pairs(sides: Sequence[Side], ns: np.ndarray) -> list[Pair]:
    """All pairs by both methods."""
    methods = ("majority", "best_of_n")
    return [Pair(a, b, method, ns) for a, b in combinations(sides, 2) for method in methods]


def intervals(looked_at: Sequence[Pair], row_level: float | None = None) -> list[Interval[Floats]]:
    """The intervals of all rows of some pairs: simultaneous, or each at `row_level` if given."""
    level = row_level or level_of_each([pair.looked_at for pair in looked_at], LEVEL)
    every = [part for pair in looked_at for part in (pair.other - pair.one, pair.at_cost)]
    return [mean_differences(part, LEVEL, level).interval for part in every]


def decided(every: Sequence[Interval[Floats]]) -> tuple[bool, bool]:
    """Whether any interval excludes 0, and whether any lies below 0."""
    worse = any((one.high < 0).any() for one in every)
    return worse or any((one.low > 0).any() for one in every), worse

"""Compares two or more runs on the same questions: a row for each pair, method and number of answers.

    a      b      method    N  questions  accuracy_a  accuracy_b  difference  low   high  level  verdict
    small  large  majority  8  1319       0.71        0.74        0.03        0.01  0.05  0.95   better

The columns are described in docs/tables.md. `results.paired.sides` defines a run,
`results.paired.pairs` which runs are paired. The intervals of a table are simultaneous: see
`results.paired.simultaneous`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd

from results.arguments import AT, LEVELS
from results.commandline import BadInput
from results.methods import BY_SCORE, FORECAST
from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.paired.needed import answer_variance, detectable, more_answers_needed, questions_needed
from results.paired.pairs import clusters_of, pairs
from results.paired.sides import Side, costs_known, sides_of
from results.paired.simultaneous import Measured, level_of_each
from results.paired.verdict import verdicts
from results.tables.columns import TEXT
from results.tables.key import UNNAMED, on_dataset
from results.tables.money import Price
from results.tables.schemas import COMPARISON
from results.terminal import visible
from results.votes.clusters import Clusters, mean_accuracy
from results.votes.curves import methods_of
from results.votes.exact import Floats, Ints, at_fraction
from results.votes.scored import check_weights
from results.votes.setting import powers_and

PLAIN = "majority"
"""The method with which selection by score is compared."""

_FLIPS_NAMED = 5
_SAME_COST = 0.02  # relative tolerance of equal cost at the ends of the pool


@dataclass(frozen=True)
class Pair:
    """Two sides on the same questions by one method, at the values of N that are compared.

    With a `baseline`, both sides are the same answers: a by the baseline, b by the method.
    """

    a: Side
    b: Side
    method: str
    ns: Ints
    baseline: str | None = None

    @cached_property
    def one(self) -> Floats:
        """The accuracy of a by question, (Q, len(ns))."""
        return self.a.curve(self.baseline or self.method)[:, self.ns - 1]

    @cached_property
    def other(self) -> Floats:
        """`one` for b."""
        return self.b.curve(self.method)[:, self.ns - 1]

    @property
    def names(self) -> tuple[str, str]:
        """Names that tell a and b apart: two methods, two settings of one run, or two runs."""
        if self.baseline:
            return self.baseline, self.method
        if self.a.run == self.b.run:
            return self.a.setting, self.b.setting
        return self.a.run, self.b.run

    @property
    def cost_one(self) -> Floats:
        """The mean cost of an answer of a to each question, (Q,), including its score if it is used."""
        return self.a.cost_by(self.baseline or self.method)

    @property
    def cost_other(self) -> Floats:
        """`cost_one` for b."""
        return self.b.cost_by(self.method)

    @cached_property
    def answers_at_cost(self) -> Floats:
        """The answers of b that cost as much as a's N, (len(ns),), perhaps below 1 or above b's pool."""
        ours, theirs = self.cost_one.mean(), self.cost_other.mean()
        if not theirs > 0:
            return np.full(self.ns.size, np.nan)
        answers = self.ns * ours / theirs
        there = (answers >= 1 - _SAME_COST) & (answers <= self.b.most * (1 + _SAME_COST))
        return np.where(there, answers.clip(1, self.b.most), answers)

    @cached_property
    def at_cost(self) -> Floats:
        """For each question, b's accuracy at the cost of a's N answers, minus a's at N, (Q, len(ns)).

        NaN if b does not have that many answers, or the cost is below that of one answer.
        """
        with np.errstate(invalid="ignore"):  # costs of 0
            price = self.cost_one / self.cost_one.mean() - self.cost_other / self.cost_other.mean()
        answers = self.answers_at_cost
        return at_fraction(self.b.curve(self.method), answers, answers * price[:, None]) - self.one

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of the questions, if any."""
        return clusters_of(self.a, self.b)

    @property
    def looked_at(self) -> Measured:
        """All differences reported for this pair, at equal N and at equal cost."""
        draws = self.clusters or self.a.pools.question_ids
        questions = [(self.a.dataset, name) for name in draws]
        return Measured(questions, np.concatenate([self.other - self.one, self.at_cost], axis=1))


def compare_runs(
    runs: Mapping[str, pd.DataFrame],
    prices: Mapping[str, Price] = {},
    at: int | Sequence[int] | None = None,
    methods: str | Sequence[str] | None = None,
    level: float = LEVEL,
    score: str | None = None,
    score_cost: float | None = None,
    weights: str | None = None,
) -> pd.DataFrame:
    """The comparison table of checked samples tables, given by name; see docs/tables.md for its columns.

    prices: by model or run; without prices, the cost is the column `cost` if all answers have
    one, else tokens. at: the N to compare, by default the powers of two up to the smaller pool,
    and that pool's size. methods: by default majority and best-of-N, or majority only if `at` is
    given; best-of-N for verdicts, which do not vote. level: of all intervals together. score:
    the scores for methods that use them; a single run is then compared with itself, each method
    against the majority vote of the same answers, at each setting. score_cost: the tokens that
    the score of an answer takes, by default as the samples give them; if unknown, nothing is
    compared at equal cost. weights: see `results.votes.scored`.

    Raises BadInput if there is nothing to compare: one run with one setting, no common
    question, questions of one name with different right answers, or too few answers for `at`.
    Warns as `shared_questions` does.
    """
    level = LEVELS.of(level)
    looked_at = pairs_looked_at(runs, prices, at, methods, score, score_cost, weights)
    of_each = level_of_each([pair.looked_at for pair in looked_at], level)
    table = pd.concat([_rows(pair, level, of_each) for pair in looked_at], ignore_index=True)
    table = table.assign(cost_unit="US$" if prices or costs_known(runs) else "tokens")[
        list(COMPARISON.columns)
    ]
    return table.drop(columns="clusters") if table["clusters"].isna().all() else table


def pairs_looked_at(
    runs: Mapping[str, pd.DataFrame],
    prices: Mapping[str, Price] = {},
    at: int | Sequence[int] | None = None,
    methods: str | Sequence[str] | None = None,
    score: str | None = None,
    score_cost: float | None = None,
    weights: str | None = None,
) -> list[Pair]:
    """The pairs that `compare_runs` compares, with its errors and warnings."""
    ns = () if at is None else AT.of([at] if isinstance(at, Real) else at)
    asked = None if methods is None else methods_of(methods)
    usual = BY_SCORE if score else FORECAST
    check_weights(weights, asked or usual, score)
    sides = sides_of(runs, prices, score, score_cost, weights)

    def methods_for(a: Side, b: Side) -> Sequence[str]:
        if asked is not None:
            return asked
        allowed = [method for method in usual if a.allows(method) and b.allows(method)]
        return allowed[:1] if ns and not score else allowed

    if set(asked or usual) & set(BY_SCORE) and len({side.run for side in sides}) == 1:
        if without := [side for side in sides if not side.allows(PLAIN)]:
            place = without[0].named + on_dataset(without[0].dataset)
            raise BadInput(f"{place}: verdicts cast no vote that a choice by score could beat")
        looked_at = [
            Pair(side, side, method, _several(_counts(side, side, ns)), PLAIN)
            for side in sides
            for method in methods_for(side, side)
            if method != PLAIN
        ]
    else:
        looked_at = [
            Pair(a, b, method, _counts(a, b, ns)) for a, b in pairs(sides) for method in methods_for(a, b)
        ]
    if not looked_at:
        raise BadInput("nothing to compare: give two runs of one data set, or one run with several settings")
    return looked_at


def _counts(a: Side, b: Side, ns: Sequence[int]) -> Ints:
    """The N to compare: `ns` or the default. Raises BadInput if too large."""
    most = min(a.most, b.most)
    largest = max(ns, default=most)
    if largest > most:
        short = a if a.most < b.most else b
        few = f"{short.named} has only {short.most} answers to some question"
        raise BadInput(f"N = {largest}: {few}: give at most {most}")
    return np.array(sorted(set(ns) or powers_and(most)), np.int64)


def _several(ns: Ints) -> Ints:
    """The N above 1, as one answer leaves nothing to choose. Raises BadInput if there are none."""
    if not (ns > 1).any():
        raise BadInput(
            "with one answer there is nothing to choose: give runs with several answers a question"
        )
    return ns[ns > 1]


def _rows(pair: Pair, level: float, of_each: float) -> pd.DataFrame:
    """The rows of one pair and method; of_each: the level of each row alone."""
    a, b, ns = pair.a, pair.b, pair.ns
    one, other = pair.one, pair.other
    equal_n = mean_differences(other - one, level, of_each, pair.clusters)
    equal_cost = mean_differences(pair.at_cost, level, of_each, pair.clusters)
    from_answers = answer_variance(a.pools, pair.baseline or pair.method, ns)
    from_answers = from_answers + answer_variance(b.pools, pair.method, ns)
    answers = min(a.most, b.most) * more_answers_needed(equal_n, from_answers)
    at_cost = pd.Series(verdicts(equal_cost.interval), dtype=TEXT)
    names = a.pools.question_ids
    flips = [_flips(names, one[:, k], other[:, k]) for k in range(ns.size)]
    rows = pd.DataFrame(
        {
            "dataset": b.dataset if a.dataset == UNNAMED else a.dataset,
            "a": pair.names[0],
            "b": pair.names[1],
            "setting_a": a.setting,
            "setting_b": b.setting,
            "method": pair.method,
            "N": ns,
            "questions": len(one),
            "clusters": len(set(pair.clusters)) if pair.clusters else np.nan,
            "accuracy_a": mean_accuracy(one),
            "accuracy_b": mean_accuracy(other),
            "difference": equal_n.mean,
            "low": equal_n.interval.low,
            "high": equal_n.interval.high,
            "stderr": equal_n.stderr,
            "p_value": equal_n.p_value,
            "cost": ns * pair.cost_one.mean(),
            "N_at_cost": pair.answers_at_cost,
            "difference_at_cost": equal_cost.mean,
            "low_at_cost": equal_cost.interval.low,
            "high_at_cost": equal_cost.interval.high,
            "gained": ((one <= 0.5) & (other > 0.5)).sum(axis=0),
            "lost": ((one > 0.5) & (other <= 0.5)).sum(axis=0),
            "flips": pd.Series(flips, dtype=TEXT),
            "questions_needed": questions_needed(equal_n),
            "detectable": detectable(equal_n),
            "answers_needed": np.ceil(answers),
            "level": level,
            "verdict": verdicts(equal_n.interval),
            "verdict_at_cost": at_cost.where(np.isfinite(equal_cost.mean)),
            "questions_needed_at_cost": questions_needed(equal_cost),
        }
    )
    return rows.replace([np.inf, -np.inf], np.nan)


def _flips(questions: Sequence[str], one: Floats, other: Floats) -> str | None:
    """ "q17 0.12 to 0.94, …": the questions whose accuracy crosses one half, largest changes first."""
    crossed = np.flatnonzero((one > 0.5) != (other > 0.5))
    furthest = crossed[np.argsort(-np.abs(other - one)[crossed], kind="stable")][:_FLIPS_NAMED]
    named = [f"{visible(questions[i])} {one[i]:.2f} to {other[i]:.2f}" for i in furthest]
    return ", ".join(named) + (", …" if len(crossed) > len(named) else "") or None

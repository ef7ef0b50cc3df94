"""Two or more runs on the same questions: a row for each pair, method and number of answers.

    a      b      setting_a  setting_b  method    N  questions  accuracy_a  accuracy_b  difference  low   high
    small  large  100        100        majority  8  1319       0.71        0.74        0.03        0.01  0.05

The columns are described in docs/tables.md. A run is one model in one samples table. Runs are paired at
each setting that both have, or, where they share none, each setting of one with each of the other; the
settings of a run that stands alone are paired with each other. Greedy answers are left out.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.paired.differences import (
    answer_variance,
    mean_differences,
    more_answers_needed,
    questions_needed,
)
from results.tables.schemas import COMPARISON
from results.visible import visible
from results.votes.curves import METHODS, powers_and, settings_in_order
from results.votes.exact import AnswerPools, Floats, Ints, accuracy_by_question, answer_pools

MOST = 1000
"""The largest N that is compared: up to it one pass gives the vote at every N."""

_FLIPS_NAMED = 5
_SAME_COST = 0.02  # at the ends of the pool, costs that differ by less than this share are one


@dataclass(frozen=True)
class Side:
    """The answers of one run at one setting.

    golds: right answer by question, where it is known; price: of one token, in any unit.
    """

    dataset: str
    run: str
    setting: str
    pools: AnswerPools
    golds: pd.Series[str]
    price: float

    def on(self, questions: Sequence[str]) -> Side:
        """The same with these questions alone."""
        keep = np.isin(self.pools.question_ids, questions)
        return self if keep.all() else replace(self, pools=self.pools.kept(keep.repeat(self.pools.sizes)))

    @cached_property
    def most(self) -> int:
        """The largest N for which every question has enough answers."""
        return min(int(self.pools.sizes.min()), MOST)

    @cached_property
    def curves(self) -> dict[str, Floats]:
        """By method, the exact accuracy of each question at N = 1 … most: (Q, most)."""
        counts = self.pools.counts()
        return {name: accuracy_by_question(counts, name, np.arange(1, self.most + 1)) for name in METHODS}

    @cached_property
    def cost(self) -> Floats:
        """Mean cost of an answer to each question, (Q,); NaN where an answer has no token count."""
        means = pd.Series(self.pools.tokens).groupby(self.pools.question).mean(skipna=False)
        return np.asarray(self.price * means, np.float64)


def compare_runs(runs: Mapping[str, pd.DataFrame], prices: Mapping[str, float] | None = None) -> pd.DataFrame:
    """The comparison table of checked samples tables, given by name; see docs/tables.md for its columns.

    They are compared at the powers of two up to the smaller pool and at that pool. prices: of a token of each
    run, by default 1. Raises BadInput where there is nothing to compare: one run with one setting, no common
    question, or questions of one name with different right answers. Warns (UserWarning) of questions that
    only one side has, and of questions with fewer answers than most, which set the largest N.
    """
    prices = prices or dict.fromkeys(runs, 1.0)
    sides = [one for name, table in runs.items() for one in _sides(table, name, len(runs), prices[name])]
    rows = []
    for a, b in _pairs(sides):
        shared = _shared(a, b)
        a, b = a.on(shared), b.on(shared)
        ns = np.array(sorted(powers_and(min(a.most, b.most))), np.int64)
        alone = a.run == b.run
        names = {"dataset": a.dataset, "a": a.setting if alone else a.run, "b": b.setting if alone else b.run}
        names |= {"setting_a": a.setting, "setting_b": b.setting}
        rows += [_compared(a, b, method, ns).assign(**names, method=method) for method in METHODS]
    if not rows:
        raise BadInput("nothing to compare: give two runs of one data set, or one run with several settings")
    return pd.concat(rows, ignore_index=True)[list(COMPARISON.columns)]


def _sides(samples: pd.DataFrame, name: str, runs: int, price: float) -> Iterator[Side]:
    sampled = samples[samples["decoding"] == "sample"]
    models = sampled["model"].nunique()
    order = settings_in_order(sampled)
    sampled = sampled.sort_values("setting", key=lambda column: column.map(order.index), kind="stable")
    for (dataset, model, setting), rows in sampled.groupby(["dataset", "model", "setting"], sort=False):
        run = " ".join([name] * (runs > 1 or models == 1) + [str(model)] * (models > 1))
        known = rows.reindex(columns=["question_id", "gold"]).dropna().drop_duplicates("question_id")
        golds = known.set_index("question_id")["gold"]
        yield Side(str(dataset), run, str(setting), answer_pools(rows), golds, price)


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    """The pairs that the module's first lines describe, in the order of the inputs."""
    settings: dict[str, set[str]] = {}
    for side in sides:
        settings.setdefault(side.run, set()).add(side.setting)
    for a, b in itertools.combinations(sides, 2):
        if a.dataset != b.dataset and "unknown" not in (a.dataset, b.dataset):
            continue
        if a.run == b.run:
            wanted = len(settings) == 1
        else:
            wanted = a.setting == b.setting or settings[a.run].isdisjoint(settings[b.run])
        if wanted:
            yield a, b


def _shared(a: Side, b: Side) -> list[str]:
    """The questions that both have. Raises BadInput where there are none, or right answers differ."""
    every = set(a.pools.question_ids) | set(b.pools.question_ids)
    shared = sorted(set(a.pools.question_ids) & set(b.pools.question_ids))
    pair = visible(f"{a.run}/{a.setting} and {b.run}/{b.setting}")
    if not shared:
        raise BadInput(f"{pair} have no question in common: compare runs on the same questions")
    golds = pd.concat([a.golds, b.golds], axis=1, join="inner").itertuples()
    for name, one, other in golds:
        if one != other:
            raise BadInput(
                f"{pair}: the right answer to question {name!r} is {one!r:.40} in one and {other!r:.40} in "
                "the other, so these are not the same questions"
            )
    if len(shared) < len(every):
        lone = len(every) - len(shared)
        warnings.warn(f"{pair}: {lone} of {len(every)} questions are in one of them only", stacklevel=3)
    for side in (a.on(shared), b.on(shared)):
        few = int((side.pools.sizes < np.median(side.pools.sizes)).sum())
        if few:
            short = f"{few} of {len(shared)} questions have fewer answers than most"
            where = visible(f"{side.run}/{side.setting}")
            warnings.warn(f"{where}: N up to {side.most}: {short}", stacklevel=3)
    return shared


def _compared(a: Side, b: Side, method: str, ns: Ints) -> pd.DataFrame:
    """The rows of one pair and method, without the names."""
    one, other = a.curves[method][:, ns - 1], b.curves[method][:, ns - 1]
    found = mean_differences(other - one)
    at_cost, n_at_cost = _at_equal_cost(a, b, method, ns)
    costly = mean_differences(at_cost)
    from_answers = answer_variance(a.pools, method, ns) + answer_variance(b.pools, method, ns)
    answers = min(a.most, b.most) * more_answers_needed(found, from_answers)
    names = a.pools.question_ids
    rows = pd.DataFrame({"N": ns, "questions": len(one)}).assign(
        accuracy_a=one.mean(axis=0), accuracy_b=other.mean(axis=0),
        difference=found.mean, low=found.low, high=found.high, stderr=found.stderr, p_value=found.p_value,
        cost=ns * a.cost.mean(), N_at_cost=n_at_cost,
        difference_at_cost=costly.mean, low_at_cost=costly.low, high_at_cost=costly.high,
        gained=((one <= 0.5) & (other > 0.5)).sum(axis=0), lost=((one > 0.5) & (other <= 0.5)).sum(axis=0),
        flips=pd.Series([_flips(names, one[:, k], other[:, k]) for k in range(ns.size)], dtype="str"),
        questions_needed=questions_needed(found), answers_needed=np.ceil(answers),
    )  # fmt: skip
    return rows.replace([np.inf, -np.inf], np.nan)


def _at_equal_cost(a: Side, b: Side, method: str, ns: Ints) -> tuple[Floats, Floats]:
    """For each question b's accuracy for the tokens of a's N answers − a's at N, (Q, len(ns)); b's answers.

    Between two whole numbers of answers b spends the fraction on one more answer to that share of the
    questions. The price of an answer is itself a mean over the questions: what each question adds to that
    mean is taken into its difference (the delta method), which moves the spread and not the mean.
    """
    curve = b.curves[method]
    answers = ns * a.cost.mean() / b.cost.mean() if b.cost.mean() > 0 else np.full(ns.size, np.nan)
    affordable = (answers >= 1 - _SAME_COST) & (answers <= b.most * (1 + _SAME_COST))
    answers = np.where(affordable, answers.clip(1, b.most), np.nan)
    whole = np.nan_to_num(answers, nan=1.0).astype(np.int64)
    fewer, more = curve[:, whole - 1], curve[:, np.minimum(whole, b.most - 1)]
    accuracy = fewer + (answers - whole) * (more - fewer)
    price = a.cost / a.cost.mean() - b.cost / b.cost.mean()
    moved = (more - fewer).mean(axis=0) * answers * price[:, None]
    return accuracy - a.curves[method][:, ns - 1] + moved, answers


def _flips(questions: Sequence[str], one: Floats, other: Floats) -> str | None:
    """ "q17 0.12 to 0.94, …": the questions that cross one half, those that move furthest first."""
    crossed = np.flatnonzero((one > 0.5) != (other > 0.5))
    furthest = crossed[np.argsort(-np.abs(other - one)[crossed], kind="stable")][:_FLIPS_NAMED]
    named = [f"{visible(questions[i])} {one[i]:.2f} to {other[i]:.2f}" for i in furthest]
    return ", ".join(named) + (", …" if len(crossed) > len(named) else "") or None

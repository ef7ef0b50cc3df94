"""The arena: every rule at several thresholds, replayed on the same orders of the same stored answers.

    dataset  model   rule  threshold  order   batch  share  answers  rounds  agreement  difference_fixed  …
    aime     qwen3   lead  4          random  1      0.248  7.1      7.1     0.993      0.005

The columns are described in docs/stopping.md. Answers are drawn without replacement from the
pool of each question. The most frequent of very many answers is the truth that a rule should
find at lower cost.

A clairvoyant shows how much there is to gain. With two answers of known shares, no test is
faster than a lead of the right size (Wald and Wolfowitz 1948), and the right size depends on
the shares. Rules do not know them; a clairvoyant does, and spends tokens on the questions
where they buy the most agreement. No rule is cheaper, unless it beats every lead on a single
question.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from results.arguments import MOST_ANSWERS, RANDOM_ORDERS, SEED
from results.commandline import BadInput
from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.paired.simultaneous import Measured, level_of_each
from results.stopping.replay import EXACT, Outcome, Replay
from results.stopping.rules import RULES, Rule
from results.stopping.votes_so_far import Floats
from results.tables.key import Key
from results.tables.schemas import STOPPING
from results.terminal import plural
from results.votes.curves import usual_methods
from results.votes.exact import AnswerPools, accuracy_by_question, answer_pools, at_fraction, whole_vote
from results.votes.permutations import random_orders
from results.votes.setting import sampled_groups

N_MAX, ORDERS = 40, 100
"""Defaults: the maximum number of answers to a question, and the number of orders replayed."""

BATCHES = (4, 16, EXACT)
"""Blocks of answers asked for at once, besides one at a time; tried at each rule's usual threshold."""

ALL = "all"
"""The batch of all answers, asked for at once and checked as they finish."""

CLAIRVOYANT = "clairvoyant"
PRICES = np.geomspace(0.05, 50, 25)
"""Values of agreement on a question to the clairvoyant, in units of the cost of all answers."""

WORST = 0.1
"""The share of the questions in the column worst_tenth."""

Thresholds = Mapping[Rule, Sequence[float]]
EVERY_RULE = tuple(RULES.values())


def arena(
    samples: pd.DataFrame,
    rules: Sequence[Rule] | Thresholds = EVERY_RULE,
    n_max: int = N_MAX,
    orders: int = ORDERS,
    seed: int = 0,
) -> pd.DataFrame:
    """The stopping table of checked samples: a row for each rule, threshold and way of asking.

    rules: from RULES or your own; a mapping gives the thresholds to try. n_max: limited to a setting's
    smallest pool, with a UserWarning. orders: number of random orders per question. The intervals of one
    data set, model and setting are simultaneous, at LEVEL. A setting in which a question has one answer, no
    answer could be read, or all are verdicts, is left out with a UserWarning. Raises BadInput if none is
    left, for what is no rule or outside its range, if `fixed` needs more answers than there are, or if a
    stop rule ended the votes.
    """
    n_max, orders, seed = MOST_ANSWERS.of(n_max), RANDOM_ORDERS.of(orders), SEED.of(seed)
    if "decoding" not in samples:
        raise BadInput("samples: expected a checked table: give as_samples(…) of it")
    tried = _tried(rules)
    tables, without_votes, usual = [], list[BadInput](), usual_methods(samples)
    for key, rows in sampled_groups(samples):
        pools = answer_pools(rows)
        try:
            if "majority" not in usual[key.whose]:
                raise BadInput(f"{key}: verdicts cast no votes, so there is no vote to end")
            most = _most(pools, n_max, key)
        except BadInput as error:
            without_votes.append(error)
            continue
        least = max((min(thresholds) for rule, thresholds in tried.items() if rule.plain), default=0)
        if least > most:
            raise BadInput(f"{key}: {most} answers to each question are too few for fixed:{least:g}")
        tables.append(arena_of(pools, key, tried, most, orders, seed))
    if not tables:
        raise without_votes[0]
    for why in without_votes:
        warnings.warn(f"left out: {why}", stacklevel=2)
    return pd.concat(tables, ignore_index=True)


def arena_of(
    pools: AnswerPools, key: Key, tried: Thresholds, most: int, orders: int = ORDERS, seed: int = 0
) -> pd.DataFrame:
    """The stopping table of one setting whose questions all have at least `most` answers."""
    table = _Group(pools, most, orders, seed).table(tried)
    return table.assign(**key.cells)[list(STOPPING.columns)]


def _tried(rules: Sequence[Rule] | Thresholds) -> dict[Rule, list[float]]:
    """The thresholds to try of each rule. Raises BadInput."""
    tried: dict[Rule, list[float]] = {}
    for rule in rules:
        if not isinstance(rule, Rule):
            raise BadInput(f"rules: found {rule!r:.40}, expected a Rule, as RULES['lead']")
        thresholds = rules[rule] if isinstance(rules, Mapping) else thresholds_of(rule)
        try:
            tried[rule] = [float(rule.range.read(threshold)) for threshold in thresholds]
        except ValueError as error:
            raise BadInput(f"rules: a threshold of {rule.name}: {error}") from None
    if not tried or not all(tried.values()):
        raise BadInput("rules: found none, or one without a threshold")
    return tried


def thresholds_of(rule: Rule) -> list[float]:
    """The usual threshold of a rule and the others to try, in ascending order."""
    return sorted({*map(float, rule.thresholds), float(rule.usual)})


def _most(pools: AnswerPools, n_max: int, key: Key) -> int:
    """The largest N up to n_max that every question reaches. Raises BadInput if there is no vote to end."""
    if (pools.votes < 0).all():
        raise BadInput(f"{key}: no answer could be read: there is no vote to end")
    smallest = int(pools.sizes.min())
    if smallest < 2:
        short = int((pools.sizes < 2).sum())
        raise BadInput(f"{key}: one answer to {plural(short, 'question')}: a rule needs two or more")
    if smallest < n_max:
        short = int((pools.sizes < n_max).sum())
        warnings.warn(
            f"{key}: N_max = {smallest}: {short} of {pools.sizes.size} questions have fewer than "
            f"{n_max} answers",
            stacklevel=3,
        )
    return min(n_max, smallest)


@dataclass(frozen=True)
class _Group:
    """The replayed answers of one setting."""

    pools: AnswerPools
    most: int
    orders: int
    seed: int

    @cached_property
    def replay(self) -> Replay:
        """The answers in random orders."""
        return Replay(self.pools, random_orders(self.pools, self.orders, self.seed), self.most)

    @cached_property
    def finishing(self) -> Replay:
        """The same answers, asked for all at once, in the order in which they finish."""
        return Replay(self.pools, self.replay.orders, self.most, all_at_once=True)

    def rows(self, tried: Thresholds) -> Iterator[tuple[dict[str, object], Outcome]]:
        """Yield everything that is replayed: the cells that are means over questions, and the outcome."""
        for rule, thresholds in tried.items():
            usual = rule.usual if rule.usual in thresholds else thresholds[0]
            possible = [each for each in thresholds if not rule.plain or each <= self.most]
            for threshold in possible:
                yield self._row(self.replay, rule, threshold, 1)
            for block in BATCHES if usual in possible else ():
                yield self._row(self.replay, rule, usual, block)
            if self._has_tokens and not rule.plain:
                yield self._row(self.finishing, rule, usual, 1)

    def _row(
        self, replay: Replay, rule: Rule, threshold: float, block: int | str
    ) -> tuple[dict[str, object], Outcome]:
        got = replay.outcome(replay.stop(rule, threshold, block))
        order, batch = ("finishing", ALL) if replay.all_at_once else ("random", str(block))
        cells = {
            "rule": rule.name,
            "threshold": threshold,
            "order": order,
            "batch": batch,
            "tokens": float(got.tokens.mean()) if self._has_tokens else np.nan,
            "share": float(got.tokens.mean() / (self.most * self._cost.mean())),
            "answers": float(got.answers.mean()),
            "rounds": 1.0 if batch == ALL else float(got.rounds.mean()),
            "accuracy": float(got.accuracy.mean()),
            "agreement": float(got.agreement.mean()),
            "worst_tenth": worst(got.agreement),
            "false_stops": np.nan if rule.plain else float(got.false_stops.mean()),
            "delta": rule.delta(threshold) if rule.delta else np.nan,
        }
        return cells, got

    def table(self, tried: Thresholds) -> pd.DataFrame:
        """The rows with their intervals."""
        rows = list(self.rows(tried))
        whole = whole_vote(self.pools.counts())
        against_whole = np.stack([outcome.accuracy - whole for _, outcome in rows], axis=1)
        fixed = [self._fixed(outcome) for _, outcome in rows]
        against_fixed = np.stack([difference for difference, *_ in fixed], axis=1)
        questions = self.pools.question_ids
        clusters = self.pools.clusters
        looked_at = Measured(clusters or questions, np.concatenate([against_whole, against_fixed], axis=1))
        of_each = level_of_each([looked_at], LEVEL)
        whole_found, fixed_found = (
            mean_differences(differences, LEVEL, of_each, clusters)
            for differences in (against_whole, against_fixed)
        )
        table = pd.DataFrame([cells for cells, _ in rows]).assign(
            difference=whole_found.mean,
            low=whole_found.interval.low,
            high=whole_found.interval.high,
            N_fixed=[n for _, n, _ in fixed],
            agreement_fixed=[agreement for _, _, agreement in fixed],
            difference_fixed=fixed_found.mean,
            low_fixed=fixed_found.interval.low,
            high_fixed=fixed_found.interval.high,
            level=LEVEL,
        )
        table = pd.concat([table, self._clairvoyant()], ignore_index=True)
        of_all = self.replay.agreement[-1]
        table = table.assign(n_max=self.most, questions=len(questions), agreement_all=of_all)
        return table.replace([np.inf, -np.inf], np.nan)

    @cached_property
    def _has_tokens(self) -> bool:
        """Whether the tokens of all answers are known."""
        return not np.isnan(self.pools.tokens).any()

    @cached_property
    def _cost(self) -> Floats:
        """(Q,) mean cost of an answer."""
        totals = np.add.reduceat(self.replay.costs, self.pools.starts[:-1])
        return np.asarray(totals / self.pools.sizes)

    @cached_property
    def _curve(self) -> Floats:
        """(Q, most) exact accuracy of the vote at each N."""
        return accuracy_by_question(self.pools.counts(), "majority", np.arange(1, self.most + 1))

    def _fixed(self, outcome: Outcome) -> tuple[Floats, float, float]:
        """The rule's accuracy minus that of a fixed N of equal cost, by question; that N; its agreement."""
        n = float(outcome.tokens.mean() / self._cost.mean())
        pull = (outcome.tokens - n * self._cost) / self._cost.mean()
        accuracy = at_fraction(self._curve, np.array([n]), pull[:, None])[:, 0]
        if np.isnan(accuracy).all():
            return accuracy, np.nan, np.nan
        agreement = float(np.interp(n, np.arange(1, self.most + 1), self.replay.agreement))
        return outcome.accuracy - accuracy, n, agreement

    def _clairvoyant(self) -> pd.DataFrame:
        """The rows of a clairvoyant who knows which lead is best for each question."""
        points = clairvoyant(self.replay)
        cost = points.pop("cost")
        return points.assign(
            rule=CLAIRVOYANT,
            order="random",
            batch="1",
            share=cost / (self.most * self._cost.mean()),
            tokens=cost if self._has_tokens else np.nan,
        )


def clairvoyant(replay: Replay) -> pd.DataFrame:
    """Points of least cost for their agreement: cost, answers, rounds, agreement, accuracy, worst_tenth.

    The threshold of a point is its value of agreement (PRICES). Each question's lead is chosen by its mean
    over the orders replayed, which makes the points slightly too good: they are a bound.
    """
    leads = [k for k in range(1, replay.most + 1) if k <= 12 or k % 4 == 0]
    outcomes = [replay.outcome(replay.stop(RULES["lead"], k)) for k in leads]
    columns = {"cost": "tokens"} | {name: name for name in ("answers", "rounds", "agreement", "accuracy")}
    table = {}
    for column, name in columns.items():
        table[column] = np.stack([getattr(outcome, name) for outcome in outcomes])
    every, whole = np.arange(table["cost"].shape[1]), table["cost"].max(axis=0).mean()
    rows = []
    for price in PRICES:
        best = np.argmin(table["cost"] - price * whole * table["agreement"], axis=0)
        chosen = {name: values[best, every] for name, values in table.items()}
        means = {name: float(values.mean()) for name, values in chosen.items()}
        rows.append({"threshold": price, **means, "worst_tenth": worst(chosen["agreement"])})
    return pd.DataFrame(rows)


def worst(agreement: Floats) -> float:
    """The mean over the worst questions, a share WORST of all."""
    count = int(np.ceil(WORST * agreement.size))
    return float(np.sort(agreement)[:count].mean())

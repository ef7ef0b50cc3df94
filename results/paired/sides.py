"""The sides of a comparison: the answers of one run at one setting, and their cost.

A run is one model in one samples table. If every run has a different model, a run is named
after its model, as in curves and reports. Otherwise it has the name of its table, followed by
the model's name if the table holds several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.methods import BY_SCORE, METHODS
from results.tables.key import UNNAMED, Key, check_names
from results.tables.money import COST, MILLION, Price, cost_of_score, no_prompts
from results.terminal import visible
from results.votes.curves import usual_methods
from results.votes.exact import AnswerPools, Floats, answer_pools
from results.votes.scored import accuracy_by, score_column
from results.votes.setting import sampled_groups

MOST = 1000
"""The largest N that is compared: up to it, one pass gives the vote at every N."""


@dataclass(frozen=True)
class Side:
    """The answers of one run at one setting.

    table: the name of the samples table it comes from; golds: known right answers, by question;
    price: of one token, in any unit; beside: the cost of an answer to each question besides its
    tokens; score_cost: the tokens that the score of an answer takes, NaN if unknown; votes:
    whether the answers can vote, unlike mere verdicts.
    """

    table: str
    dataset: str
    run: str
    setting: str
    pools: AnswerPools
    golds: pd.Series[str]
    price: float
    beside: pd.Series[float] | None = None
    score_cost: float = np.nan
    model: str = ""
    votes: bool = True

    @property
    def named(self) -> str:
        """Run and setting, in a form safe to print."""
        return visible(str(Key("", "", self.run, self.setting)))

    def on(self, questions: Sequence[str]) -> Side:
        """The side restricted to these questions."""
        keep = np.isin(self.pools.question_ids, questions)
        return self if keep.all() else replace(self, pools=self.pools.kept(keep.repeat(self.pools.sizes)))

    def allows(self, method: str) -> bool:
        """Whether the method can be used on these answers."""
        return self.votes or not METHODS[method].votes

    @cached_property
    def most(self) -> int:
        """The largest N for which every question has enough answers."""
        return min(int(self.pools.sizes.min()), MOST)

    @cached_property
    def _curves(self) -> dict[str, Floats]:
        return {}

    def curve(self, method: str) -> Floats:
        """The exact accuracy of each question at N = 1 … most: (Q, most)."""
        if method not in self._curves:
            every = np.arange(1, self.most + 1)
            self._curves[method] = accuracy_by(self.pools, method, every)
        return self._curves[method]

    @cached_property
    def cost(self) -> Floats:
        """Mean cost of an answer to each question, (Q,); NaN if an answer has no token count."""
        of_tokens = self.price * self.pools.tokens_of_questions if self.price else 0.0
        if self.beside is None:
            return np.asarray(of_tokens)
        return np.asarray(of_tokens + self.beside.reindex(self.pools.question_ids).to_numpy())

    def cost_by(self, method: str) -> Floats:
        """`cost` plus that of the score, if the method uses one; NaN if the score's cost is unknown."""
        if method not in BY_SCORE:
            return self.cost
        known = self.price or self.score_cost == 0  # a column `cost` does not include the scores
        return self.cost + (self.price * self.score_cost if known else np.nan)


def sides_of(
    tables: Mapping[str, pd.DataFrame],
    prices: Mapping[str, Price],
    score: str | None = None,
    score_cost: float | None = None,
    weights: str | None = None,
) -> list[Side]:
    """Every run at every setting, in the order of the tables, then by name. Greedy answers are left out.

    prices: by model, run or table; without prices, the column `cost` if all answers have it,
    else tokens. score: the column of scores, and `weights` how they become weights
    (`results.votes.scored`); score_cost: the tokens that a score takes, by default as the
    samples give them (`results.tables.money`). Raises BadInput if a run has no price, a price
    matches no run, or a table lacks the scores.
    """
    sides, used = [], set[str]()
    for name, table in tables.items():
        if not (table["decoding"] == "sample").any():
            raise BadInput(f"{visible(name)}: no sampled answers: greedy ones alone cannot be voted on")
    own_costs = costs_known(tables)
    runs = _run_names({name: list(table["model"].unique()) for name, table in tables.items()})
    check_names(runs.values(), "the runs")
    for name, given in tables.items():
        table, column, logs = given, None, False
        if score is not None:
            table, column, logs = score_column(given, score, weights)
        usual = usual_methods(table)
        by_name = sorted(sampled_groups(table), key=lambda group: group[0].whose)  # rows may be in any order
        for key, rows in by_name:
            run = runs[name, key.model]
            price, beside = (0.0, _by_question(rows, COST)) if own_costs and not prices else (1.0, None)
            if prices:
                spelt = _priced_as((key.model, run, name), prices)
                used.add(spelt)
                spent = prices[spelt]
                price, beside = spent.answers / MILLION, _prompts_paid(rows, spelt, spent)
            side = Side(
                table=name,
                dataset=key.dataset,
                run=run,
                setting=key.setting,
                pools=answer_pools(rows, column, logs),
                golds=golds_of(rows),
                price=price,
                beside=beside,
                score_cost=cost_of_score(rows, column) if score_cost is None else score_cost,
                model=key.model,
                votes="majority" in usual[key.whose],
            )
            sides.append(side)
    for spelt in prices.keys() - used:
        known = ", ".join(dict.fromkeys(side.run for side in sides))
        raise BadInput(
            f"--price: no run or model is called {visible(repr(spelt))}; the runs: {visible(known)}"
        )
    return sides


def _priced_as(names: tuple[str, str, str], prices: Mapping[str, Price]) -> str:
    """The name under which a run has its price: its model's, its own or its table's. Raises BadInput."""
    model, run, _ = names
    for name in names:
        if name in prices:
            return name
    others = "" if model in (UNNAMED, run) else f" (model {model})"
    raise BadInput(
        f"--price: no price for {visible(run + others)}, only for {visible(', '.join(prices))}: "
        "give every run a price, or none"
    )


def costs_known(tables: Mapping[str, pd.DataFrame]) -> bool:
    """Whether every sampled answer has its cost in the column `cost`."""
    return all(
        COST in table and table.loc[table["decoding"] == "sample", COST].notna().all()
        for table in tables.values()
    )


def _prompts_paid(rows: pd.DataFrame, name: str, price: Price) -> pd.Series[float] | None:
    """The cost of the prompt of an answer to each question, if prompts are paid for. Raises BadInput."""
    if not price.prompts:
        return None
    rows = rows.assign(prompt_tokens=price.prompt_tokens(rows))
    if rows["prompt_tokens"].isna().all():
        raise BadInput(no_prompts(name, price))
    tokens = _by_question(rows, "prompt_tokens")
    return tokens.fillna(tokens.mean()) * (price.prompts / MILLION)


def _by_question(rows: pd.DataFrame, column: str) -> pd.Series[float]:
    """The mean of a column for each question."""
    return rows[column].astype("float64").groupby(rows["question_id"]).mean()


def _run_names(models: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """The name of each run, by table and model; models: the models of each table."""
    runs = [(table, model) for table, names in models.items() for model in names]
    told_apart = {model for _, model in runs}
    if len(told_apart) == len(runs) and UNNAMED not in told_apart:
        return {run: run[1] for run in runs}
    return {(table, model): table if len(models[table]) == 1 else f"{table} {model}" for table, model in runs}


def golds_of(rows: pd.DataFrame) -> pd.Series[str]:
    """The right answer of each question for which it is known."""
    known = rows.reindex(columns=["question_id", "gold"]).dropna().drop_duplicates("question_id")
    return known.set_index("question_id")["gold"]

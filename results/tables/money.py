"""The cost of answers in US dollars, from prices or a column, and of their scores in tokens.

    --price small=0.4          $0.40 per million tokens of answers
    --price large=3:15         $3 per million tokens of prompts, $15 per million tokens of answers
    --price large=3:0.3:15     the same, with $0.30 per million cached prompt tokens
    a column `cost`            the cost of each answer in US dollars; for models without a price

The score of an answer costs the tokens that a judge read and wrote, given in a column.

    score_judge  tokens_judge
    0.93         213
    0.93         0              the same answer as above, which was judged only once
    cost_of_score(samples, "score_judge")  106.5
    cost_of_score(samples, "logprob")  0.0: log-probabilities come with the answers

A token read counts as much as one written: each takes the model one forward pass. Users whose
prices differ can give the cost of a score themselves (`--score-cost`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.terminal import visible

MILLION = 1e6
"""Prices are per this many tokens."""

COST = "cost"
"""The column of the cost of an answer, in US dollars."""

OTHERS = ""
"""In a mapping from setting to cost: all other settings."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens of answers and, if prompts are paid for, of prompts.

    cached: the price of prompt tokens that the server had in its cache; None: the price of the others.
    """

    answers: float
    prompts: float = 0.0
    cached: float | None = None

    def __str__(self) -> str:
        """The price as users write it: "0.4", "3:15", "3:0.3:15"."""
        amounts = [self.prompts or None, self.cached, self.answers]
        return ":".join(f"{amount:.12g}" for amount in amounts if amount is not None)

    def prompt_tokens(self, samples: pd.DataFrame) -> "pd.Series[float]":
        """The prompt tokens paid for each answer, cached ones weighted by price; NaN if unknown.

        Servers include cached tokens in the prompt tokens. If only some answers give cached tokens, the
        others are taken to have none.
        """
        columns = samples.reindex(columns=["prompt_tokens", "cached_tokens"]).astype("float64")
        tokens, cached = columns["prompt_tokens"], columns["cached_tokens"]
        if self.cached is None:
            return tokens
        if cached.isna().all():
            return cached
        return tokens - (1 - self.cached / self.prompts) * cached.fillna(0.0).clip(upper=tokens)


@dataclass(frozen=True)
class Paid:
    """The cost of one model's answers to one data set: `price` US dollars per million tokens (NaN if
    unknown), and in addition `beside` US dollars per 1,000 answers, by setting."""

    price: float = math.nan
    beside: Mapping[str, float] = field(default_factory=dict)

    def usd(self, rows: pd.DataFrame) -> "pd.Series[float]":
        """US dollars per 1,000 questions for each row, from setting, N and `cost` (tokens per question)."""
        tokens = rows["cost"].astype("float64")  # in a nullable column, NaN would not be null
        of_tokens = tokens * self.price / 1_000 if self.price else 0.0 * rows["N"].astype("float64")
        if not self.beside:
            return of_tokens
        others = self.beside.get(OTHERS, math.nan)
        each = [self.beside.get(str(setting), others) for setting in rows["setting"]]
        return of_tokens + pd.Series(each, index=rows.index) * rows["N"].astype("float64")


@dataclass(frozen=True)
class Money:
    """Prices by model, and the mean prompt tokens and cost of an answer by data set, model and setting."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    prompts: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    costs: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, prices: Mapping[str, Price], samples: pd.DataFrame) -> "Money":
        """Money from `prices`, and from the prompt tokens and costs of the samples, if any."""
        sampled = samples[samples["decoding"] == "sample"]
        tokens = sampled.reindex(columns=["prompt_tokens"])["prompt_tokens"].astype("float64")
        for model in prices.keys() & set(sampled["model"]):
            own = sampled["model"] == model
            tokens = tokens.mask(own, prices[model].prompt_tokens(sampled[own]))
        prompts = _means(sampled.assign(prompt_tokens=tokens), "prompt_tokens")
        return cls(prices, prompts, _means(sampled, COST, of_all=True))

    def paid(self, dataset: str, model: str) -> Paid:
        """The cost of a model's answers to a data set. Raises BadInput if prompts cost but have no length."""
        own, price = (dataset, model), self.prices.get(model)
        if price is None:
            costs = {setting: 1_000 * usd for setting, usd in self.costs.get(own, {}).items()}
            return Paid(0.0, costs) if costs else Paid()
        if not price.prompts:
            return Paid(price.answers)
        prompts = self.prompts.get(own)
        if not prompts:
            raise BadInput(no_prompts(model, price))
        beside = {setting: tokens * price.prompts / 1_000 for setting, tokens in prompts.items()}
        return Paid(price.answers, beside | {OTHERS: sum(beside.values()) / len(beside)})

    def check(self, models: Iterable[str], whose: Iterable[tuple[str, str]]) -> None:
        """Raise BadInput for a price of a model not in `models`, or of prompts of unknown length.

        whose: the pairs of data set and model whose answers are to be bought.
        """
        models = list(dict.fromkeys(models))
        if unknown := [name for name in self.prices if name not in models]:
            raise BadInput(
                visible(f"--price {unknown[0]}: no such model here; there are {', '.join(models)}")
            )
        for dataset, model in whose:
            self.paid(dataset, model)

    def usd(self, rows: pd.DataFrame) -> "pd.Series[float]":
        """US dollars per 1,000 questions for rows of several models and data sets."""
        amounts = np.full(len(rows), math.nan)
        for dataset, model in rows[["dataset", "model"]].drop_duplicates().itertuples(index=False):
            own = ((rows["dataset"] == dataset) & (rows["model"] == model)).to_numpy()
            amounts[own] = self.paid(dataset, model).usd(rows[own])
        return pd.Series(amounts, index=rows.index)


NO_MONEY = Money()
"""For answers whose cost is unknown."""


def no_prompts(model: str, price: Price) -> str:
    """The message that a model's prompts have a price but no length."""
    columns = "a column prompt_tokens" if price.cached is None else "columns prompt_tokens and cached_tokens"
    return visible(
        f"--price {model}={price}: its prompts are of unknown length: give samples with {columns}, or "
        f"--price {model}={price.answers:.12g} to leave prompts out"
    )


def _means(
    samples: pd.DataFrame, column: str, of_all: bool = False
) -> dict[tuple[str, str], dict[str, float]]:
    """The mean over questions of a column, by data set and model, then by setting; none if unknown.

    of_all: skip a model on a data set unless every one of its answers has a number.
    """
    if column not in samples:
        return {}
    known = samples[column].notna()
    if of_all:
        known = known.groupby([samples["dataset"], samples["model"]]).transform("all")
    of_each = samples[known].groupby(["dataset", "model", "setting", "question_id"], observed=True)
    means = of_each[column].mean().groupby(level=[0, 1, 2]).mean()
    by_model: dict[tuple[str, str], dict[str, float]] = {}
    for dataset, model, setting, mean in means.reset_index().itertuples(index=False):
        by_model.setdefault((dataset, model), {})[setting] = float(mean)
    return by_model


def columns_of_score(score: str) -> tuple[str, ...]:
    """The columns that may hold a score of that name and its tokens."""
    return (score, f"score_{score}", tokens_column(score))


def tokens_column(score: str) -> str:
    """The column with the tokens spent on a score, given its name or its column."""
    return f"tokens_{score.removeprefix('score_')}"


def cost_of_score(answers: pd.DataFrame, column: str | None) -> float:
    """The mean tokens per answer spent on the scores of that column; NaN if unknown."""
    if column == "logprob":
        return 0.0
    tokens = answers.get(tokens_column(column or ""), pd.Series(dtype=float))
    return float(pd.to_numeric(tokens, errors="coerce").mean())

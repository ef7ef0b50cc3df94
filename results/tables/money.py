"""What answers cost: in US dollars, by prices or by a column of their own, and their scores in tokens.

    --price small=0.4          $0.40 for a million tokens of answers
    --price large=3:15         $3 for a million tokens of prompts, $15 for one of answers
    --price large=3:0.3:15     of those prompt tokens that were cached, $0.30
    a column `cost`            what each answer cost, in US dollars; for models without a price

The score of an answer costs the tokens that a judge read and wrote, a column beside it.

    score_judge  tokens_judge
    0.93         213
    0.93         0              of an answer like the one above, which was judged once
    cost_of_score(samples, "score_judge")  106.5
    cost_of_score(samples, "logprob")  0.0: log-probabilities come with the answers

A token read counts as much as one written: for the model that computes it, both are one pass.
Who pays by other prices gives a number of their own (`--score-cost`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.terminal import visible

MILLION = 1e6
"""So many tokens a price is of."""

COST = "cost"
"""The column of what an answer cost, in US dollars."""

OTHERS = ""
"""Among what settings cost: any other setting."""


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens, those of answers and, where they are counted, those of prompts.

    cached: of the prompt tokens that the server had in its cache; None: as of the others.
    """

    answers: float
    prompts: float = 0.0
    cached: float | None = None

    def __str__(self) -> str:
        """As it is given: "0.4", "3:15", "3:0.3:15"."""
        amounts = [self.prompts or None, self.cached, self.answers]
        return ":".join(f"{amount:.12g}" for amount in amounts if amount is not None)

    def prompt_tokens(self, samples: pd.DataFrame) -> "pd.Series[float]":
        """Those that are paid for each answer, a cached one as a part of one; NaN where not known.

        The server counts cached tokens among those of the prompt. Where some answers have their number, none
        was cached for the others.
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
    """What the answers of one model to one data set cost: `price` US dollars for a million of their tokens,
    NaN where not known, and `beside` that so many for 1,000 answers, by setting."""

    price: float = math.nan
    beside: Mapping[str, float] = field(default_factory=dict)

    def usd(self, rows: pd.DataFrame) -> "pd.Series[float]":
        """US dollars for 1,000 questions of each row, by its setting, N and `cost`, tokens of a question."""
        tokens = rows["cost"].astype("float64")  # a NaN among nullables is no null
        of_tokens = tokens * self.price / 1_000 if self.price else 0.0 * rows["N"].astype("float64")
        if not self.beside:
            return of_tokens
        others = self.beside.get(OTHERS, math.nan)
        each = [self.beside.get(str(setting), others) for setting in rows["setting"]]
        return of_tokens + pd.Series(each, index=rows.index) * rows["N"].astype("float64")


@dataclass(frozen=True)
class Money:
    """Prices by model, and means of the answers by data set, model and setting: prompt tokens, own cost."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    prompts: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    costs: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, prices: Mapping[str, Price], samples: pd.DataFrame | None) -> "Money":
        """Money by `prices`, and by what the samples, if there are any, say of themselves."""
        if samples is None:
            return cls(prices)
        sampled = samples[samples["decoding"] == "sample"]
        tokens = sampled.reindex(columns=["prompt_tokens"])["prompt_tokens"].astype("float64")
        for model in prices.keys() & set(sampled["model"]):
            own = sampled["model"] == model
            tokens = tokens.mask(own, prices[model].prompt_tokens(sampled[own]))
        prompts = _means(sampled.assign(prompt_tokens=tokens), "prompt_tokens")
        return cls(prices, prompts, _means(sampled, COST, of_all=True))

    def paid(self, dataset: str, model: str) -> Paid:
        """What the answers of a model to a data set cost. Raises BadInput where its prompts are not known."""
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
        """Raise BadInput for the price of a model that is none of these, or of prompts of unknown length.

        whose: the data sets and models that answers are bought of.
        """
        models = list(dict.fromkeys(models))
        if unknown := [name for name in self.prices if name not in models]:
            raise BadInput(
                visible(f"--price {unknown[0]}: no such model here; there are {', '.join(models)}")
            )
        for dataset, model in whose:
            self.paid(dataset, model)

    def usd(self, rows: pd.DataFrame) -> "pd.Series[float]":
        """US dollars for 1,000 questions of the rows of several models and data sets."""
        amounts = np.full(len(rows), math.nan)
        for dataset, model in rows[["dataset", "model"]].drop_duplicates().itertuples(index=False):
            own = ((rows["dataset"] == dataset) & (rows["model"] == model)).to_numpy()
            amounts[own] = self.paid(dataset, model).usd(rows[own])
        return pd.Series(amounts, index=rows.index)


NO_MONEY = Money()
"""Where nothing is known of what answers cost."""


def no_prompts(model: str, price: Price) -> str:
    """That the prompts of a model have a price and no length."""
    columns = "a column prompt_tokens" if price.cached is None else "columns prompt_tokens and cached_tokens"
    return visible(
        f"--price {model}={price}: its prompts are of unknown length: give samples with {columns}, or "
        f"--price {model}={price.answers:.12g} to leave prompts out"
    )


def _means(
    samples: pd.DataFrame, column: str, of_all: bool = False
) -> dict[tuple[str, str], dict[str, float]]:
    """The mean over questions of a column, by data set and model, and by setting; nothing where not known.

    of_all: it is known only where every answer of a model to a data set has a number.
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
    """The columns that may hold a score of that name and what it took."""
    return (score, f"score_{score}", tokens_column(score))


def tokens_column(score: str) -> str:
    """The column of the tokens that the scores of a name, or of a column, took."""
    return f"tokens_{score.removeprefix('score_')}"


def cost_of_score(answers: pd.DataFrame, column: str | None) -> float:
    """The tokens that a score of that column took, in the mean over the answers; NaN: not known."""
    if column == "logprob":
        return 0.0
    tokens = answers.get(tokens_column(column or ""), pd.Series(dtype=float))
    return float(pd.to_numeric(tokens, errors="coerce").mean())

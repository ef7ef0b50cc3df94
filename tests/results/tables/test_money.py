"""Costs of answers against sums over answers: prices × prompts × own costs × models × settings."""

from itertools import product

import click
import numpy as np
import pandas as pd
import pytest

from results import BadInput
from results.cli.options import price_option
from results.paired.sides import sides_of
from results.tables.contract import as_samples
from results.tables.money import Money, Price
from tests.predict.conftest import simulated_samples

MODELS, SETTINGS = ("small", "large=8b"), ("40", "80")


@click.command()
@price_option()
def prices_given(prices: dict[str, Price]) -> dict[str, Price]:
    return prices


def answers(prompts: bool, costs: bool, cached: bool = False) -> pd.DataFrame:
    tables = []
    for seed, model in enumerate(MODELS):
        table = simulated_samples(6, 4, SETTINGS, seed)
        table = table[table.index % 7 > 0].reset_index(drop=True)  # all questions count the same
        tokens = np.random.default_rng(seed).integers(10, 90, (3, len(table)))
        table = table.assign(model=model, dataset="sums", tokens=tokens[0])
        table = table.assign(prompt_tokens=tokens[1]) if prompts else table
        if cached:  # some exceed the prompt
            table = table.assign(cached_tokens=pd.Series(tokens[0] % 70, dtype="Int64"))
            table.loc[::3, "cached_tokens"] = pd.NA
        tables.append(table.assign(cost=tokens[2] / 1e4) if costs else table)
    return as_samples(pd.concat(tables, ignore_index=True))


@pytest.mark.parametrize(
    ("prompts", "costs", "cached", "paid"),
    [*product((True, False), (True, False), (True, False), ("2", "3:2", "3:0.5:2", ""))],
)
def test_money_is_the_sum_over_the_answers(prompts: bool, costs: bool, cached: bool, paid: str) -> None:
    table = answers(prompts, costs, cached)
    options = [word for model in MODELS if paid for word in ("--price", f"{model}={paid}")]
    prices = prices_given.main(options, standalone_mode=False)
    by = ["dataset", "model", "setting"]
    rows = table.groupby([*by, "question_id"])["tokens"].mean().groupby(by).mean().reset_index()
    rows = rows.assign(N=8, cost=8 * rows["tokens"].astype(float)).iloc[::-1]
    if ":" in paid and not (prompts and (cached or paid == "3:2")):
        with pytest.raises(BadInput, match=f"={paid}: .* prompt_tokens"):
            Money.of(prices, table).usd(rows)
        with pytest.raises(BadInput, match="prompt_tokens"):
            sides_of({"t": table}, prices)
        return
    each = table["cost"] if costs and not paid else table["tokens"] * (2e-6 if paid else np.nan)
    each = each + (table["prompt_tokens"] * 3e-6 if ":" in paid else 0.0)
    if paid == "3:0.5:2":  # each prompt token is paid once, at one price or the other
        told = table["cached_tokens"].fillna(0)
        both = told.where(told < table["prompt_tokens"], table["prompt_tokens"])
        each = each - both * 2.5e-6
    whose = [table[name] for name in ("model", "setting", "question_id")]
    means = each.astype(float).groupby(whose).mean().groupby(level=[0, 1]).mean()
    expected = [8 * 1000 * means[row["model"], row["setting"]] for _, row in rows.iterrows()]
    assert Money.of(prices, table).usd(rows).tolist() == pytest.approx(expected, nan_ok=True)
    for side in sides_of({"t": table}, prices):
        own = side.pools.tokens_of_questions.mean()
        if paid or costs:
            own = means[side.run.removeprefix("t "), side.setting]
        assert side.cost.mean() == pytest.approx(own)


def test_a_new_setting_pays_the_prompts_of_the_others_and_has_no_cost_of_its_own() -> None:
    table = answers(prompts=True, costs=True)
    row = pd.DataFrame(
        {"dataset": ["sums"], "model": ["small"], "setting": ["new"], "N": [1], "cost": [100.0]}
    )
    own = table[table["model"] == "small"].groupby(["setting", "question_id"])["prompt_tokens"].mean()
    own = own.groupby("setting").mean().mean()
    priced = Money.of({"small": Price(2.0, 3.0)}, table)
    assert priced.usd(row).item() == pytest.approx(0.2 + 3e-3 * own)
    assert Money.of({}, table).usd(row).isna().all()


def test_a_cost_that_one_answer_lacks_is_not_known_and_greedy_answers_have_none() -> None:
    """It is unknown for that model and data set only, at all settings, as in `compare`."""
    once = answers(prompts=False, costs=True)
    table = pd.concat([once, once.assign(dataset="others")], ignore_index=True)
    row = table[["dataset", "model"]].drop_duplicates().assign(setting=SETTINGS[0], N=1, cost=1.0)
    greedy = table.head(1).assign(decoding="greedy", cost=1e3)
    whole = Money.of({}, pd.concat([table, greedy])).usd(row)
    assert whole.tolist() == Money.of({}, table).usd(row).tolist()
    lacking = table.assign(cost=table["cost"].mask(table.index == table.index[0]))
    found = Money.of({}, lacking).usd(row)
    assert found.isna().tolist() == [True, False, False, False]
    assert found[1:].tolist() == whole[1:].tolist()

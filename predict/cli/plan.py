"""`tts plan`: what to buy, how sure that is, and what stopping early would save."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import pandas as pd

from predict.estimate import Options
from predict.estimators import chosen, one_name
from predict.evidence.groups import Group
from predict.evidence.request import Request, read_asked
from predict.evidence.targets import split
from predict.forecast_table import caveats
from predict.planning.choices import check_new, forecast_choices, measured_choices, plan, without_cost
from results import BadInput, kind_of, read_samples
from results.arguments import goals_of
from results.commandline import say
from results.methods import BY_SCORE
from results.paired.sides import Side, sides_of
from results.stopping import RULES
from results.stopping.advice import advice as which_rule
from results.stopping.advice import usual_rows
from results.stopping.arena import arena_of, thresholds_of
from results.summary.buying import Plan
from results.tables.contract import check_out, sample_files
from results.tables.files import column_names, write_raw
from results.tables.key import Key
from results.tables.money import COST, NO_MONEY, Money, Price, columns_of_score
from results.terminal import plural
from results.words.buying import advice, plan_columns
from results.words.cells import count, described
from results.words.names import METHOD_NAMES, curves_name, predictor_name
from results.words.stopping import RULES as STOPPING_COLUMNS
from results.words.stopping import sentences

LEAST_VOTES = 8
"""A vote of fewer answers has little to save by stopping early."""


@dataclass(frozen=True)
class Offer:
    """The priced choices of one model on one data set, and the group they were forecast from, if any."""

    heading: str
    choices: pd.DataFrame
    group: Group | None = None


def run(
    inputs: tuple[Path, ...],
    target_accuracy: float | None,
    token_budget: float | None,
    predictor: str,
    method: str | None,
    max_n: int,
    bootstrap: int,
    seed: int,
    level: float,
    score: str | None,
    score_cost: float | None,
    prices: Mapping[str, Price],
    out: Path | None,
    plot: Any,
    **asked: Any,
) -> None:
    """Plan for every model and data set of the inputs; print the plans, and write and draw them if asked."""
    goals = goals_of(target_accuracy, token_budget)
    one_name(predictor)
    if out is not None:
        check_out(out, inputs)
    options, money = Options(bootstrap, seed, level), NO_MONEY
    if score is None:
        money = money_of(inputs, prices)
        groups = read_asked(inputs, method, request := Request(**asked))
        whose = [(group.key.dataset, group.key.model) for group in groups]
        money.check([model for _, model in whose], whose)
        groups = with_cost(groups)
        offers = forecast_offers(groups, predictor, max_n, options, request)
    else:
        offers = measured_offers(inputs, score, score_cost, max_n, level)
    plans = []
    for offer in offers:
        bought = plan(offer.choices, level, *goals, money)
        plans.append(bought)
        say(f"\n{offer.heading}")
        say(described(bought.frontier, plan_columns(bought)))
        say(advice(bought))
        if offer.group is not None:
            show_settled(offer.group, bought, options)
            for caveat in caveats(offer.group, options.replicates):
                say(f"warning: {offer.group.name}: {caveat}", err=True)
    if out is not None:
        goal = {"target_accuracy": target_accuracy, "token_budget": token_budget}
        whole = pd.concat([bought.options for bought in plans], ignore_index=True).assign(**goal)
        write_raw(whole, out)
        say(f"\n{plural(len(whole), 'row')} in {out}")
    if plot is not None:
        from results.report.selectors import plan_choices

        say("\n".join(plot.draw("Plan", plan_choices(plans))))


def money_of(inputs: Sequence[Path], prices: Mapping[str, Price]) -> Money:
    """The cost of answers; the samples are read only if prompts have a price or answers have a cost."""
    files = sample_files(*(path for path in inputs if kind_of(path) == "samples"))
    prompts = any(price.prompts for price in prices.values())
    priced = [file for file in files if prompts or COST in column_names(file)]
    if not priced:
        return Money(prices)
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # given when the samples are read for the forecast
        tables = [read_samples(file, texts=False) for file in priced]
    return Money.of(prices, pd.concat(tables, ignore_index=True))


def with_cost(groups: Sequence[Group]) -> list[Group]:
    """The groups with known costs, printing a note on each of the others; all groups if none has."""
    why = [without_cost(group) for group in groups]
    if all(why):
        return list(groups)  # refused later
    for group, reason in zip(groups, why, strict=True):
        if reason:
            say(f"note: no plan for {group.name}: {reason}", err=True)
    return [group for group, reason in zip(groups, why, strict=True) if not reason]


def forecast_offers(
    groups: Sequence[Group], predictor: str, max_n: int, options: Options, request: Request
) -> Iterator[Offer]:
    """Yield the choices of each group by its method, measured or forecast."""
    names = [chosen(predictor, group)[0] for group in groups]
    check_new(groups, request.at_settings)
    for group in groups:
        split(group, request)  # raises BadInput before the first forecast
    for group, name in zip(groups, names, strict=True):
        choices = forecast_choices(group, name, max_n, options, request.at_settings)
        heading = f"{group.title}, forecast by {predictor_name(choices)}"
        yield Offer(heading, choices, group)


def measured_offers(
    inputs: Sequence[Path], score: str, score_cost: float | None, max_n: int, level: float
) -> Iterator[Offer]:
    """Yield the measured choices of each model and data set, by majority vote and by score."""
    samples = read_samples(*inputs, texts=False, also=columns_of_score(score))
    samples = samples.drop(columns=COST, errors="ignore")  # plans by score are in tokens
    by_key = dict[Key, list[Side]]()
    for side in sides_of({", ".join(map(str, inputs)): samples}, {}, score, score_cost):
        by_key.setdefault(Key("llm", side.dataset, side.run), []).append(side)
    for key, sides in by_key.items():
        choices = measured_choices(sides, allowed_methods(sides, curves_name(key)), max_n, level)
        cost = "nothing" if sides[0].score_cost == 0 else f"{count(sides[0].score_cost)} tokens"
        heading = f"{curves_name(key)}; scoring an answer costs {cost}"
        yield Offer(heading, choices)


def allowed_methods(sides: Sequence[Side], name: str) -> tuple[str, ...]:
    """The methods by score that all sides allow: rewards below 0 can rank answers, but not weight them."""
    allowed: list[str] = []
    for method in [method for method in BY_SCORE if all(side.allows(method) for side in sides)]:
        try:
            for side in sides:
                side.curve(method)
        except BadInput as error:
            why = str(error).partition(";")[0]  # the rest is about options that a plan does not have
            say(f"note: {name}: no {METHOD_NAMES[method]}: {why}", err=True)
        else:
            allowed.append(method)
    return tuple(allowed)


def show_settled(group: Group, bought: Plan, options: Options) -> None:
    """Print what `tts stop` finds for the choice if it votes on LEAST_VOTES stored answers or more."""
    aim, target = bought.chosen, bought.target_accuracy
    if aim is None and target is not None and bought.best["upper"] >= target:
        aim = bought.best  # its interval reaches the goal
    if aim is None or group.run or group.method != "majority":
        return
    for pool in group.pools:
        most = min(int(aim["N"]), int(pool.answers.sizes.min()))
        if pool.setting == str(aim["setting"]) and most >= LEAST_VOTES:
            key = group.key.whose.at(pool.setting)
            tried = {rule: thresholds_of(rule) for rule in RULES.values()}
            table = arena_of(pool.answers, key, tried, most, seed=options.seed)
            say(f"\nThe same votes, stopped once settled (at most {most} answers, see `tts stop`):")
            say(described(usual_rows(table), STOPPING_COLUMNS))
            say("\n".join(sentences(which_rule(table))))

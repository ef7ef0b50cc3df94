"""`tts plan`: what to buy, how sure that is, and which cheap run would make it surer.

To reach 90.0 %: setting “high”, used 21,847 tokens, N = 4: 91.4 % (89.8 … 92.7 %) for 87,387 tokens …

The next run, to narrow an interval at setting high, N = 4, best value for tokens first:
setting  run                tokens in all  interval of           points
high     45 → 90 questions      7,864,798  new questions    ±6.4 → ±4.5
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from predict.cli.wording import (
    QUESTIONS,
    choice,
    described,
    percent,
    points,
    say,
    table,
    title,
    tokens,
    warn,
)
from predict.estimate import Options
from predict.estimators import CURVE_ONLY, DEFAULT, chosen, one_name
from predict.evidence.groups import Group
from predict.evidence.points import Points
from predict.evidence.request import Request, read_asked
from predict.planning.choices import forecast_choices, measured_choices, plan
from predict.planning.next_run import next_runs
from predict.planning.settled import RULE, settled
from predict.table import caveats
from results import BadInput, read_samples
from results.arguments import goals_of
from results.methods import BY_SCORE
from results.paired.sides import Side, sides_of
from results.summary.buying import Plan
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.tables.key import Key
from results.tables.score_cost import score_cost as recorded
from results.words.buying import plan_columns
from results.words.names import METHOD_NAMES, curves_name, predictor_name

LEAST_VOTES = 8
"""A smaller vote has little to save."""

WORTH_SAYING = 0.005
"""Luck of less than this is left to the table."""

NOISE, LEAST = 0.02, 0.001
"""A run must narrow the ± by more than this share, which is noise, and by more than a tenth of a point."""

ABOUT = {"answers": QUESTIONS["low"], "questions": QUESTIONS["new_low"]}
"""Whose interval a kind of run narrows."""


@dataclass(frozen=True)
class Offer:
    """The priced choices of one model on one data set, and what they were forecast from, if they were."""

    heading: str
    unit: str
    choices: pd.DataFrame
    group: Group | None = None
    predictor: str = ""


def run(
    inputs: tuple[Path, ...],
    target_accuracy: float | None,
    token_budget: float | None,
    predictor: str,
    method: str,
    max_n: int,
    bootstrap: int,
    target: str,
    seed: int,
    level: float,
    score: str | None,
    score_cost: float | None,
    out: Path | None,
    plot: Path | None,
    **asked: Any,
) -> None:
    """Plan with every model and data set of the inputs; print, write and draw what is asked for."""
    goals = goals_of(target_accuracy, token_budget)
    one_name(predictor)
    if out is not None:
        check_out(out, inputs)
    if plot is not None:
        from results.pictures import check_picture, draw_plans  # needs a plotting engine

        check_picture(plot)
    options = Options(bootstrap, seed, level)
    if score is None:
        groups = read_asked(inputs, method, request := Request(**asked))
        offers = forecast_offers(groups, predictor, max_n, options, request, target)
    else:
        offers = measured_offers(inputs, score, score_cost, max_n, level)
    plans = []
    for offer in offers:
        found = plan(offer.choices, level, *goals)
        plans.append(found)
        show(offer, found)
        if offer.group is not None:
            advise_on_runs(offer.group, offer.predictor, found, options)
    if out is not None:
        goal = {"target_accuracy": target_accuracy, "token_budget": token_budget}
        whole = pd.concat([found.options for found in plans], ignore_index=True).assign(**goal)
        write_raw(whole, out)
        say(f"\n{len(whole)} rows in {out}")
    if plot is not None:
        draw_plans(plans, plot)
        say(f"plot in {plot}")


def forecast_offers(
    groups: Sequence[Group], predictor: str, max_n: int, options: Options, request: Request, target: str
) -> Iterator[Offer]:
    """Of each group the choices of its method, measured or forecast."""
    for group in groups:
        (name,) = chosen(predictor, group)
        choices = forecast_choices(group, name, max_n, options, request.at_settings, target)
        heading = f"{title(group)}, forecast by {predictor_name(choices)}"
        yield Offer(heading, group.unit, choices, group, name)


def measured_offers(
    inputs: Sequence[Path], score: str, score_cost: float | None, max_n: int, level: float
) -> Iterator[Offer]:
    """Of each model and data set the vote and the choices by score, as they were measured."""
    also = (score, f"score_{score}")
    samples = {str(path): read_samples(path, texts=False, also=also) for path in inputs}
    costs = {str(path): recorded(path, score) if score_cost is None else score_cost for path in inputs}
    by_key = dict[Key, list[Side]]()
    for side in sides_of(samples, None, score, costs):
        by_key.setdefault(Key("llm", side.dataset, side.run), []).append(side)
    for key, sides in by_key.items():
        choices = measured_choices(sides, allowed_methods(sides), max_n, level)
        cost = "nothing" if sides[0].score_cost == 0 else f"{tokens(sides[0].score_cost)} tokens"
        heading = f"{curves_name(key)}; the score of an answer takes {cost}"
        yield Offer(heading, "tokens", choices)


def allowed_methods(sides: Sequence[Side]) -> tuple[str, ...]:
    """The methods by score that these scores allow: rewards below 0 rank answers and are no weights."""
    allowed: list[str] = []
    for method in BY_SCORE:
        try:
            for side in sides:
                side.curve(method)
        except BadInput as error:
            say(f"note: no {METHOD_NAMES[method]}: {error}", err=True)
        else:
            allowed.append(method)
    return tuple(allowed)


def show(offer: Offer, found: Plan) -> None:
    """Print the frontier, the choice, and the cautious choice."""
    say(f"\n{offer.heading}")
    say(described(found.frontier, plan_columns(found)))
    for sentence in what_to_buy(found, offer.unit):
        say(sentence)


def advise_on_runs(group: Group, predictor: str, found: Plan, options: Options) -> None:
    """Print which runs would make the choice surer, what it costs where votes stop, and what to beware of."""
    aim, target = found.chosen, found.target_accuracy
    if aim is None and target is not None and found.best["high"] >= target:
        aim = found.best  # the goal is within its interval
    if aim is not None and not group.run:
        propose(group, predictor, aim, options)
        say_settled(group, aim, options.seed)
    warn(group.name, caveats(group, options.replicates))


def what_to_buy(found: Plan, unit: str) -> list[str]:
    """What to buy, in one or two sentences."""
    target, budget = found.target_accuracy, found.token_budget
    cautious = "Going by the lower end of the interval"
    if target is not None:
        goal, cautious = f"To reach {percent(target)}", f"To reach {percent(target)} with the whole interval"
        nothing = f"no choice does; the best: {told(found, found.best)}"
    elif budget is not None:
        goal = f"Within {tokens(budget)} {unit} a question"
        nothing = f"no choice fits; the cheapest: {told(found, found.options.iloc[0])}"
    else:
        goal, nothing = f"Cheapest within a point of the best ({percent(found.best['predicted'])})", ""
    if found.chosen is None:
        return [f"{goal}: {nothing}."]
    sentences = [f"{goal}: {told(found, found.chosen)}.{luck(found.chosen)}"]
    if found.cautious is None:
        return [*sentences, f"{cautious}: no choice does."]
    same = found.cautious.equals(found.chosen)
    return [*sentences, f"{cautious}: {'the same' if same else told(found, found.cautious)}."]


def told(found: Plan, row: "pd.Series[Any]") -> str:
    """A choice in words, with its method where there are several."""
    method = f"{METHOD_NAMES[row['method']]}, " if len(found.methods) > 1 else ""
    return method + choice(row)


def luck(chosen: "pd.Series[Any]") -> str:
    """That the choice looks better by itself than is to be expected, by half a point or more."""
    if chosen["alone"] - chosen["predicted"] < WORTH_SAYING:
        return ""
    return f" By itself it is at {percent(chosen['alone'])}; the best of several settings is lucky, too."


def say_settled(group: Group, row: "pd.Series[float]", seed: int) -> None:
    """What the choice `row` costs where each vote ends when it is settled; of votes of 8 answers or more."""
    setting, N = str(row["setting"]), int(row["N"])
    pools = [pool for pool in group.pools if pool.setting == setting]
    if group.method != "majority" or not pools or N < LEAST_VOTES:
        return
    found = settled(pools[0].answers, N, seed)
    every = found.iloc[0]
    say(f"\nThe same votes ended when they are settled, and votes of fewer (at most {N} answers):")
    columns = {
        "vote": [rule.replace("fixed:", "of ").replace(":", " ") for rule in found["rule"]],
        f"{group.unit}/question": map(tokens, found["cost"]),
        "of all": map(percent, found["cost"] / every["cost"]),
        "answers": [f"{answers:.1f}" for answers in found["answers"]],
        "accuracy": map(percent, found["accuracy"]),
        "less the vote of all": map(points, found["accuracy"] - every["accuracy"]),
    }
    say(table(columns))
    say(f"docs/stopping.md recommends {RULE}; a run follows it with --set stop_rule={RULE}.")


def propose(group: Group, predictor: str, row: "pd.Series[float]", options: Options) -> None:
    """Print the runs that would narrow the intervals of the choice `row`, or why none is proposed."""
    if not group.pools or predictor in CURVE_ONLY:
        say(f"No next run is proposed: it takes samples, not curves, and --predictor {DEFAULT}.")
        return
    at = Points.grid({str(row["setting"]): row["cost"] / row["N"]}, [int(row["N"])])
    found = list(tqdm(next_runs(group, predictor, at, options), unit="run", disable=None, leave=False))
    useful = [run for run in found if run.width_now - run.width_then > max(2 * LEAST, NOISE * run.width_now)]
    useful.sort(key=lambda run: (run.width_then / run.width_now - 1) / run.tokens)
    if not useful:
        say("No next run is proposed: none would narrow the interval by a tenth of a point.")
        return
    say(
        f"\nThe next run, to narrow an interval at setting {row['setting']}, N = {row['N']}, "
        f"best value for {group.unit} first:"
    )
    columns = {
        "setting": [run.setting for run in useful],
        "run": [f"{run.now} → {run.then} {run.kind}" for run in useful],
        f"{group.unit} in all": [tokens(run.tokens) for run in useful],
        "interval of": [ABOUT[run.kind] for run in useful],
        "points": [f"±{points(run.width_now / 2)} → ±{points(run.width_then / 2)}" for run in useful],
    }
    say(table(columns))

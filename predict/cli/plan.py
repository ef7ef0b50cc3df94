"""`python -m predict plan`: what to buy, how sure that is, and which cheap run would make it surer.

To reach 85.0 %: setting “medium”, used 11,278 tokens, N = 1, 11,278 tokens a question: 85.5 % (80.1 … )
Best value for these questions: 8 → 16 answers at setting medium, 4,061,000 tokens in all, to narrow ±5.4 …
"""

from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.capped import SURVIVAL, CapRequest, Run, read_runs
from predict.cli import options as option
from predict.cli.proposal import propose
from predict.cli.wording import STATUS_WORDS, choice, intervals, percent, say, table, title, tokens, warn
from predict.forecasting import caveats
from predict.groups import Group, read_groups
from predict.planning.plan import Plan, choose, plan, price_caps
from predict.predictors import DEFAULT, chosen
from predict.protocol import Options
from results import BadInput
from results.tables.files import write_raw

Goals = tuple[float | None, float | None]
"""The accuracy to reach and the tokens to keep to."""


@click.command("plan", epilog="Example: python -m predict plan samples.jsonl --target-accuracy 0.8")
@option.sampled(DEFAULT, 300, least=1)
@click.option(
    "--target-accuracy", type=click.FloatRange(0, 1),
    help="Find the cheapest choice that reaches this accuracy.",
)  # fmt: skip
@click.option(
    "--token-budget", type=click.FloatRange(0, min_open=True),
    help="Find the best choice within this many tokens per question.",
)  # fmt: skip
@click.option("--max-n", default=64, show_default=True, type=click.IntRange(1), help="Largest N considered.")
@option.at_settings("Consider new settings too, as NAME=LENGTH in tokens per answer.")
@option.target
@option.out("Write a table of all choices.", required=False)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw them: a .png, .svg or .html file.")
def plan_command(
    inputs: tuple[Path, ...], target_accuracy: float | None, token_budget: float | None, predictor: str,
    method: str, max_n: int, at_settings: tuple[str, ...], fit_cap: int | None,
    at_caps: tuple[int, ...], bootstrap: int, target: str, seed: int, out: Path | None, plot: Path | None,
) -> None:  # fmt: skip
    """Choose setting and N: the cheapest choice that reaches an accuracy, or the best within a token budget.

    Prints the Pareto frontier, every choice that beats all cheaper ones, with its 90 % intervals: of more
    answers to these questions, and of new questions of their kind. Of samples the mixture, plug-in and
    beta-binomial also name the runs that narrow each interval of the choice most for their tokens. With
    neither goal the cheapest choice within a point of the best is taken.
    """
    if target_accuracy is not None and token_budget is not None:
        raise click.UsageError("give --target-accuracy or --token-budget, not both")
    if predictor == "all":
        raise click.UsageError("--predictor all: a plan needs one predictor")
    if out is not None:
        option.check_out(out, inputs)
    if plot is not None:
        from results.figures.plan import FIGURE_SUFFIXES, PlanView, save_plans  # needs a plotting engine

        if plot.suffix not in FIGURE_SUFFIXES:
            raise BadInput(f"--plot {plot}: give a name that ends in {', '.join(FIGURE_SUFFIXES)}")
    if any(goal is not None and np.isnan(goal) for goal in (target_accuracy, token_budget)):
        raise click.UsageError("--target-accuracy and --token-budget must be numbers, not nan")
    options = Options(replicates=bootstrap, seed=seed, target=target)
    goals = target_accuracy, token_budget
    ns = tuple(2**k for k in range(max_n.bit_length()))
    plans: list[tuple[Group, Plan]] = []
    if caps := option.cap_request(fit_cap, at_caps, None, ns, at_settings=at_settings, plot=plot):
        option.cap_predictors(predictor)
        tables = plan_caps(inputs, method, caps, options, goals)
    else:
        groups = read_groups(inputs, method)
        tables, plans = plan_groups(groups, predictor, max_n, options, goals, at_settings)
    if out is not None:
        write_raw(pd.concat(tables, ignore_index=True), out)
        say(f"\n{sum(map(len, tables))} rows in {out}")
    if plot is not None:
        views = [
            PlanView(group.source, group.dataset, group.model, group.method, found.options, *goals)
            for group, found in plans
        ]
        save_plans(views, plot)
        say(f"plot in {plot}")


def plan_groups(
    groups: list[Group], predictor: str, max_n: int, options: Options, goals: Goals,
    new_settings: tuple[str, ...],
) -> tuple[list[pd.DataFrame], list[tuple[Group, Plan]]]:  # fmt: skip
    """Print a plan for every group. Returns all choices, and the plans. Raises BadInput."""
    tables, plans = [], []
    for group in groups:
        (name,) = chosen(predictor, group)
        found = plan(group, name, max_n, options, *goals, new_settings)
        show(title(group), group.unit, name, found, *goals)
        if found.chosen is not None:
            propose(group, name, found.chosen, max_n, options)
        elif goals[0] is not None and found.best["high"] >= goals[0]:  # within the interval
            propose(group, name, found.best, max_n, options)
        warn(group.name, caveats(group, options.replicates))
        tables.append(named(found, group, group.method, name, goals))
        plans.append((group, found))
    return tables, plans


def plan_caps(
    inputs: tuple[Path, ...], method: str, request: CapRequest, options: Options, goals: Goals
) -> list[pd.DataFrame]:
    """Print a plan among hard caps for every run of the samples. Returns all choices. Raises BadInput."""
    tables = []
    for run in read_runs(inputs):
        found = choose(price_caps(run, request, method, options), *goals)
        show(run.title(method), "tokens", SURVIVAL, found, *goals)
        tables.append(named(found, run, method, SURVIVAL, goals))
    return tables


def named(found: Plan, of: Group | Run, method: str, predictor: str, goals: Goals) -> pd.DataFrame:
    """All choices of a plan with what they are for, and the goal."""
    target, budget = goals
    return found.options.assign(
        dataset=of.dataset, model=of.model, method=method, predictor=predictor, target_accuracy=target,
        token_budget=budget,
    )  # fmt: skip


def show(
    heading: str, unit: str, predictor: str, found: Plan, target: float | None, budget: float | None
) -> None:
    """Print the frontier, the choice, and the cautious choice."""
    say(f"\n{heading}, forecast by {predictor}")
    rows = found.frontier
    columns = {
        f"{unit}/question": map(tokens, rows["cost"]),
        "setting": rows["setting"],
        f"{unit}/answer": map(tokens, rows["cost"] / rows["N"]),
        "N": rows["N"].astype(str),
        "accuracy": map(percent, rows["predicted"]),
        **intervals(rows),
        "status": rows["known"].where(
            rows["known"] == "measured", rows["status"].map(STATUS_WORDS.__getitem__)
        ),
    }
    say(table(columns))
    for sentence in verdict(found, target, budget, unit):
        say(sentence)


def verdict(found: Plan, target: float | None, budget: float | None, unit: str) -> list[str]:
    """What to buy, in one or two sentences."""
    cautious = "Going by the lower end of the interval"
    if target is not None:
        goal, cautious = f"To reach {percent(target)}", f"To reach {percent(target)} with the whole interval"
        nothing = f"no choice does; the best: {choice(found.best)}"
    elif budget is not None:
        goal = f"Within {tokens(budget)} {unit} a question"
        nothing = f"no choice fits; the cheapest: {choice(found.options.iloc[0])}"
    else:
        goal, nothing = f"Cheapest within a point of the best ({percent(found.best['predicted'])})", ""
    if found.chosen is None:
        return [f"{goal}: {nothing}."]
    sentences = [f"{goal}: {choice(found.chosen)}."]
    if found.cautious is None:
        return [*sentences, f"{cautious}: no choice does."]
    same = (found.cautious[["setting", "N"]] == found.chosen[["setting", "N"]]).all()
    return [*sentences, f"{cautious}: {'the same' if same else choice(found.cautious)}."]

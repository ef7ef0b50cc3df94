"""`python -m predict plan`: what to buy, how sure that is, and which cheap run would make it surer.

To reach 85.0 %: setting “medium”, used 11,278 tokens, N = 1, 11,278 tokens a question: 85.5 % (80.1 … )
Best value: 8 more answers to each question at setting medium, 4,061,000 tokens in all, to narrow ±5.4 …
"""

from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from predict.capped import SURVIVAL, CapRequest
from predict.cli import options as option
from predict.cli.capped import read_runs
from predict.cli.wording import STATUS_WORDS, choice, interval, percent, points, table, title, tokens
from predict.forecast import caveats
from predict.groups import Group, group_of_pools, make_pool, read_groups
from predict.planning.next_run import WORTHWHILE, advised, candidates, next_runs
from predict.planning.plan import Plan, choose, place, plan, price_caps
from predict.predictors import CURVE_ONLY, DEFAULT
from predict.protocol import Options
from results import BadInput
from results.figures.plan import FIGURE_SUFFIXES, PlanView, save_plans
from results.tables.files import write_raw

NARROW = 0.002
"""An interval narrower than this is not worth a run."""

NOISE = 0.02
"""A narrowing below this share is noise of the imagined runs."""


@click.command("plan", epilog="Example: python -m predict plan samples.jsonl --target-accuracy 0.8")
@option.inputs
@click.option(
    "--target-accuracy",
    type=click.FloatRange(0, 1),
    help="Find the cheapest choice that reaches this accuracy.",
)
@click.option(
    "--token-budget",
    type=click.FloatRange(0, min_open=True),
    help="Find the best choice within this many tokens per question.",
)
@option.predictor(DEFAULT, more="")
@option.method
@click.option("--max-n", default=64, show_default=True, type=click.IntRange(1), help="Largest N considered.")
@click.option(
    "--at-settings",
    callback=option.names,
    help="Consider new settings too, as NAME=LENGTH in tokens per answer.",
)
@option.caps
@option.bootstrap(300, least=1)
@option.target
@option.seed
@option.out("Write a table of all choices.", required=False)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw them: a .png, .svg or .html file.")
def plan_command(
    inputs: tuple[Path, ...], target_accuracy: float | None, token_budget: float | None, predictor: str,
    method: str, max_n: int, at_settings: tuple[str, ...], fit_cap: int | None,
    at_caps: tuple[int, ...], bootstrap: int, target: str, seed: int, out: Path | None, plot: Path | None,
) -> None:  # fmt: skip
    """Choose setting and N: the cheapest choice that reaches an accuracy, or the best within a token budget.

    Prints the Pareto frontier, every choice that beats all cheaper ones, with its 90 % interval. Of samples
    the mixture, plug-in and beta-binomial also name the run that narrows the interval of the choice most for
    its tokens. With neither goal the best choice of all is taken.
    """
    if target_accuracy is not None and token_budget is not None:
        raise click.UsageError("give --target-accuracy or --token-budget, not both")
    if predictor == "all":
        raise click.UsageError("--predictor all: a plan needs one predictor")
    if out is not None:
        option.check_out(out, inputs)
    if plot is not None and plot.suffix not in FIGURE_SUFFIXES:
        raise BadInput(f"--plot {plot}: give a name that ends in {', '.join(FIGURE_SUFFIXES)}")
    if any(goal is not None and np.isnan(goal) for goal in (target_accuracy, token_budget)):
        raise click.UsageError("--target-accuracy and --token-budget must be numbers, not nan")
    options = Options(replicates=bootstrap, seed=seed, target=target)
    if option.caps_asked(fit_cap, at_caps, at_settings=at_settings, plot=plot) and fit_cap:
        option.cap_predictors(predictor)
        caps = CapRequest(fit_cap, at_caps, None, tuple(2**k for k in range(max_n.bit_length())))
        choices = plan_caps(inputs, method, caps, options, target_accuracy, token_budget)
        if out is not None:
            write_raw(choices, out)
            click.echo(f"\n{len(choices)} rows in {out}")
        return
    tables, views = [], []
    for group in read_groups(inputs, method):
        (name,) = option.chosen(predictor, group)
        found = plan(group, name, max_n, options, target_accuracy, token_budget, at_settings)
        show(group, name, found, target_accuracy, token_budget)
        if found.chosen is not None:
            propose(group, name, found.chosen, max_n, options)
        elif target_accuracy is not None and found.best["high"] >= target_accuracy:  # within the interval
            propose(group, name, found.best, max_n, options)
        for sentence in caveats(group, bootstrap):
            click.echo(f"warning: {group.name}: {sentence}", err=True)
        tables.append(
            found.options.assign(dataset=group.dataset, model=group.model, method=method, predictor=name)
        )
        views.append(
            PlanView(group.dataset, group.model, method, group.source, found.options, found.frontier,
                     found.chosen, target_accuracy, token_budget)
        )  # fmt: skip
    if out is not None:
        write_raw(pd.concat(tables, ignore_index=True), out)
        click.echo(f"\n{sum(map(len, tables))} rows in {out}")
    if plot is not None:
        save_plans(views, plot)
        click.echo(f"plot in {plot}")


def plan_caps(
    inputs: tuple[Path, ...], method: str, request: CapRequest, options: Options, target: float | None,
    budget: float | None,
) -> pd.DataFrame:  # fmt: skip
    """Print a plan among hard caps for every run of the samples. Returns all choices. Raises BadInput."""
    tables = []
    for run in read_runs(inputs):
        found = choose(price_caps(run, request, method, options), target, budget)
        group = group_of_pools(
            run.source, run.dataset, run.model, method, [make_pool(run.setting, run.answers)]
        )
        show(group, SURVIVAL, found, target, budget)
        names = {"dataset": run.dataset, "model": run.model, "method": method, "predictor": SURVIVAL}
        tables.append(found.options.assign(**names))
    return pd.concat(tables, ignore_index=True)


def show(group: Group, predictor: str, found: Plan, target: float | None, budget: float | None) -> None:
    """Print the frontier, the choice, and the cautious choice."""
    click.echo(f"\n{title(group)}, forecast by {predictor}")
    rows = found.frontier
    columns = {
        f"{group.unit}/question": map(tokens, rows["cost"]),
        "setting": rows["setting"],
        f"{group.unit}/answer": map(tokens, rows["cost"] / rows["N"]),
        "N": rows["N"].astype(str),
        "accuracy": map(percent, rows["predicted"]),
        "90 % interval": map(interval, rows["low"], rows["high"]),
        "status": rows["known"].where(
            rows["known"] == "measured", rows["status"].map(STATUS_WORDS.__getitem__)
        ),
    }
    click.echo(table(columns))
    for sentence in verdict(found, target, budget, group.unit):
        click.echo(sentence)


def verdict(found: Plan, target: float | None, budget: float | None, unit: str) -> list[str]:
    """What to buy, in one or two sentences."""
    if target is not None:
        goal, cautious = f"To reach {percent(target)}", f"To reach {percent(target)} with the whole interval"
        nothing = f"no choice does; the best: {choice(found.best)}"
    elif budget is not None:
        goal = f"Within {tokens(budget)} {unit} a question"
        cautious = "Going by the lower end of the interval"
        nothing = f"no choice fits; the cheapest: {choice(found.options.iloc[0])}"
    else:
        goal, cautious, nothing = "Best choice", "Going by the lower end of the interval", ""
    if found.chosen is None:
        return [f"{goal}: {nothing}."]
    sentences = [f"{goal}: {choice(found.chosen)}."]
    if found.cautious is None:
        return [*sentences, f"{cautious}: no choice does."]
    same = (found.cautious[["setting", "N"]] == found.chosen[["setting", "N"]]).all()
    return [*sentences, f"{cautious}: {'the same' if same else choice(found.cautious)}."]


def propose(group: Group, predictor: str, row: pd.Series, max_n: int, options: Options) -> None:
    """Print the runs that would narrow the interval of the choice `row`, or why none is proposed."""
    why_not = None
    if not group.pools:
        why_not = "curves do not tell the noise of the answers from that of the questions; give samples"
    elif predictor in CURVE_ONLY:
        why_not = f"{predictor} forecasts from curve points alone; give --predictor {DEFAULT}"
    elif row[["low", "high"]].isna().any():
        why_not = "the choice has no interval to narrow"
    elif row["known"] == "measured":
        why_not = "the choice is measured, and only more questions would narrow its interval"
    elif row["high"] - row["low"] < NARROW:
        why_not = f"the interval is narrower than {points(NARROW)} points"
    if why_not:
        click.echo(f"No next run is proposed: {why_not}.")
        return
    options = replace(options, pool=max(max_n, int(group.points.N.max())))
    at = place(row)
    with tqdm(total=len(candidates(group, at)), unit="run", disable=None, leave=False) as bar:
        found = next_runs(group, predictor, at, options, tick=bar.update)
    click.echo(f"\nThe next run, to narrow the interval at setting {row['setting']}, N = {row['N']}:")
    useful = [one for one in found if one.narrowing > NOISE]
    if useful:
        columns = {
            "setting": [one.run.setting for one in useful],
            "answers": [f"{one.run.seen} → {one.run.seen + one.run.more}" for one in useful],
            f"{group.unit} in all": [tokens(one.tokens) for one in useful],
            "points": [f"±{points(one.width_now / 2)} → ±{points(one.width_then / 2)}" for one in useful],
        }
        click.echo(table(columns))
    if len(useful) < len(found):
        click.echo(f"No {'other ' if useful else ''}run that was considered would narrow it.")
    best = advised(found)
    if best:
        run = best.run
        known = run.seen or run.setting == row["setting"]
        where = (
            f"setting {run.setting}" if known else f"a new setting of {tokens(run.T)} {group.unit} an answer"
        )
        click.echo(
            f"Best value: {run.more}{' more' if run.seen else ''} answers to each question at {where}, "
            f"{tokens(best.tokens)} {group.unit} in all, to narrow ±{points(best.width_now / 2)} points to "
            f"±{points(best.width_then / 2)} (expected)."
        )
    elif useful:
        click.echo(f"None of them is expected to narrow it by {percent(WORTHWHILE)} or more.")

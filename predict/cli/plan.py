"""`python -m predict plan`: what to buy, how sure that is, and which cheap run would make it surer.

To reach 85.0 %: setting medium, N = 1, 11,278 tokens a question: 85.5 % (80.1 … 90.9 %).
Next: 8 more answers to each question at setting medium, 4.1 million tokens: ±5.4 points become ±3.9.
"""

from pathlib import Path

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from predict.cli import options as option
from predict.cli.wording import METHOD_WORDS, STATUS_WORDS, choice, interval, percent, points, tokens
from predict.curves.intervals import SHARED
from predict.forecast import caveats
from predict.groups import Group, read_groups
from predict.planning.next_run import LEAST, NextRun, advised, candidates, next_runs
from predict.planning.plan import Plan, place, plan
from predict.predictors import DEFAULT, PREDICTORS
from predict.protocol import Options
from results import BadInput
from results.aligned import aligned
from results.figures.plan import PLOT_SUFFIXES, PlanView, save_plans
from results.tables.files import write_raw

NARROW = 0.002
"""No run is advised to narrow an interval of less."""

NOTHING = 0.02
"""A narrowing below this share is noise of the draws."""


@click.command("plan", epilog="Example: python -m predict plan samples.jsonl --target-accuracy 0.8")
@option.inputs("INPUT")
@click.option(
    "--target-accuracy", type=click.FloatRange(0, 1), help="Find the cheapest way to this accuracy."
)
@click.option(
    "--token-budget",
    type=click.FloatRange(0, min_open=True),
    help="Find the best way within this many tokens a question.",
)
@click.option("--predictor", default=DEFAULT, show_default=True, help=f"One of {', '.join(PREDICTORS)}.")
@option.method
@click.option("--max-n", default=64, show_default=True, type=click.IntRange(1), help="Largest N considered.")
@click.option("--at-settings", callback=option.names, help="Consider new settings too, as NAME=LENGTH.")
@option.replicates(300, least=1)
@option.target
@option.seed
@click.option("--out", type=click.Path(path_type=Path), help="Table of all choices to write.")
@click.option("--plot", type=click.Path(path_type=Path), help="Picture of them: a .png, .svg or .html.")
def plan_command(
    inputs: tuple[Path, ...], target_accuracy: float | None, token_budget: float | None, predictor: str,
    method: str, max_n: int, at_settings: tuple[str, ...], bootstrap: int, target: str, seed: int,
    out: Path | None, plot: Path | None,
) -> None:  # fmt: skip
    """Choose setting and N: the cheapest that reaches an accuracy, or the best within a token budget.

    Prints every choice that beats all cheaper ones, with its 90 % interval, and which run would narrow the
    interval of the choice most for its tokens. With neither goal: the frontier and its best.
    """
    if target_accuracy is not None and token_budget is not None:
        raise click.UsageError("expected --target-accuracy or --token-budget, not both")
    if predictor == "all":
        raise click.UsageError("--predictor all: a plan goes by one predictor")
    if out is not None:
        option.check_out(out, inputs)
    if plot is not None and plot.suffix not in PLOT_SUFFIXES:
        raise BadInput(f"{plot}: expected a name ending in {', '.join(PLOT_SUFFIXES)}")
    if any(goal is not None and np.isnan(goal) for goal in (target_accuracy, token_budget)):
        raise click.UsageError("--target-accuracy and --token-budget: expected a number, found nan")
    options = Options(replicates=bootstrap, seed=seed, target=target)
    tables, views = [], []
    for group in read_groups(inputs, method):
        (name,) = option.chosen(predictor, group)
        found = plan(group, name, max_n, options, target_accuracy, token_budget, at_settings)
        show(group, name, found, target_accuracy, token_budget)
        row = found.chosen if found.chosen is not None else in_reach(found, target_accuracy)
        if row is not None:
            next_run(group, name, row, max_n, options)
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


def in_reach(found: Plan, target: float | None) -> pd.Series | None:
    """The best choice, where none reaches `target` but the end of its interval does; else None."""
    best = found.options.sort_values("predicted").iloc[-1]
    return best if target is not None and best["high"] >= target else None


def next_run(group: Group, predictor: str, row: pd.Series, max_n: int, options: Options) -> None:
    """Print what run to make next, or why none."""
    if row[["low", "high"]].isna().any():
        click.echo("No run is advised: there is no interval to narrow.")
    elif row["known"] == "measured":
        click.echo("No run is advised: this is measured, and only more questions would narrow its interval.")
    elif not max(group.questions.values(), default=0):
        click.echo("No run is advised: the table has no number of questions to price one by.")
    elif row["high"] - row["low"] < NARROW:
        click.echo(f"No run is advised: the interval is narrower than {points(NARROW)} points.")
    else:
        show_runs(runs(group, predictor, row, max_n, options), row, group)


def runs(group: Group, predictor: str, row: pd.Series, max_n: int, options: Options) -> list[NextRun]:
    """Candidates for the next run, with a bar while they are worked out."""
    fixed = Options(
        replicates=options.replicates, seed=options.seed, target=options.target,
        pool=max(max_n, int(group.points.N.max())),
    )  # fmt: skip
    at = place(group, row)
    number = len(candidates(group, predictor, at))
    with tqdm(total=number, unit="run", disable=None, leave=False) as bar:
        return next_runs(group, predictor, at, fixed, tick=bar.update)


def show(group: Group, predictor: str, found: Plan, target: float | None, budget: float | None) -> None:
    """Print the frontier, the choice, and the choice that is safe."""
    unit = "steps" if group.source == "synthetic" else "tokens"
    click.echo(f"\n{group.model} on {group.dataset}, {METHOD_WORDS[group.method]}, forecast by {predictor}")
    body = [
        [
            tokens(row["cost"]),
            str(row["setting"]),
            str(row["N"]),
            percent(row["predicted"]),
            interval(row["low"], row["high"]),
            row["known"] if row["known"] == "measured" else STATUS_WORDS[row["status"]],
        ]
        for _, row in found.frontier.iterrows()
    ]
    head = [f"{unit}/question", "setting", "N", "accuracy", "90 % interval", "status"]
    click.echo("\n".join(aligned([head, *body], left=(1, 5))))
    for sentence in verdict(found, target, budget, unit):
        click.echo(sentence)


def verdict(found: Plan, target: float | None, budget: float | None, unit: str) -> list[str]:
    """What to buy, in one or two sentences."""
    best = found.options.sort_values("predicted").iloc[-1]
    cheapest = found.options.iloc[0]
    if target is not None:
        goal, safe = f"To reach {percent(target)}", f"With the interval's lower end at {percent(target)}"
        nothing = f"nothing considered does; the best is {choice(best)}"
    elif budget is not None:
        goal, safe = f"Within {tokens(budget)} {unit} a question", "By the interval's lower end"
        nothing = f"nothing considered is so cheap; the least is {choice(cheapest)}"
    else:
        goal, safe, nothing = "Best of all considered", "By the interval's lower end", "nothing"
    if found.chosen is None:
        return [f"{goal}: {nothing}."]
    sentences = [f"{goal}: {choice(found.chosen)}."]
    if found.cautious is None:
        return [*sentences, f"{safe}: no choice considered."]
    same = found.cautious["setting"] == found.chosen["setting"] and found.cautious["N"] == found.chosen["N"]
    return [*sentences, f"{safe}: {'the same' if same else choice(found.cautious)}."]


def show_runs(found: list[NextRun], row: pd.Series, group: Group) -> None:
    """Print the candidates for the next run and the advised one."""
    unit = "steps" if group.source == "synthetic" else "tokens"
    click.echo(f"\nThe next run, to narrow the interval at setting {row['setting']}, N = {row['N']}:")
    body = [
        [
            run.setting,
            f"{run.seen} → {run.seen + run.more}",
            tokens(run.tokens),
            f"±{points(run.width_now / 2)} → ±{points(run.width_then / 2)}",
        ]
        for run in found
        if run.narrowing > NOTHING
    ]
    if body:
        click.echo("\n".join(aligned([["setting", "answers", f"{unit} in all", "points"], *body])))
    if len(body) < len(found):
        others = "No other run considered" if body else "No run considered"
        click.echo(f"{others} would narrow it.")
    if not group.pools:
        click.echo(
            f"Estimated from curves: {percent(1 - SHARED)} of a point's variance is taken for the luck of "
            "its answers, the rest for that of its questions, which no run narrows."
        )
    best = advised(found)
    if best is None:
        if body:
            click.echo(f"None of them is expected to narrow it by {percent(LEAST)} or more.")
        return
    known = best.seen or best.setting == row["setting"]
    where = f"setting {best.setting}" if known else f"a new setting of {tokens(best.length)} {unit} an answer"
    click.echo(
        f"Most for its {unit}: {best.more}{' more' * bool(best.seen)} answers to each question at {where}, "
        f"{tokens(best.tokens)} {unit}: ±{points(best.width_now / 2)} points are expected to become "
        f"±{points(best.width_then / 2)}."
    )

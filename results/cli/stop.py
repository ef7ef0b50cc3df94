"""`tts stop`: stopping rules replayed on stored answers, and the recommended one with its cost.

$ tts stop aime.csv --rule lead --out stop.csv
rule      cost  answers  rounds  agreement  worst tenth  false stops  less a fixed N of equal cost
lead:4  24.8 %      7.1     2.3     99.3 %       92.8 %        0.2 %            +0.3 (−2.3 … +2.8)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.arguments import MOST_ANSWERS, RANDOM_ORDERS, SEED
from results.cli.options import SAMPLES, picture_options, rows_written, table_out
from results.command_help import ASKED, DRAWN, Command, about
from results.commandline import say, warnings_last
from results.read_options import reading_options

if TYPE_CHECKING:
    import pandas as pd

    from results.pictures import Picture
    from results.stopping.advice import Advice
    from results.tables.key import Key


@click.command(
    "stop",
    cls=Command,
    epilog="Example: tts stop runs/tiny --out stop.csv --plot stop.html",
)
@SAMPLES
@about(
    ASKED,
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="RULE[:THRESHOLD]",
        help="Try only this rule, such as lead or lead:4. May be repeated.  [default: all]",
    ),
)
@about(
    DRAWN,
    MOST_ANSWERS.option("--n-max", default=40),
    RANDOM_ORDERS.option("--orders", default=100),
    SEED.option("--seed", "Random seed of the orders.", default=0),
)
@table_out()
@picture_options
@reading_options
def stop_command(
    samples: tuple[Path, ...],
    out: Path,
    n_max: int,
    orders: int,
    seed: int,
    rules: tuple[str, ...],
    plot: Picture | None,
) -> None:
    """Replay stopping rules on stored answers.

    SAMPLES are files or run folders. For each setting, every rule is tried at several thresholds on the
    same random orders. Shows what it costs, how often it ends with the answer that very many answers
    would give most often, and its accuracy compared with all answers and with a fixed N of equal cost.
    Greedy answers are left out; an unreadable answer has a cost but casts no vote.
    """
    from results.stopping.advice import advice
    from results.stopping.arena import arena
    from results.tables.contract import check_out, read_samples, write_table
    from results.tables.key import ANSWERS, WHOSE, groups
    from results.words.names import curves_name
    from results.words.stopping import FIXED_NOTE, sentences

    check_out(out, samples)
    tried = _tried(rules)
    with warnings_last():
        answers = read_samples(*samples, texts=False)
        table = arena(answers, tried, n_max, orders, seed)
    sampled = answers[answers["decoding"] != "greedy"]
    most = int(sampled.groupby([*ANSWERS[1:], "question_id"]).size().min())
    if most > table["n_max"].max():
        click.echo(f"Of {most} answers per question, {n_max} are replayed; --n-max {most} uses all.\n")
    models = list(groups(table, WHOSE))
    for model, own in models:
        taken = advice(own)
        for key, rows in groups(own, ANSWERS):
            say(_summary(key, rows, taken))
        lines = sentences(taken)
        if len(models) > 1:
            lines = [f"For {curves_name(model)}:", *lines, ""]
        say("\n".join(lines))
    click.echo(FIXED_NOTE)
    write_table(table, out, "stopping")
    click.echo(rows_written(samples, len(table), out))
    if plot is not None:
        from results.report.selectors import stopping_choices

        click.echo("\n".join(plot.draw("Stopping rules", stopping_choices(table))))


def _tried(texts: tuple[str, ...]) -> dict[Any, list[float]]:
    """The rules and thresholds to try: all rules, or those given, at one or all of their thresholds."""
    from results.stopping.arena import thresholds_of
    from results.stopping.rules import RULES, named

    tried: dict[Any, list[float]] = {}
    for text in texts or RULES:
        rule, threshold = named(text)
        more = [threshold] if ":" in text else thresholds_of(rule)
        tried[rule] = sorted({*tried.get(rule, []), *more})
    return tried


def _summary(key: Key, table: pd.DataFrame, taken: Advice | None) -> str:
    """The lines on one setting's rules, cheapest first, including the recommended row."""
    from results.stopping.advice import unit_of, usual_rows
    from results.words.cells import described
    from results.words.names import curves_name, show
    from results.words.stopping import RULES as COLUMNS

    first = table.iloc[0]
    every = f"{first['n_max']} answers: agreement {show(first['agreement_all'])}"
    title = f"{curves_name(key)}, setting {key.setting}, cost in {unit_of(table)}, {every}:"
    return f"{title}\n{described(usual_rows(table, taken), COLUMNS)}\n"

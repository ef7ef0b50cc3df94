"""`tts stop`: stopping rules replayed on stored answers; which one to take, and its price.

$ tts stop aime.csv --rule lead --out stop.csv
rule      cost  answers  rounds  agreement  worst tenth  false stops  less a fixed N of equal cost
lead:4  24.8 %      7.1     2.3     99.3 %       92.8 %        0.2 %            +0.3 (−2.3 … +2.8)

Take lead:4: 24.8% of the tokens of 40 answers in 2.3 rounds of exact blocks, …
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.aligned import aligned
from results.arguments import MOST_ANSWERS, RANDOM_ORDERS, SEED
from results.command_help import Command
from results.commandline import warnings_last
from results.read_options import reading_options
from results.visible import visible

if TYPE_CHECKING:
    import pandas as pd


@click.command(
    "stop",
    cls=Command,
    epilog="Example: tts stop runs/tiny --out stop.csv --plot stop.html",
)
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File to write (.csv, .jsonl, .parquet)."
)
@MOST_ANSWERS.option("--n-max", default=40)
@RANDOM_ORDERS.option("--orders", default=100)
@SEED.option("--seed", "Seed of the orders.", default=0)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE[:THRESHOLD]",
    help="Try this rule alone, as lead or lead:4; once for each.  [default: all]",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Picture to draw (.html, .svg, .png).")
@reading_options
def stop_command(
    samples: tuple[Path, ...],
    out: Path,
    n_max: int,
    orders: int,
    seed: int,
    rules: tuple[str, ...],
    plot: Path | None,
) -> None:
    """Replay stopping rules on stored answers.

    SAMPLES are files or run folders. For each setting every rule of the literature is tried at several
    thresholds, on the same random orders: what it costs, how often it ends with the answer that the whole
    pool gives most often, and its accuracy against the whole pool and against a fixed N of equal cost. Greedy
    answers are left out; an answer that cannot be read costs and casts no vote.
    """
    from results.stopping.advice import advice, sentences
    from results.stopping.arena import arena
    from results.tables.contract import check_out, read_samples, write_table

    check_out(out, samples)
    tried = _tried(rules)
    if plot is not None:
        from results.figures.saving import check_picture  # needs a plotting engine
        from results.stopping.figure import save_stopping

        check_picture(plot)
    with warnings_last():
        table = arena(read_samples(*samples, texts=False), tried, n_max, orders, seed)
    for _, rows in table.groupby(["dataset", "model", "setting"], sort=False):
        click.echo("\n".join(_summary(rows)) + "\n")
    click.echo("\n".join(sentences(advice(table))))
    write_table(table, out, "stopping")
    click.echo(f"{', '.join(map(str, samples))} -> {out}: {len(table)} rows")
    if plot is not None:
        save_stopping(table, plot)
        click.echo(f"plot in {plot}")


def _tried(texts: tuple[str, ...]) -> dict[Any, list[float]]:
    """The rules and thresholds that are asked for: all there are, a rule with all of its own, or one."""
    from results.stopping.arena import thresholds_of
    from results.stopping.rules import RULES
    from results.stopping.settled import named

    tried: dict[Any, list[float]] = {}
    for text in texts or RULES:
        rule, threshold = named(text)
        more = [threshold] if ":" in text else thresholds_of(rule)
        tried[rule] = sorted({*tried.get(rule, []), *more})
    return tried


def _summary(table: pd.DataFrame) -> list[str]:
    """The rules of one setting, cheapest first."""
    from results.report.stopping import COLUMNS, usual_rows

    dataset, model, setting = table[["dataset", "model", "setting"]].iloc[0]
    unit = "answers" if table["tokens"].isna().all() else "tokens"
    all_of = f"{table['n_max'].iloc[0]} answers: agreement {table['agreement_all'].iloc[0]:.1%}"
    title = f"{dataset} / {model} / {setting}, cost in {unit}, {all_of}:"
    body = [[tell(row) for tell in COLUMNS.values()] for _, row in usual_rows(table).iterrows()]
    return [visible(title), *aligned([[*COLUMNS], *body])]

"""`tts compare`: paired differences of two or more runs on the same questions, and a verdict.

$ tts compare small large --at 8 --gate
b − a in points; the 95 % intervals hold jointly:
a      b      answer                at            b − a                b is    better, worse  to decide it
small  large  majority vote, N = 8  equal N       +8.0 (+3.0 … +13.0)  better  60, 12
small  large  majority vote, N = 8  equal tokens  +6.1 (+1.0 … +11.2)  better
verdict: better
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.arguments import AT, LEVELS, LOOKS, MARGIN, PLANNED, SCORE_COST, WEIGHTS
from results.cli.options import (
    SAMPLES,
    picture_options,
    price_option,
    refuse_given,
    rows_written,
    table_out,
)
from results.command_help import ASKED, CHANCE, INPUT, VERDICT, Command, about
from results.commandline import say, warnings_last
from results.methods import BY_SCORE, LISTED, SCORED
from results.normal import LEVEL
from results.read_options import reading_options

if TYPE_CHECKING:
    from results.pictures import Picture


@click.command(
    "compare",
    cls=Command,
    epilog="Example: tts compare runs/small runs/large --out compare.csv",
)
@SAMPLES
@about(
    ASKED,
    AT.option("--at"),
    click.option(
        "--method",
        "methods",
        metavar="LIST",
        help=f"{LISTED}  [default: majority,best_of_n; with --at: majority; with verdicts only: best_of_n; "
        f"with --score: {','.join(BY_SCORE)}]",
    ),
    click.option(
        "--score",
        metavar="NAME",
        help="Scores for the last three methods: column NAME or score_NAME, or logprob. "
        "With one run, each method is compared with the plain vote over the same answers.",
    ),
    WEIGHTS.option("--weights"),
    SCORE_COST.option("--score-cost"),
)
@about(
    INPUT,
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="Compare only runs of this model. May be repeated.",
    ),
)
@about(
    CHANCE,
    LEVELS.option(
        "--level",
        "Joint confidence level of all intervals. At 0.95, two equal models are called different in "
        "at most 5 of 100 comparisons.",
        default=LEVEL,
    ),
)
@about(
    VERDICT,
    click.option(
        "--gate",
        is_flag=True,
        help="Exit with a status for the second run: 0 better or holds, 1 worse or fails, 3 undecided, "
        "4 go on (--sequential).",
    ),
    MARGIN.option("--margin", default=0.0, show_default=False),
    click.option(
        "--every-question",
        is_flag=True,
        help="Test each question instead of the mean: with two runs, no question may get worse; with one, "
        "every answer must be right; both up to --margin. The tests allow for chance over many questions.",
    ),
    click.option(
        "--sequential",
        is_flag=True,
        help="With --at: look as questions come in, in a random order, as often as you like or as "
        "planned. The interval holds jointly for all looks.",
    ),
    PLANNED.option("--planned"),
    LOOKS.option("--looks"),
)
@table_out(required=False)
@price_option()
@picture_options
@reading_options
def compare_command(
    samples: tuple[Path, ...],
    out: Path | None,
    at: tuple[int, ...],
    methods: str | None,
    models: tuple[str, ...],
    score: str | None,
    weights: str | None,
    score_cost: float | None,
    level: float,
    gate: bool,
    margin: float,
    every_question: bool,
    sequential: bool,
    planned: int | None,
    looks: int | None,
    prices: dict[str, Any],
    plot: Picture | None,
) -> None:
    """Compare runs on the questions they share.

    SAMPLES are files or run folders. Two or more runs are compared at each setting they share; one run is
    compared across its settings, and two models in one folder with each other. Each row gives the accuracy of
    B minus that of A by majority vote, best-of-N or (on request) all-of-N, at equal N and at equal cost
    (tokens per question or, with --price, US dollars), its interval for new questions of the same kind, and
    the verdict on B: better, worse or undecided. The intervals of all rows hold jointly, and so do the ranks
    that three or more runs may have.

    With --score and one run: does choosing by score beat the plain vote over the same answers, at equal N and
    at equal cost?
    """
    from results.cli import compared as told
    from results.paired.runs import compare_runs, pairs_looked_at
    from results.tables.contract import check_out, write_table
    from results.tables.files import write_raw
    from results.votes.curves import methods_of

    _check_effects(click.get_current_context().params)
    chosen = None if methods is None else methods_of(methods)
    by_score = bool(score) if chosen is None else bool(set(chosen) & set(SCORED))
    if not by_score:
        refuse_given(["score"], f"is for {' and '.join(SCORED)}: name one of them in --method")
        refuse_given(["score_cost"], "is for --score")
    score = score or ("score" if by_score else None)
    if out is not None:
        check_out(out, samples)
    told.check_each_once(samples)
    with warnings_last():
        tables = told.read(samples, score)
        tables = told.of_models(tables, models)
        if every_question:
            lines, word = told.look_at_every_question(tables, margin / 100, level)
            click.echo("\n".join(lines))
            told.exit_with(word, gate)
            return
        if sequential:
            looked_at = pairs_looked_at(tables, prices, at, chosen, score, score_cost, weights)
            told.exit_with(told.look(looked_at, level, planned, looks, margin / 100), gate, margin)
            return
        rows = compare_runs(tables, prices, at, chosen, level, score, score_cost, weights)
    if gate:
        told.check_one(rows, ["dataset", "a", "b"], "--gate is about two runs of one data set (see --model)")
    if margin:
        told.check_one(rows, ["setting_a", "method"], "--margin is about one method at one setting")
    printed = told.printed(rows, every=len(at) > 1)
    say("\n".join(told.summary(rows, printed)))
    if out is not None:
        written = rows
        if out.suffix == ".tex":  # no command reads it again
            written = told.for_a_paper(printed)
            write_raw(written, out)
        else:
            write_table(rows, out, "comparison")
        click.echo(rows_written(samples, len(written), out))
    if plot is not None:
        from results.report.selectors import comparison_choices

        click.echo("\n".join(plot.draw("Runs compared", comparison_choices(rows))))
    if gate:
        told.exit_with_verdict(rows, margin / 100)


def _check_effects(given: Mapping[str, Any]) -> None:
    """Raise UsageError for an option that has no effect together with the others given."""
    if given["every_question"]:
        why = "does not go with --every-question, which counts single answers"
        refuse_given(("at", "methods", "score", "weights", "score_cost", "prices", "cluster"), why)
        refuse_given(("sequential", "out", "plot"), why)
    elif given["margin"] and not (given["gate"] and given["at"]):
        raise click.UsageError("--margin is for --gate with --at: name the numbers of answers it is about")
    if not given["sequential"]:
        refuse_given(["planned"], "is for --sequential")
    elif len(given["at"]) != 1:
        raise click.UsageError("--sequential is about one N: give one --at")
    else:
        why = "does not go with --sequential, which is about one difference at one N"
        refuse_given(("prices", "score_cost", "out", "plot"), why)
    if given["planned"] is None:
        refuse_given(["looks"], "is for --planned: without a plan it may be looked at at any time")

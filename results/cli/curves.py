"""`tts curves`: samples in, a curves table out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from results.arguments import CAPS, NS, PERMUTATIONS, SEED, WEIGHTS
from results.cli.options import SAMPLES, cheap_option, picture_options, refuse_given, table_out
from results.command_help import ASKED, CHANCE, Command, about
from results.commandline import warnings_last
from results.methods import FORECAST, LISTED, SCORED
from results.read_options import reading_options
from results.terminal import plural

if TYPE_CHECKING:
    import pandas as pd

    from results.pictures import Picture

USUAL = f"{','.join(FORECAST)}; verdicts only: best_of_n,all_of_n; partial credit: also highest_score"

MOSTLY = 0.5
"""If a larger share of answers could not be read, the reader may be the wrong one."""


def note_unread(paths: Sequence[Path], table: pd.DataFrame) -> None:
    """If most answers could not be read, print the command that reads the texts again."""
    from results.tables.contract import sample_files
    from results.tables.files import column_names

    unread = float(table["answer"].isna().mean())
    if unread <= MOSTLY:
        return
    for path, file in zip(paths, sample_files(*paths), strict=True):
        if path.is_dir() and "text" in column_names(file):
            again = f"tts regrade {shlex.quote(str(path))} --reader auto"
            click.echo(
                f"note: {unread:.0%} of the answers could not be read; {again} reads the texts again",
                err=True,
            )
            return


@click.command("curves", cls=Command, epilog="Example: tts curves runs/tiny --out curves.csv")
@SAMPLES
@about(
    ASKED,
    NS.option("--n", f"{NS.meaning}  [default: 1, 2, 4, … and all answers]"),
    CAPS.option("--caps"),
    click.option("--method", metavar="NAME,…", help=f"{LISTED}  [default: {USUAL}]"),
    click.option(
        "--score",
        default="score",
        show_default=True,
        metavar="NAME",
        help="Scores for the last three methods: column NAME or score_NAME, or logprob.",
    ),
    WEIGHTS.option("--weights"),
)
@about(
    CHANCE,
    PERMUTATIONS.option("--permutations", default=10),
    SEED.option("--seed", "Random seed of the orders.", default=0),
)
@table_out()
@cheap_option("estimate the accuracy on new questions from both, as precisely as with more questions.")
@picture_options
@reading_options
def curves_command(
    samples: tuple[Path, ...],
    out: Path,
    method: str | None,
    score: str,
    weights: str | None,
    n: tuple[int, ...],
    caps: tuple[int, ...],
    cheap: Path | None,
    permutations: int,
    seed: int,
    plot: Picture | None,
) -> None:
    """Compute the accuracy of N answers at each N.

    N answers count as right by majority vote if the most frequent one is, by best-of-N if at least one is, by
    all-of-N if all are; with scores, by best_by_score if the answer scored highest is, by weighted_majority
    if the answer whose scores add up to most is; with partial credit, the highest score itself counts.
    SAMPLES are files or run folders; several make one table: different models and datasets, or parts of one
    run. Rows with permutation "exact" are means over all subsets of N answers; rows 0, 1, … use the first N
    answers of a random order. If some questions have fewer than N answers, a row covers the others, or is
    left out if those are not most; a warning says so.

    With --caps, the settings are hard limits on the tokens of an answer: longer answers cast no vote and cost
    as many tokens as the cap.

    With --with, the questions must be a random subset of CHEAP's (`tts sample --set order=random`).
    """
    from results.summary.panels import make_panels
    from results.tables.contract import check_out, read_samples, write_curves
    from results.tables.money import columns_of_score
    from results.votes.caps import cap_samples
    from results.votes.curves import curves_and_votes, methods_of, usual_methods
    from results.words.values import cheap_lines, short_lines

    check_out(out, samples)
    if not permutations:
        refuse_given(["seed"], "is of random orders, and --permutations 0 draws none")
    with warnings_last():
        table = read_samples(*samples, texts=False, also=columns_of_score(score))
        methods = None if method is None else methods_of(method)
        every = {*(methods or chain(*usual_methods(table).values()))}
        if every <= set(SCORED):
            drawn = ["permutations", "seed"] if permutations else ["seed"]
            refuse_given(drawn, "is of random orders, and methods by score are exact alone")
        if not every & set(SCORED):
            refuse_given(["score"], f"is for {' and '.join(SCORED)}: name one of them in --method")
        capped = cap_samples(table, caps) if caps else table
        note_unread(samples, table)
        ns = n or None
        result, votes = curves_and_votes(capped, methods, ns, permutations, seed, score, weights, most=True)
        if cheap is not None:
            from results.paired.cheap import with_cheap

            result = with_cheap(result, votes, table, read_samples(cheap, texts=False), str(cheap))
    write_curves(result, out)
    panels = make_panels(result)
    for line in [*short_lines(panels), *cheap_lines(result)]:
        click.echo(line)
    files = ", ".join(map(str, samples))
    counted = plural(len(table), "answer")
    click.echo(f"{files}: {counted} -> {out}: {plural(len(result), 'row')}")
    if plot is not None:
        from results.report.selectors import curve_choices

        choices = curve_choices(panels, shared=True)
        click.echo("\n".join(plot.draw("Accuracy by number of answers", choices)))

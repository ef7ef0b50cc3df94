"""tts inspect, regrade and export: commands for stored answers."""

from pathlib import Path

import click

from harness.cli.options import grader_option, match_option, reader_option
from harness.grader import GraderName, Match
from harness.grading.places import Reader
from results.cli.options import out_option
from results.command_help import Command
from results.terminal import plural


@click.command(cls=Command, epilog="Example: tts inspect runs/tiny --unreadable --limit 3")
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--question", metavar="ID", help="Only the answers to this question.")
@click.option("--setting", help="Only this setting (token budget).")
@click.option("--wrong", is_flag=True, help="Only wrong answers.")
@click.option("--unreadable", is_flag=True, help="Only answers that could not be read.")
@click.option("--cut-off", is_flag=True, help="Only answers that ended at the token limit.")
@click.option(
    "--limit", default=5, show_default=True, type=click.IntRange(1), help="Answers to show per setting."
)
@click.option("--full", is_flag=True, help="Show whole texts.")
def inspect(
    samples: tuple[Path, ...],
    question: str | None,
    setting: str | None,
    limit: int,
    full: bool,
    **marks: bool,
) -> None:
    """Show the answers of a run.

    SAMPLES is a run folder or a samples table; give all shards of a run to see the whole run. Without
    options, shows the counts of each setting and the hardest questions. ✓ is right, ✗ wrong, ∅ unreadable.
    Works during sampling, too. Control characters in texts are escaped.
    """
    from itertools import chain

    from harness.view import answers, overview, read_blocks
    from results.tables.contract import sample_files

    files = sample_files(*samples)
    blocks = read_blocks(files, question, setting)
    only = [name.replace("_", "-") for name, asked in marks.items() if asked]
    if question is None and not only:
        lines = overview(blocks, files)
    else:
        rows = chain.from_iterable(blocks)
        lines = answers(rows, files[0].parent, question, only, limit, full)
    for line in lines:
        click.echo(line)


@click.command(
    cls=Command,
    epilog="Example: tts regrade runs/gsm8k --reader hashes,boxed,last-number",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@reader_option
@match_option
@grader_option
def regrade(folder: Path, readers: tuple[Reader, ...], match: Match, grader: GraderName | None) -> None:
    """Grade a run's stored texts again, without sampling.

    hashes reads ##18## and #### 18, boxed \\boxed{18}, answer-is "The answer is 18.", last-number the last
    number. The first reader that finds an answer wins. Without --grader, the run's own grader is used. The
    earlier verdicts are kept in a file next to samples.jsonl, and run.json records the regrading.
    """
    import pandas as pd

    from harness.grader import AUTO, Grader, readers_that_read
    from harness.store.record import experiment_in
    from harness.store.regrade import regrade as read_again
    from harness.store.resume import locked
    from results.tables.files import json_rows

    with locked(folder):
        experiment = experiment_in(folder)
        kind = grader or (experiment.grader if experiment else "integer")
        if readers == (AUTO,):
            samples = pd.DataFrame(json_rows(folder / "samples.jsonl"))
            readers, reads = readers_that_read(samples, Grader(grader=kind))
            click.echo(reads)
        regraded = read_again(folder, Grader(readers, match, kind))
    click.echo(regraded.tallies.table())
    answers = sum(tally.answers for _, tally in regraded.tallies.named)
    click.echo(
        f"{regraded.changed:,} of {answers:,} answers are read differently; "
        f"the earlier verdicts are in {regraded.kept}"
    )
    for warning in regraded.tallies.warnings(folder):
        click.echo(f"warning: {warning}", err=True)


@click.command(cls=Command, epilog="Example: tts export runs/tiny --out tiny-answers")
@click.argument("samples", type=click.Path(path_type=Path))
@out_option("A new folder.", folder=True)
@click.option("--organization", default="unknown", show_default=True, help="Who sampled the answers.")
def export(samples: Path, out: Path, organization: str) -> None:
    """Write a run as a data set for the hub and Every Eval Ever.

    SAMPLES is a run folder or a samples table. Writes to OUT a data set card (README.md), samples.parquet
    and, in data/, the scores of votes and best-of-N with a record of each answer.
    """
    from harness.exports.publish import publish

    written = plural(publish(samples, out, organization), "answer")
    click.echo(f"{written} -> {out}: README.md, samples.parquet, data")

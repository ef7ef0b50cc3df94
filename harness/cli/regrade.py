"""tts regrade: read the stored answers of a run again, without sampling."""

from pathlib import Path

import click

from harness.cli.options import grader_option, match_option, reader_option
from harness.grader import GraderName, Match, Reader
from results.command_help import Command


@click.command(
    cls=Command,
    epilog="Example: tts regrade runs/gsm8k --reader hashes,boxed,last-number",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@reader_option
@match_option
@grader_option
def regrade(folder: Path, readers: tuple[Reader, ...], match: Match, grader: GraderName | None) -> None:
    """Read a run's stored texts again; nothing is sampled.

    hashes reads ##18## and #### 18, boxed \\boxed{18}, answer-is "The answer is 18.", last-number the last
    number. The first reader that finds an answer decides. Without --grader, the run's own grader is used. The
    earlier verdicts are kept in a file beside samples.jsonl, and run.json records what was read again.
    """
    from harness.grader import AUTO, Grader, readers_that_read
    from harness.store.record import experiment_in
    from harness.store.regrade import regrade as read_again
    from harness.store.resume import locked
    from results.tables.files import json_rows

    with locked(folder):
        experiment = experiment_in(folder)
        kind = grader or (experiment.grader if experiment else "integer")
        if readers == (AUTO,):
            texts = [row.get("text") or "" for row in json_rows(folder / "samples.jsonl")]
            readers, told = readers_that_read(texts, Grader(grader=kind))
            click.echo(told)
        found = read_again(folder, Grader(readers, match, kind))
    click.echo(found.tally.table())
    click.echo(
        f"{found.changed:,} of {found.tally.answers:,} answers are read differently; "
        f"the earlier verdicts are in {found.kept}"
    )
    for warning in found.tally.warnings(folder):
        click.echo(f"warning: {warning}", err=True)

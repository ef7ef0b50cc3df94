"""tts inspect: read the answers of a run."""

from pathlib import Path

import click

from results.command_help import Command


@click.command(cls=Command, epilog="Example: tts inspect runs/tiny --unreadable --limit 3")
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--question", metavar="ID", help="Only the answers to this question.")
@click.option("--setting", help="Only this setting (token budget).")
@click.option("--wrong", "only", flag_value="wrong", help="Only wrong answers.")
@click.option("--unreadable", "only", flag_value="unreadable", help="Only answers that could not be read.")
@click.option("--cut-off", "only", flag_value="cut-off", help="Only answers that ended at the token limit.")
@click.option(
    "--limit", default=5, show_default=True, type=click.IntRange(1), help="Answers to show per setting."
)
@click.option("--full", is_flag=True, help="Show whole texts.")
def inspect(
    samples: tuple[Path, ...],
    question: str | None,
    setting: str | None,
    only: str | None,
    limit: int,
    full: bool,
) -> None:
    """Show the answers of a run.

    SAMPLES is a run's folder or a samples table; give all shards of a run to see it whole. Without options
    you see the counts of each setting, and the hardest questions. ✓ is right, ✗ wrong, ∅ unreadable. You can
    look at a run while it is sampling. Control characters in texts are escaped.
    """
    from harness.view.answers import answers, overview, read_answers, read_groups
    from results.tables.contract import sample_files

    files = sample_files(*samples)
    if question is None and only is None:
        lines = overview(read_groups(files, setting), files)
    else:
        rows = read_answers(files, question, setting)
        lines = answers(rows, files[0].parent, question, only, limit, full)
    for line in lines:
        click.echo(line)

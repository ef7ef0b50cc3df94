"""What `tts sample` and `tts force` do once they know what to draw: until done or stopped."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.experiment import Experiment
    from harness.questions.load import Question
    from harness.run.stored import Stored

INCOMPLETE = 3
"""The exit status of a run that has ended with answers missing."""
FAILURES_SHOWN = 5


def draw(
    experiment: "Experiment",
    questions: "Sequence[Question]",
    out: Path,
    *,
    resume: bool,
    quarantine: bool,
    stored: "Stored | None" = None,
) -> int:
    """Draw what is missing in `out`, print the table of its answers, and return the exit status."""
    import os

    # Threads that wait for one another in a loop are several times slower once another program wants a core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from harness.engines.factory import engine_for
    from harness.run.sampler import sample
    from harness.run.session import until_stopped
    from results.commandline import INTERRUPTED

    work = sample(
        experiment,
        questions,
        out,
        lambda: engine_for(experiment, out / "server.log", beside_the_bar),
        restart=not resume,
        quarantine=quarantine,
        say=beside_the_bar,
        stored=stored,
    )
    outcome = until_stopped(work)
    if outcome is None:
        beside_the_bar("error: stopped: the same command goes on where it stopped")
        return INTERRUPTED
    if outcome.tally.answers:
        click.echo(outcome.tally.table())
    for line in outcome.told:
        click.echo(line)
    for warning in outcome.tally.warnings(out):
        beside_the_bar(f"warning: {warning}")
    missing = (
        f"{outcome.missing} of {outcome.planned} answers are missing: {len(outcome.failures)} requests failed"
    )
    return status_of(outcome.missing, missing, "no answer", outcome.failures)


def beside_the_bar(line: str) -> None:
    """Say a line without breaking a progress bar."""
    import sys

    from tqdm import tqdm

    tqdm.write(line, file=sys.stderr)


def status_of(missing: int, line: str, what: str, failures: "Sequence[str]") -> int:
    """The exit status of a command that asks for answers, of which so many are missing; says why."""
    from results.visible import visible

    for failure in failures[:FAILURES_SHOWN]:
        beside_the_bar(f"{what}: {visible(failure)}")
    if missing:
        beside_the_bar(f"error: {line}: run the same command again to ask for the rest")
    return INCOMPLETE if missing else 0

"""What `harness sample` and `harness force` do once they know what to draw: until done or stopped."""

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
    import asyncio
    import os
    import signal
    import sys

    from tqdm import tqdm

    # Threads that wait for one another in a loop are several times slower once another program wants a core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from harness.engines.factory import engine_for
    from harness.run.sampler import Outcome, sample
    from results.commandline import INTERRUPTED
    from results.visible import visible

    def say(line: str) -> None:
        tqdm.write(line, file=sys.stderr)  # beside the progress bar

    async def stoppable() -> Outcome:
        """Sample until done or until SIGTERM, which ends a run as Ctrl-C does."""
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()

        def stop() -> None:
            # A second one is on its way where make, as well as whoever ended make, has sent it.
            loop.remove_signal_handler(signal.SIGTERM)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            task.cancel()

        loop.add_signal_handler(signal.SIGTERM, stop)
        return await sample(
            experiment,
            questions,
            out,
            lambda: engine_for(experiment, out / "server.log", say),
            restart=not resume,
            quarantine=quarantine,
            say=say,
            stored=stored,
        )

    try:
        outcome = asyncio.run(stoppable())
    except (asyncio.CancelledError, KeyboardInterrupt):
        say("error: stopped: the same command goes on where it stopped")
        return INTERRUPTED
    if outcome.tally.answers:
        click.echo(outcome.tally.table())
    for line in outcome.told:
        click.echo(line)
    for warning in outcome.tally.warnings(out):
        say(f"warning: {warning}")
    for failure in outcome.failures[:FAILURES_SHOWN]:
        say(f"no answer: {visible(failure)}")
    if outcome.missing:
        say(
            f"error: {outcome.missing} of {outcome.planned} answers are missing: {len(outcome.failures)} "
            "requests failed: run the same command again to ask for the rest"
        )
        return INCOMPLETE
    return 0

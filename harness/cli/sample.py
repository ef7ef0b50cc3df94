"""python -m harness sample: draw the answers of an experiment.

$ python -m harness sample tiny --set limit=100 --out results/runs/tiny
100%|██████████| 38400/38400 answers [04:33, 141.2 answers/s, 4,691 tokens/s, 0 s left, 51.5% of …]
... and a table of the answers, as in run/tally.py
"""

from pathlib import Path

import click

from harness.cli.options import Pair

INCOMPLETE = 3
"""The exit status of a run that has ended with answers missing."""
FAILURES_SHOWN = 5


@click.command(
    epilog="Example: python -m harness sample gsm8k-budgets --set budgets=100,200 --limit 50 "
    "--url http://127.0.0.1:30000 --out results/runs/gsm8k"
)
@click.argument("config")
@click.option(
    "--set",
    "overrides",
    type=Pair(),
    multiple=True,
    metavar="KEY=VALUE",
    help="Replace a key. May be repeated.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The run's folder."
)
@click.option("--url", help="A running server; without one, the run starts SGLang and stops it.")
@click.option("--limit", metavar="K", help="Only the first K questions; the same as --set limit=K.")
@click.option(
    "--dry-run", is_flag=True, help="Print what is still to be sampled and how long that takes, and stop."
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="Completion tokens per second, for --dry-run.  [default: as measured in the folder]",
)
@click.option(
    "--price-per-hour",
    type=click.FloatRange(min=0, min_open=True),
    help="What one GPU costs an hour, for --dry-run.",
)
@click.option(
    "--resume/--restart",
    default=True,
    help="Go on with the run in the folder (default), or rename its files and begin again.",
)
@click.option(
    "--quarantine", is_flag=True, help="Put rows that cannot be used aside and sample their answers again."
)
def sample(
    config: str,
    overrides: tuple[tuple[str, str], ...],
    out: Path,
    url: str | None,
    limit: str | None,
    dry_run: bool,
    rate: float | None,
    price_per_hour: float | None,
    resume: bool,
    quarantine: bool,
) -> int:
    """Sample the answers of an experiment.

    CONFIG is a TOML file, or the name of one in harness/experiments.

    Writes samples.jsonl and run.json into --out. You can stop it at any time with Ctrl-C: the same command
    goes on where it stopped. Exit status 3 means that answers are missing because requests kept failing.

    The table at the end has a line per setting: the tokens that the prompt asks for, the tokens that an
    answer used on average, and the limit that cuts it off.
    """
    import asyncio
    import os
    import signal
    import sys

    from tqdm import tqdm

    # Threads that wait for one another in a loop are several times slower once another program wants a core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from harness.engines.factory import engine_for
    from harness.experiment import read_experiment
    from harness.questions.load import load_questions
    from harness.run.sampler import Outcome
    from harness.run.sampler import sample as sample_answers
    from results import BadInput
    from results.commandline import INTERRUPTED, fail
    from results.visible import visible

    given = dict(overrides)
    given |= {key: text for key, text in (("url", url), ("limit", limit)) if text is not None}
    if (rate or price_per_hour) and not dry_run:
        raise BadInput("--rate and --price-per-hour are for --dry-run: add it, or leave them out")
    experiment = read_experiment(config, given)
    if url and "engine" not in given and experiment.engine == "ctranslate2":
        experiment = experiment.model_copy(update={"engine": "sglang"})
    if experiment.url and experiment.engine == "ctranslate2":
        raise BadInput("engine 'ctranslate2' uses no server: leave url out, or set engine=sglang or openai")
    questions = load_questions(experiment.dataset, experiment.file, experiment.grader)
    if dry_run:
        from harness.run.estimate import estimate

        lines = estimate(experiment, questions, out, rate, price_per_hour, fresh=not resume)
        click.echo("\n".join(lines))
        return 0

    def say(line: str) -> None:
        tqdm.write(line, file=sys.stderr)  # beside the progress bar

    async def stoppable() -> Outcome:
        """Sample until done or until SIGTERM, which ends a run as Ctrl-C does."""
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await sample_answers(
            experiment,
            questions,
            out,
            lambda: engine_for(experiment, out / "server.log", say),
            restart=not resume,
            quarantine=quarantine,
            say=say,
        )

    try:
        outcome = asyncio.run(stoppable())
    except (asyncio.CancelledError, KeyboardInterrupt):
        fail("stopped: the same command goes on where it stopped", INTERRUPTED)
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

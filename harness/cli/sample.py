"""tts sample: draw the answers of an experiment.

$ tts sample tiny --set limit=100 --out runs/tiny
100%|██████████| 38400/38400 answers [04:33, 141.2 answers/s, 4,691 tokens/s, 0 s left, 51.5% of …]
... and a table of the answers, as in tally/counts.py
"""

from pathlib import Path

import click

from harness.cli.options import keys_given, run_options, set_option
from results.command_help import Command


@click.command(
    cls=Command,
    epilog="Example: tts sample gsm8k-budgets --set budgets=100,200 --limit 50 "
    "--url http://127.0.0.1:30000 --out runs/gsm8k",
)
@click.argument("config")
@set_option("Replace a key. May be repeated.")
@run_options("The run's folder.", "A running server; without one, the run starts SGLang and stops it.")
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
    "--curves",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the curves of what is stored, too, when the run ends or is stopped.",
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
    curves: Path | None,
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
    from harness.cli.drawing import draw
    from harness.experiment import read_experiment
    from harness.questions.load import load_questions
    from harness.store.samples_file import SAMPLES
    from results import BadInput
    from results.cli.curves import curves_command
    from results.tables.contract import check_out

    given = keys_given(overrides, url, limit)
    if curves and dry_run:
        raise BadInput("--curves: a dry run has none: leave it out")
    if curves:
        check_out(curves, ())
    if (rate or price_per_hour) and not dry_run:
        raise BadInput("--rate and --price-per-hour are for --dry-run: add it, or leave them out")
    experiment = read_experiment(config, given)
    questions = load_questions(experiment.dataset, experiment.file, experiment.grader)
    if dry_run:
        from harness.run.estimate import estimate

        lines = estimate(experiment, questions, out, rate, price_per_hour, fresh=not resume)
        click.echo("\n".join(lines))
        return 0

    status = draw(experiment, questions, out, resume=resume, quarantine=quarantine)
    if curves and (out / SAMPLES).exists():
        click.get_current_context().invoke(curves_command, samples=(out,), out=curves)
    return status

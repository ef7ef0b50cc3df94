"""tts sample: sample the answers of an experiment.

$ tts sample tiny --set limit=100 --out runs/tiny
100%|██████████| 38400/38400 answers [04:33, 141.2 answers/s, 4,691 tokens/s, 0 s left, 51.5% of …]
... and a table of the answers, as in tally/counts.py

tts force: cut the stored answers of a run at given lengths, and ask for final answers.

$ tts force runs/tiny --setting 60 --at 10,20,40 --out runs/tiny-forced
... and the same table; each setting cuts the same answers
"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.options import keys_given, run_options, set_option
from results.arguments import CAPS
from results.command_help import ASKED, DRAWN, HOW, OUTPUT, Command, about

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.experiment import Experiment
    from harness.questions.load import Question
    from harness.run.cut_answers import Stored

INCOMPLETE = 3
"""The exit status of a run that has ended with answers missing."""
FAILURES_SHOWN = 5


@click.command(
    cls=Command,
    epilog="Example: tts sample gsm8k-budgets --set budgets=100,200 --limit 50 "
    "--url http://127.0.0.1:30000 --out runs/gsm8k",
)
@click.argument("config")
@about(
    OUTPUT,
    click.option(
        "--curves",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Also write the curves of the stored answers when the run ends or is stopped.",
    ),
)
@about(
    DRAWN,
    set_option("Override a key of CONFIG. May be repeated."),
)
@about(
    HOW,
    click.option(
        "--dry-run", is_flag=True, help="Print what is left to sample and how long it will take, then exit."
    ),
    click.option(
        "--rate",
        type=click.FloatRange(min=0, min_open=True),
        help="Completion tokens per second, for --dry-run.  [default: as measured in --out]",
    ),
    click.option(
        "--price-per-hour",
        type=click.FloatRange(min=0, min_open=True),
        help="Price of one GPU per hour, for --dry-run.",
    ),
)
@run_options("Run folder.", "URL of a running server; without it, the run starts and stops SGLang.")
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
    restart: bool,
) -> int:
    """Sample the answers of an experiment.

    CONFIG is a TOML file, or the name of one in harness/experiments.

    Writes samples.jsonl and run.json to --out. You can stop it at any time with Ctrl-C; the same command
    resumes it. Exit status 3 means that answers are missing because requests kept failing.

    The table at the end has one line per setting: the tokens that the prompt asks for, the mean tokens per
    answer, and the limit at which answers are cut off.
    """
    from harness.experiment import read_experiment
    from harness.questions.load import load_questions
    from harness.store.samples_file import SAMPLES
    from results import BadInput, read_samples
    from results.cli.curves import curves_command
    from results.report.provenance import unfinished
    from results.tables.contract import check_out
    from results.tables.files import read_record

    given = keys_given(overrides, url=url, limit=limit)
    if dry_run and curves:
        raise BadInput("--curves writes a file, and --dry-run none: leave one out")
    if curves:
        check_out(curves, ())
    if (rate or price_per_hour) and not dry_run:
        raise BadInput("--rate and --price-per-hour are for --dry-run: add it, or leave them out")
    experiment = read_experiment(config, given)
    if curves and experiment.stop_rule:
        raise BadInput(f"--curves: {experiment.stop_rule} ends votes early, so there are none: leave one out")
    questions = load_questions(experiment.dataset, experiment.file, experiment.grader)
    if dry_run:
        from harness.run.dry_run import estimate

        lines = estimate(experiment, questions, out, rate, price_per_hour, fresh=restart)
        click.echo("\n".join(lines))
        return 0

    status = draw(experiment, questions, out, restart=restart)
    if curves and (out / SAMPLES).exists():
        click.get_current_context().invoke(curves_command, samples=(out,), out=curves)
        if status and (record := read_record(out)):
            for line in unfinished([record], read_samples(out, texts=False)).values():
                beside_the_bar(f"note: {curves} covers {line}")
    return status


@click.command(
    cls=Command,
    epilog="Example: tts force runs/gsm8k --setting 500 --at 25,50,100,200,400 --out runs/gsm8k-forced",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@about(
    ASKED,
    CAPS.option("--at", "Numbers of tokens to cut at.", required=True, default=None),
    click.option("--setting", help="The setting whose answers to cut; required if DIR has several."),
)
@about(
    DRAWN,
    set_option("Override a key of the run's experiment, such as concurrency. May be repeated."),
)
@run_options("New run folder.", "URL of a running server.  [default: the run's, or as for `tts sample`]")
def force(
    folder: Path,
    at: tuple[int, ...],
    setting: str | None,
    overrides: tuple[tuple[str, str], ...],
    out: Path,
    url: str | None,
    limit: str | None,
    restart: bool,
) -> int:
    """Cut stored answers at given lengths and force a final answer.

    DIR is a run folder of `tts sample`. Each answer is cut at the given number of tokens, ended with "The
    answer is ##", and continued for at most 16 tokens (budget forcing); a shorter answer is kept as it is.
    Each length becomes a setting, such as `forced=25`, whose T counts the tokens really kept and written. All
    settings cut the same answers, so `tts curves` and `tts compare` show the effect of length alone.

    You can stop it at any time. The same command resumes it, and includes answers sampled since.
    """
    from harness.questions.load import load_questions
    from harness.run.cut_answers import Stored
    from results import BadInput

    if out.resolve() == folder.resolve():
        raise BadInput(f"--out {out}: this is the run whose answers are ended: give another folder")
    stored = Stored(folder, setting, None if restart else out)
    given = keys_given(overrides, url=url, limit=limit)
    experiment = stored.experiment(sorted({*at}), given)
    questions = load_questions(experiment.dataset, experiment.file, experiment.grader)
    stored.check_asked(questions)
    stored.load_tokenizer(experiment)
    return draw(experiment, questions, out, restart=restart, stored=stored)


def draw(
    experiment: "Experiment",
    questions: "Sequence[Question]",
    out: Path,
    *,
    restart: bool,
    stored: "Stored | None" = None,
) -> int:
    """Sample what is missing in `out`, print the table of its answers, and return the exit status."""
    import os

    # Threads that busy-wait for one another get several times slower once another program needs a core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from harness.engines.factory import engine_for
    from harness.run.sampler import sample
    from harness.run.session import until_stopped
    from results.commandline import INTERRUPTED
    from results.terminal import plural

    work = sample(
        experiment,
        questions,
        out,
        lambda: engine_for(experiment, out / "server.log", beside_the_bar),
        restart=restart,
        say=beside_the_bar,
        stored=stored,
    )
    outcome = until_stopped(work)
    if outcome is None:
        beside_the_bar("error: stopped: run the same command again to resume")
        return INTERRUPTED
    if outcome.tally.answers:
        click.echo(outcome.tally.table())
    for line in outcome.told:
        click.echo(line)
    for warning in outcome.tally.warnings(out):
        beside_the_bar(f"warning: {warning}")
    failed = plural(len(outcome.failures), "request")
    missing = f"{outcome.missing} of {outcome.planned} answers are missing: {failed} failed"
    return status_of(outcome.missing, missing, "no answer", outcome.failures)


def beside_the_bar(line: str) -> None:
    """Print a line to stderr without breaking a progress bar."""
    import sys

    from tqdm import tqdm

    tqdm.write(line, file=sys.stderr)


def status_of(missing: int, line: str, what: str, failures: "Sequence[str]") -> int:
    """The exit status of a command, given how many answers are `missing`; prints why they are."""
    from results.terminal import visible

    for failure in failures[:FAILURES_SHOWN]:
        beside_the_bar(f"{what}: {visible(failure)}")
    if missing:
        beside_the_bar(f"error: {line}: run the same command again to ask for the rest")
    return INCOMPLETE if missing else 0

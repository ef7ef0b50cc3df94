"""tts force: end the stored answers of a run at given lengths.

$ tts force runs/tiny --setting 60 --at 10,20,40 --out runs/tiny-forced
... and a table of the answers, as in tally/counts.py; each setting ends the same answers
"""

from pathlib import Path

import click

from harness.cli.options import keys_given, run_options, set_option
from results.arguments import CAPS
from results.command_help import Command


@click.command(
    cls=Command,
    epilog="Example: tts force runs/gsm8k --setting 500 --at 25,50,100,200,400 --out runs/gsm8k-forced",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@CAPS.option("--at", "Tokens to keep.", required=True, default=None)
@click.option("--setting", help="The setting whose answers are ended; needed where DIR has several.")
@set_option("Replace a key of the run's experiment, such as engine or concurrency. May be repeated.")
@run_options("The new run's folder.", "A running server.  [default: that of the run, or as for `tts sample`]")
def force(
    folder: Path,
    at: tuple[int, ...],
    setting: str | None,
    overrides: tuple[tuple[str, str], ...],
    out: Path,
    url: str | None,
    limit: str | None,
    resume: bool,
    quarantine: bool,
) -> int:
    """End the stored answers of a run at given lengths.

    DIR is a folder of `tts sample`. Each of its answers is cut after so many tokens, ended with "The
    answer is ##", and continued for at most 16 tokens (budget forcing); a shorter answer stays as it is. A
    setting, such as `forced=25`, is a length, and its T is what was really kept and written. All settings end
    the same answers, so that `tts curves` and `tts compare` show what length alone is worth.

    You can stop it at any time. The same command goes on where it stopped, and includes answers sampled
    since.
    """
    from harness.cli.drawing import draw
    from harness.questions.load import load_questions
    from harness.run.stored import Stored
    from results import BadInput

    if out.resolve() == folder.resolve():
        raise BadInput(f"--out {out}: this is the run whose answers are ended: give another folder")
    stored = Stored(folder, setting, out if resume else None)
    given = keys_given(overrides, url, limit)
    experiment = stored.experiment(sorted({*at}), given)
    questions = load_questions(experiment.dataset, experiment.file, experiment.grader)
    stored.check_asked(questions)
    stored.load_tokenizer(experiment)
    return draw(experiment, questions, out, resume=resume, quarantine=quarantine, stored=stored)

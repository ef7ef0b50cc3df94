"""tts force: end the stored answers of a run at given lengths.

$ tts force runs/tiny --setting 60 --at 10,20,40 --out runs/tiny-forced
... and a table of the answers, as in tally/counts.py; each setting ends the same answers
"""

from pathlib import Path

import click

from harness.cli.options import keys_given, limit_option, resume_option, set_option
from results.command_help import Command


class Lengths(click.ParamType):  # type: ignore[type-arg]  # older click takes no argument here
    """Different numbers of tokens, such as 25,50,100."""

    name = "lengths"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The numbers, from the smallest on."""
        parts = [part.strip() for part in str(value).split(",")]
        if not all(part.isdecimal() and 0 < int(part) < 10**9 for part in parts):
            self.fail(f"{value!r} is not a list of numbers of tokens, such as 25,50,100.", param, ctx)
        return tuple(sorted({int(part) for part in parts}))


@click.command(
    cls=Command,
    epilog="Example: tts force runs/gsm8k --setting 500 --at 25,50,100,200,400 --out runs/gsm8k-forced",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--at", "lengths", required=True, type=Lengths(), metavar="LIST", help="Tokens to keep.")
@click.option("--setting", help="The setting whose answers are ended; needed where DIR has several.")
@set_option("Replace a key of the run's experiment, such as engine or concurrency. May be repeated.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The new run's folder."
)
@click.option("--url", help="A running server.  [default: that of the run, or as for `tts sample`]")
@limit_option
@resume_option
@click.option(
    "--quarantine", is_flag=True, help="Put rows that cannot be used aside and end their answers again."
)
def force(
    folder: Path,
    lengths: tuple[int, ...],
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
    experiment = stored.experiment(lengths, given)
    questions = load_questions(experiment.dataset, experiment.file, experiment.grader)
    stored.check_asked(questions)
    stored.load_tokenizer(experiment)
    return draw(experiment, questions, out, resume=resume, quarantine=quarantine, stored=stored)

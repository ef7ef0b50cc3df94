"""tts questions: load, count and optionally write out a set of questions."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.options import grader_option
from harness.grader import GraderName
from results.cli.options import out_option
from results.command_help import Command

if TYPE_CHECKING:
    from harness.questions.load import Question


@click.command(cls=Command, epilog="Example: tts questions math-level1-integer --file math/test.jsonl")
@click.argument("dataset")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="Local file with the rows of the data set, instead of the Hugging Face hub.",
)
@out_option("Write question_id, problem and gold to this file.", required=False)
@grader_option
def questions(dataset: str, file: Path | None, out: Path | None, grader: GraderName | None) -> None:
    """Count the questions in a data set.

    DATASET is gsm8k, math-level1-integer, math-level1-signed, math (all 5,000), math-500, multiple-choice
    (with --file), tiny, or your own file: CSV, JSONL or Parquet with the columns problem (or question), gold
    (or answer), and optionally question_id and choices. In your own file, correct answers are labels if there
    are choices, otherwise integers (or GSM8K's "... #### 18"); with --grader math, expressions.
    """
    import pandas as pd

    from harness.questions.load import load_questions
    from results.tables.contract import check_out
    from results.tables.files import write_raw
    from results.terminal import plural

    if out:
        check_out(out, [path for path in (file, Path(dataset)) if path and path.is_file()])
    loaded = load_questions(dataset, file, grader)
    if out:
        write_raw(pd.DataFrame(map(_row, loaded)), out)
    click.echo(f"{plural(len(loaded), 'question')}{f' -> {out}' if out else ''}")


def _row(question: "Question") -> dict[str, str]:
    row = {"question_id": question.question_id, "problem": question.problem, "gold": question.gold}
    return {**row, "labels": " ".join(question.labels)} if question.labels else row

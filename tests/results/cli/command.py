"""`tts …` run in this process, and input files for it."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from results import write_samples
from results.cli import cli
from tests.commands import exit_status


def results(*arguments: object) -> int:
    """The exit status of the command with these arguments."""
    return exit_status(cli, "results", *arguments)


def samples_file(path: Path, right: int, questions: int = 30, answers: int = 4, **constants: str) -> Path:
    """Write samples with `answers` answers to each question, `right` of them right; return `path`."""
    rows = [
        {"question_id": f"q{q}", "sample": i, "answer": "1" if i < right else "7", "gold": "1", "tokens": 10}
        for q in range(questions)
        for i in range(answers)
    ]
    write_samples(pd.DataFrame(rows).assign(**constants), path)
    return path


def joined(files: Sequence[Path], path: Path) -> Path:
    """Write the rows of several CSV files into one; return its path."""
    first, *others = (file.read_text().splitlines(keepends=True) for file in files)
    path.write_text("".join([*first, *(line for other in others for line in other[1:])]))
    return path

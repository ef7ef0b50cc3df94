"""The answers to judge in a run's folder; equal answers to one question are judged once.

    answers = Answers(Path("runs/gsm8k"), questions=None)
    answers.asked   {"5f1c…": Asked("gsm8k-test-0000", "Janet’s ducks lay …", "She sells 9 eggs. …"), …}

A question's text in the row of an imported table (`problem` or `question`) takes precedence over the run's
own questions, and `--questions` over both.
"""

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from harness.questions.hub_rows import file_rows
from harness.questions.load import DATASETS, first_filled, load_questions
from harness.store.record import problems_in
from harness.store.row import PROBLEM, Row, problem_beside
from harness.store.samples_file import SAMPLES, not_a_row, numbered_lines
from results import BadInput


class Asked(NamedTuple):
    """A question, and one answer's text."""

    question_id: str
    problem: str
    text: str

    @property
    def key(self) -> str:
        """A 128-bit digest of the question's and the answer's texts."""
        return hashlib.sha256(json.dumps([self.problem, self.text]).encode()).hexdigest()[:32]

    def __str__(self) -> str:
        return f"question {self.question_id}"


class Answers:
    """The answers in a folder's samples.jsonl."""

    def __init__(self, folder: Path, questions: str | None = None) -> None:
        """Read them. Raises BadInput: no answers, none with a text, a question whose text is unknown."""
        path = folder / SAMPLES
        if not path.exists():
            raise BadInput(f"{path}: no such file: only a folder with {SAMPLES} can be judged")
        self._folder, self._given = folder, questions
        self._datasets: dict[str, Any] = {}
        """The data set of each question whose text is looked up."""
        self.asked: dict[str, Asked] = {}
        """The distinct questions and answers, by key."""
        self.rows = self.without_text = 0
        """How many rows have a text to judge, and how many have none."""
        for number, line, row in numbered_lines(path):
            if row is None:
                raise BadInput(f"{path}: row {number}: {not_a_row(line)}")
            if (text := text_of(row)) is None:
                self.without_text += 1
                continue
            asked = self._asked_of(row, text, f"{path}: row {number}")
            self.asked.setdefault(asked.key, asked)
            self.rows += 1
        if not self.asked:
            raise BadInput(f"{path}: no texts: only answers with their text can be judged")

    def key(self, row: Row) -> str | None:
        """The key of a row of the folder; None for a row without a text."""
        text = text_of(row)
        return None if text is None else self._asked_of(row, text, "").key

    def _asked_of(self, row: Row, text: str, where: str) -> Asked:
        """The question and `text` of a row. Raises BadInput if the question's text is unknown."""
        question, problem = str(row.get("question_id")), problem_beside(row)
        if problem is None or self._given:
            problem = self._known.get(question)
            of, own = self._datasets.setdefault(question, row.get("dataset")), row.get("dataset")
            if of != own:
                raise BadInput(
                    f"{where}: question {question!r:.40} is in both {own} and {of}, which a table of "
                    "questions cannot tell apart: give the answers a column problem with the text of each"
                )
        if problem is None:
            raise BadInput(
                f"{where}: the text of question {question!r:.40} is not known here: give --questions FILE, "
                "a table with the columns question_id and problem"
            )
        return Asked(question, problem, text)

    @cached_property
    def _known(self) -> dict[str, str]:
        """The texts of questions by id."""
        return problems_of(self._given) if self._given else problems_in(self._folder)


def text_of(row: Row) -> str | None:
    """The text of a row's answer; None if it is missing or blank."""
    text = row.get("text")
    return text if isinstance(text, str) and text.strip() else None


def problems_of(source: str) -> dict[str, str]:
    """The texts of questions by id, of a named data set or in a file. Raises BadInput."""
    if source in DATASETS:
        return {question.question_id: question.problem for question in load_questions(source)}
    texts: dict[str, str] = {}
    for number, row in enumerate(file_rows(Path(source)), start=1):
        where = f"{source}: row {number}"
        question, problem = first_filled(row, where, "question_id"), first_filled(row, where, *PROBLEM)
        if question is None or problem is None:
            raise BadInput(f"{where}: no question_id, or no problem (or question)")
        if texts.setdefault(question, problem) != problem:
            raise BadInput(f"{where}: another problem of question {question!r:.40}, expected one")
    return texts

"""What is to be judged: the answers in a run's folder, equal answers to one question once.

    answers = Answers(Path("results/runs/gsm8k"), questions=None)
    answers.asked   {"5f1c…": Asked("gsm8k-test-0000", "Janet’s ducks lay …", "She sells 9 eggs. …"), …}

A text that stands beside a row of an imported table (`problem` or `question`) goes before the run's own
questions, and `--questions` before both.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from harness.questions.hub import file_rows
from harness.questions.load import DATASETS, load_questions
from harness.run.record import experiment_in
from harness.run.samples_file import SAMPLES, Row, not_a_row, numbered_lines
from results import BadInput


class Asked(NamedTuple):
    """A question, and one text that answers it."""

    question_id: str
    problem: str
    text: str


class Answers:
    """The answers in a folder's samples.jsonl."""

    def __init__(self, folder: Path, questions: str | None = None) -> None:
        """Read them. Raises BadInput: no answers, none with a text, a question whose text is not at hand."""
        path = folder / SAMPLES
        if not path.exists():
            raise BadInput(f"{path}: no such file: only a folder with {SAMPLES} can be judged")
        self._folder = folder
        self._problems = problems_of(questions) if questions else None
        self._given = questions is not None
        self.asked: dict[str, Asked] = {}
        """What is asked, by its key."""
        self.copies = Counter[str]()
        """How many rows have each key."""
        self.without_text = 0
        for number, line, row in numbered_lines(path):
            if row is None:
                raise BadInput(f"{path}: row {number}: {not_a_row(line)}")
            if (text := text_of(row)) is None:
                self.without_text += 1
                continue
            one = Asked(str(row.get("question_id")), self._problem(row, f"{path}: row {number}"), text)
            key = key_of(one)
            self.asked.setdefault(key, one)
            self.copies[key] += 1
        if not self.asked:
            raise BadInput(f"{path}: no texts: only answers with their text can be judged")

    def key(self, row: Row) -> str | None:
        """The key of a row of the folder; None for one without a text."""
        text = text_of(row)
        return (
            None if text is None else key_of(Asked(str(row.get("question_id")), self._problem(row, ""), text))
        )

    def _problem(self, row: Row, where: str) -> str:
        """The question that a row answers."""
        beside = [text for name in ("problem", "question") if isinstance(text := row.get(name), str)]
        if beside and not self._given:
            return beside[0]
        if self._problems is None:
            self._problems = problems_in(self._folder)
        question = str(row.get("question_id"))
        if question not in self._problems:
            raise BadInput(
                f"{where}: the text of question {question!r:.40} is not at hand: give --questions FILE, "
                "a table with the columns question_id and problem"
            )
        return self._problems[question]


def text_of(row: Row) -> str | None:
    """What a row's answer says; None where it has no text, or an empty one."""
    text = row.get("text")
    return text if isinstance(text, str) and text.strip() else None


def key_of(one: Asked) -> str:
    """What tells an answer to judge from others: 128 bits of the question's and the answer's texts."""
    return hashlib.sha256(json.dumps([one.problem, one.text]).encode()).hexdigest()[:32]


def problems_in(folder: Path) -> dict[str, str]:
    """The texts of the questions that the run in `folder` has asked; none where it is no run of ours."""
    experiment = experiment_in(folder)
    if experiment is None:
        return {}
    loaded = load_questions(experiment.dataset, experiment.file, experiment.grader)
    return {question.question_id: question.problem for question in loaded}


def problems_of(source: str) -> dict[str, str]:
    """The texts of questions by id: of a named data set, or in a file. Raises BadInput."""
    if source in DATASETS:
        return {question.question_id: question.problem for question in load_questions(source)}
    found = {}
    for number, row in enumerate(file_rows(Path(source)), start=1):
        problem = next(
            (text for name in ("problem", "question") if isinstance(text := row.get(name), str)), None
        )
        if problem is None or row.get("question_id") is None:
            raise BadInput(f"{source}: row {number}: no question_id, or no problem (or question) as text")
        found[str(row["question_id"])] = problem
    return found

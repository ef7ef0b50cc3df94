"""Runs with each grader: what is stored, what a stopped run goes on with, and what reading again gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.grader import Grader
from harness.questions.load import Question
from harness.store import regrade as regrading
from harness.store.record import experiment_in, grader_in
from results import read_samples, vote_curve
from results.tables.files import read_record
from tests.harness.commands import command
from tests.harness.run import scripted
from tests.harness.run.scripted import ScriptedEngine, run, stored

pytest.importorskip("math_verify")

EXPRESSIONS = [
    r"##\frac{2}{4}##",
    r"\boxed{\sqrt{12}}",
    "##0.5##",
    r"The answer is $2\sqrt{3}$.",
    "##sqrt(12)##",
]
LABELS = ["##(b)##", r"\boxed{\text{C}}", "The answer is B.", "##C. a coin##", "##C##"]


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Question 0 has an expression for an answer, the others labels of three choices."""
    labels = ("A", "B", "C")
    asked = [Question(f"q-{i}", f"Problem number {i}?", "B", labels) for i in range(4)]
    monkeypatch.setattr(scripted, "QUESTIONS", asked)


@pytest.fixture
def expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [Question(f"q-{i}", f"Problem number {i}?", r"\frac{1}{2}") for i in range(4)]
    monkeypatch.setattr(scripted, "QUESTIONS", asked)


def engine(texts: list[str]) -> ScriptedEngine:
    return ScriptedEngine(lambda _prompt, place: texts[place])


def answers(folder: Path) -> list[str]:
    return [row["answer"] for row in stored(folder)[:5]]


def sampled(folder: Path, texts: list[str], **changes: Any) -> None:
    readers = ("hashes", "boxed", "answer-is")
    run(folder, engine(texts), readers=readers, **changes)


@pytest.mark.usefixtures("expressions")
def test_equal_expressions_are_one_vote_right_and_wrong(tmp_path: Path) -> None:
    sampled(tmp_path, EXPRESSIONS, grader="math")
    assert answers(tmp_path) == [r"\frac{1}{2}", r"2 \sqrt{3}", r"\frac{1}{2}", r"2 \sqrt{3}", r"2 \sqrt{3}"]
    table = read_samples(tmp_path)
    assert table["correct"].tolist()[:5] == [True, False, True, False, False]
    assert vote_curve(table, ns=[5])["accuracy"].tolist() == [0.0, 0.0]  # three wrong against two right
    before = (tmp_path / "samples.jsonl").read_bytes()
    assert regrading.regrade(tmp_path, Grader(grader="math")).changed == 0
    assert (tmp_path / "samples.jsonl").read_bytes() == before


@pytest.mark.usefixtures("questions")
def test_labels_are_those_of_the_question_and_are_stored_for_reading_again(tmp_path: Path) -> None:
    sampled(tmp_path, LABELS, grader="choice")
    assert answers(tmp_path) == ["B", "C", "B", "C", "C"]
    assert {row["labels"] for row in stored(tmp_path)} == {"A B C"}
    before = (tmp_path / "samples.jsonl").read_bytes()
    assert command("regrade", tmp_path).exit_code == 0  # by the grader of the run
    assert (tmp_path / "samples.jsonl").read_bytes() == before
    assert grader_in(read_record(tmp_path) or {}).grader == "choice"


@pytest.mark.usefixtures("expressions")
def test_a_run_goes_on_with_another_grader_and_reads_its_answers_again(tmp_path: Path) -> None:
    said: list[str] = []
    sampled(tmp_path, ["##9##"] * 5, grader="math", say=said.append)
    rows = [row | {"text": "##(b)##"} for row in stored(tmp_path)]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row | {"gold": "B"}) + "\n" for row in rows))
    result = command("regrade", tmp_path, "--grader", "choice")
    assert result.exit_code == 0, result.output
    assert {row["answer"] for row in stored(tmp_path)} == {"B"}
    experiment = experiment_in(tmp_path)
    assert experiment is not None
    assert str(experiment.reading).endswith("--grader choice")


def test_readers_stay_those_of_the_last_reading_until_the_experiment_has_others(tmp_path: Path) -> None:
    """Going on read all answers as they were read before `regrade`, and a third could not be read."""
    said: list[str] = []

    def go_on(samples: int, *readers: str) -> set[str | None]:
        script = engine(["so it is 7"] * 9)
        run(tmp_path, script, readers=readers, samples=samples, say=said.append)
        return {row["answer"] for row in stored(tmp_path)}

    assert go_on(2, "hashes") == {None}
    assert command("regrade", tmp_path, "--reader", "hashes,last-number").exit_code == 0
    assert go_on(3, "hashes") == {"7"}  # old and new ones
    assert go_on(4, "hashes") == {"7"}
    assert "last-number" in said[-1]
    assert go_on(5, "boxed") == {None}
    assert command("regrade", tmp_path, "--reader", "last-number").exit_code == 0
    assert go_on(6, "hashes") == {None}
    assert go_on(7, "last-number") == {"7"}


def test_a_gold_that_is_no_integer_needs_another_grader(tmp_path: Path) -> None:
    run(tmp_path, engine(["##2##"] * 5))
    text = (tmp_path / "samples.jsonl").read_text()
    (tmp_path / "samples.jsonl").write_text(text.replace('"gold": "2"', r'"gold": "\\frac{1}{2}"'))
    refused = command("regrade", tmp_path)
    assert refused.exit_code == 2
    assert "other grader" in refused.output
    assert command("regrade", tmp_path, "--grader", "math").exit_code == 0


def test_wrong_answers_vote_in_one_spelling(tmp_path: Path) -> None:
    """Five right of sixteen and one wrong answer eleven times: the vote is wrong, however that is written."""
    for number, wrong in enumerate((["12.5"] * 11, ["13", "13.0", "$13", "13 eggs"] * 3, ["12 dozen"] * 11)):
        texts = [f"##{answer}##" for answer in ["2"] * 5 + wrong[:11]]
        sampled(tmp_path / str(number), texts, samples=16)
        asked = read_samples(tmp_path / str(number)).query("question_id == 'q-2'")
        assert asked["answer"].nunique() == 2
        assert vote_curve(asked, ns=[1, 16])["accuracy"].tolist() == pytest.approx([5 / 16, 0] * 2)

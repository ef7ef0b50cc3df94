"""Stored texts are read again: other verdicts, nothing sampled, nothing lost."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from harness.grader import Grader
from harness.store.record import asked_of, experiment_in
from harness.store.regrade import regrade
from results import BadInput, read_samples
from results.tables.files import read_record
from tests.harness.commands import command
from tests.harness.run.scripted import ScriptedEngine, run, stored

TEXTS = ["The answer is ##2##.", "so \\boxed{2}.", "The answer is 2.", "it is **2**.", "##2## … wait … ##3##"]
ALL = Grader(("hashes", "boxed", "answer-is", "last-number"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four questions, two settings, five answers; the right answers are 0 to 3."""
    run(tmp_path, ScriptedEngine(lambda _prompt, place: TEXTS[place]), readers=("hashes",))
    return tmp_path


def answers(folder: Path) -> list[str | None]:
    """The answers to question 2 in the first setting."""
    rows = [row for row in stored(folder) if (row["question_id"], row["setting"]) == ("q-2", "10")]
    assert [row["text"] for row in rows] == TEXTS
    assert all(row["correct"] == (row["answer"] == "2") for row in rows)
    return [row["answer"] for row in rows]


def test_texts_are_read_again_and_the_old_verdicts_kept(folder: Path) -> None:
    before = stored(folder)
    assert answers(folder) == ["2", None, None, None, "2"]
    found = regrade(folder, ALL)
    assert answers(folder) == ["2"] * 5
    assert (found.changed, found.tally.answers, found.tally.accuracy) == (24, 40, 0.25)
    verdicts = ("answer", "correct", "reader")
    kept = [{k: v for k, v in row.items() if k not in verdicts} for row in before]
    assert [{k: v for k, v in row.items() if k not in verdicts} for row in stored(folder)] == kept
    with found.kept.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["answer"] or None for row in rows] == [row["answer"] for row in before]
    assert [(row["question_id"], int(row["sample"])) for row in rows] == [
        (row["question_id"], row["sample"]) for row in before
    ]
    assert len(read_samples(folder)) == 40
    assert regrade(folder, Grader(("last-number",))).changed == 8  # 3 for 2; another reader is no change


def test_the_old_verdicts_hold_no_formula(folder: Path) -> None:
    rows = [row | {"answer": "=1+1", "question_id": "@q"} for row in stored(folder)]
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with regrade(folder, ALL).kept.open(newline="") as file:
        told = [(row["question_id"], row["answer"]) for row in csv.DictReader(file)]
    assert set(told) == {("'@q", "'=1+1")}


def test_a_choice_is_read_among_the_labels_of_its_own_question(folder: Path) -> None:
    asked = {
        "q-0": ("i ii iii", "##(II)##", "ii"),
        "q-1": ("A B", "##b##", "B"),
        "q-2": ("A B", "##(a)##", "A"),
    }
    golds = {"q-0": "ii", "q-1": "B", "q-2": "A"}
    rows = []
    for row in stored(folder):
        labels, text, _ = asked.get(row["question_id"], asked["q-2"])
        gold = golds.get(row["question_id"], "A")
        rows.append(row | {"labels": labels, "text": text, "gold": gold})
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    regrade(folder, Grader(("hashes",), "last", "choice"))
    read = {row["question_id"]: row["answer"] for row in stored(folder)}
    assert {name: read[name] for name in asked} == {name: answer for name, (_, _, answer) in asked.items()}


def test_the_command_reads_as_the_run_did(tmp_path: Path) -> None:
    """The grader of the run's record, where none is named."""
    run(tmp_path, ScriptedEngine(lambda _prompt, _place: "The answer is (B)."), grader="choice")
    rows = [row | {"gold": "B", "labels": "A B"} for row in stored(tmp_path)]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert command("regrade", tmp_path, "--reader", "answer-is").exit_code == 0
    assert {(row["answer"], row["correct"]) for row in stored(tmp_path)} == {("B", True)}


def test_an_answer_that_was_cut_off_is_read_as_such(folder: Path) -> None:
    rows = [
        row | {"text": "The answer is 2", "finish_reason": end}
        for row in stored(folder)[:1]
        for end in ("length", "stop")
    ]
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert regrade(folder, ALL).changed == 1
    assert [row["answer"] for row in stored(folder)] == [None, "2"]


def test_the_record_says_what_was_read_again(folder: Path) -> None:
    assert "readings" in (read_record(folder) or {})
    regrade(folder, Grader(("boxed",), "last"))
    kept = regrade(folder, ALL).kept
    record = read_record(folder) or {}
    assert [note["now"]["readers"] for note in record["readings"]] == [["boxed"], list(ALL.readers)]
    assert record["readings"][1]["before"] == {"readers": ["boxed"], "match": "last", "grader": "integer"}
    assert record["readings"][1]["verdicts_before"] == kept.name
    assert [note["changed"] for note in record["readings"]] == [24, 32]
    assert sum(setting["read_by"]["boxed"] for setting in record["summary"]["settings"]) == 8
    experiment = experiment_in(folder)
    assert experiment is not None
    assert experiment.reading == ALL
    assert asked_of(record).readers == ("hashes",)  # before the first of them
    assert len(list(folder.glob("verdicts-*.csv"))) == 2


def test_a_run_goes_on_with_other_readers_and_says_so(folder: Path) -> None:
    said: list[str] = []
    engine = ScriptedEngine(lambda _prompt, _place: "so \\boxed{2}.")
    outcome = run(folder, engine, say=said.append, samples=6, readers=ALL.readers)
    assert len(engine.asked) == 8  # the sixth answers alone
    assert len(said) == 1
    assert "24 differ" in said[0]
    assert str(ALL) in said[0]
    assert {row["answer"] for row in stored(folder)} == {"2"}
    assert outcome.tally.answers == 48
    assert run(folder, engine, say=said.append, samples=6, readers=ALL.readers).missing == 0
    assert len(said) == 1
    record = read_record(folder) or {}
    assert len(record["readings"]) == 1
    assert len(record["sessions"]) == 2
    for _ in range(2):  # the second time nothing differs any more
        run(folder, engine, say=said.append, samples=6, readers=ALL.readers, match="last")
        assert len(said) == 2
    (folder / "samples.jsonl").unlink()  # as after a run that was killed before its first answer
    assert run(folder, engine, say=said.append, readers=("boxed",)).missing == 0
    assert len(said) == 2


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"text": None}, r"row 41: no text"), ({"gold": None}, r"row 41: "), ({"gold": "x"}, r"row 41: .*'x'")],
)
def test_what_cannot_be_read_again_changes_nothing(folder: Path, changes: dict[str, Any], named: str) -> None:
    with (folder / "samples.jsonl").open("a") as file:
        file.write(json.dumps(stored(folder)[0] | changes) + "\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BadInput, match=named):
        regrade(folder, ALL)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("content", [None, "not JSON", '{"experiment": null}', '{"experiment": {"a": 1}}'])
def test_a_table_without_a_record_of_ours_is_read_too(folder: Path, content: str | None) -> None:
    (folder / "run.json").unlink()
    if content:
        (folder / "run.json").write_text(content)
    assert regrade(folder, ALL).changed == 24
    assert answers(folder) == ["2"] * 5

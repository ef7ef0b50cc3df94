"""Stored texts are read again, by command or on resuming: verdicts change, nothing is sampled or lost."""

import csv
from pathlib import Path
from typing import Any

import pytest

from harness.grader import Grader
from harness.questions.load import Question
from harness.store.record import asked_of, experiment_in
from harness.store.regrade import regrade
from results import BadInput
from tests.harness.commands import command
from tests.harness.run import scripted
from tests.harness.run.rows import change_record, record_in, rewrite, stored
from tests.harness.run.scripted import ScriptedEngine, run

TEXTS = ["The answer is ##2##.", "so \\boxed{2}.", "The answer is 2.", "it is **2**.", "##2## … wait … ##3##"]
ALL = Grader(("hashes", "boxed", "answer-is", "last-number"))
VERDICT = ("answer", "correct", "reader")


def saying(*texts: str) -> ScriptedEngine:
    """An engine that answers each question with these texts."""
    return ScriptedEngine(lambda _prompt, place: texts[place % len(texts)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of four questions (right answers 0 to 3) with five answers at each of two settings."""
    run(tmp_path, saying(*TEXTS), readers=("hashes",))
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
    ((_, tally),) = found.tallies.named
    assert (found.changed, tally.answers, tally.accuracy) == (24, 40, 0.25)
    for then, now in zip(before, stored(folder), strict=True):
        assert then == now | {name: then[name] for name in VERDICT}
    with found.kept.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, then in zip(rows, before, strict=True):
        assert (row["question_id"], row["sample"]) == (then["question_id"], str(then["sample"]))
        assert row["answer"] == (then["answer"] or "")
    assert regrade(folder, Grader(("last-number",))).changed == 8  # 3 for 2; a new reader alone is no change


def test_the_old_verdicts_hold_no_formula(folder: Path) -> None:
    rewrite(folder, [row | {"answer": "=1+1", "question_id": "@q"} for row in stored(folder)])
    with regrade(folder, ALL).kept.open(newline="") as file:
        told = {(row["question_id"], row["answer"]) for row in csv.DictReader(file)}
    assert told == {("'@q", "'=1+1")}


def test_a_choice_is_read_among_the_labels_of_its_own_question(folder: Path) -> None:
    others, own, *_ = stored(folder)
    letters = others | {"labels": "A B", "text": "##(a)##", "gold": "A"}
    numerals = own | {"labels": "i ii iii", "text": "##(II)##", "gold": "ii", "question_id": "own"}
    small = letters | {"labels": "a b", "question_id": "small"}  # the same gold, which is its label "a"
    rewrite(folder, [letters, numerals, letters | {"sample": 1, "text": "##b##"}, small])
    regrade(folder, Grader(("hashes",), "last", "choice"))
    assert [row["answer"] for row in stored(folder)] == ["A", "ii", "B", "a"]
    assert [row["correct"] for row in stored(folder)] == [True, True, False, True]
    rewrite(folder, [letters | {"text": "The answer is (b)."}])
    auto = command("regrade", folder, "--reader", "auto", "--grader", "choice")
    assert "answer-is 1, last-number 0; read by answer-is: 1" in auto.output


def test_an_answer_that_was_cut_off_is_read_as_such(folder: Path) -> None:
    row = stored(folder)[0] | {"text": "The answer is 2"}
    rewrite(folder, [row | {"finish_reason": end, "dataset": end} for end in ("length", "stop")])
    assert regrade(folder, ALL).changed == 1
    assert [row["answer"] for row in stored(folder)] == [None, "2"]
    told = command("regrade", folder).output
    assert all(part in told for part in ("on length: 1 answer\n", "on stop: 1 ", " of 2 answers are"))


def test_the_record_says_what_was_read_again(folder: Path) -> None:
    assert "readings" in record_in(folder)
    regrade(folder, Grader(("boxed",), "last"))
    kept = regrade(folder, ALL).kept
    record = record_in(folder)
    assert [note["now"]["readers"] for note in record["readings"]] == [["boxed"], list(ALL.readers)]
    assert record["readings"][1]["before"] == {"readers": ["boxed"], "match": "last", "grader": "integer"}
    assert record["readings"][1]["verdicts_before"] == kept.name
    assert [note["changed"] for note in record["readings"]] == [24, 32]
    assert sum(setting["read_by"]["boxed"] for setting in record["summary"]["settings"]) == 8
    experiment = experiment_in(folder)
    assert experiment is not None
    assert experiment.reading == ALL
    assert asked_of(record).readers == ("hashes",)  # the readers before any regrading
    assert len(list(folder.glob("verdicts-*.csv"))) == 2


def test_a_run_goes_on_with_other_readers_and_says_so_once(folder: Path) -> None:
    said: list[str] = []
    engine = saying("so \\boxed{2}.")

    def go_on(**changes: Any) -> int:
        assert (
            run(folder, engine, say=said.append, **{"samples": 6, "readers": ALL.readers, **changes}).missing
            == 0
        )
        return len(said)

    assert go_on() == 1
    assert len(engine.asked) == 8  # only the sixth answers
    assert "24 differ" in said[0]
    assert str(ALL) in said[0]
    assert {row["answer"] for row in stored(folder)} == {"2"}
    assert go_on() == 1
    assert len(record_in(folder)["readings"]) == 1
    assert len(record_in(folder)["sessions"]) == 2
    assert go_on(match="last") == go_on(match="last") == 2  # nothing differs the second time
    (folder / "samples.jsonl").unlink()  # as after a run that was killed before its first answer
    assert go_on(readers=("boxed",)) == 2


def test_readers_stay_those_of_the_last_reading_until_the_experiment_has_others(tmp_path: Path) -> None:
    """Once, resuming read all answers as before `regrade`, and a third could not be read."""
    said: list[str] = []

    def go_on(samples: int, *readers: str) -> set[str | None]:
        run(tmp_path, saying("so it is 7"), readers=readers, samples=samples, say=said.append)
        return {row["answer"] for row in stored(tmp_path)}

    assert go_on(2, "hashes") == {None}
    assert command("regrade", tmp_path, "--reader", "hashes, last-number").exit_code == 0
    assert go_on(3, "hashes") == {"7"}  # old and new answers
    assert go_on(4, "hashes") == {"7"}
    assert "last-number" in said[-1]
    assert go_on(5, "boxed") == {None}
    for readers in ("last-number", "last-number,boxed"):
        assert command("regrade", tmp_path, "--reader", readers).exit_code == 0
    assert go_on(6, "boxed") == {"7"}  # the experiment's readers from before both regradings
    assert go_on(7, "hashes") == {None}
    assert go_on(8, "last-number") == {"7"}


EXPRESSIONS = [r"##\frac{2}{4}##", r"\boxed{\sqrt{12}}", "##0.5##", r"is $2\sqrt{3}$.", "##sqrt(12)##"]
HALF, ROOT = r"\frac{1}{2}", r"2 \sqrt{3}"
LABELS = ["##(b)##", r"\boxed{\text{C}}", "The answer is B.", "##C. a coin##", "##C##"]


@pytest.mark.parametrize(
    ("grader", "gold", "labels", "texts", "read"),
    [
        ("math", HALF, (), EXPRESSIONS, [HALF, ROOT, HALF, None, ROOT]),
        ("choice", "B", ("A", "B", "C"), LABELS, ["B", "C", "B", "C", "C"]),
    ],
)
def test_the_grader_of_a_run_reads_its_answers_again_where_none_is_named(
    grader: str,
    gold: str,
    labels: tuple[str, ...],
    texts: list[str],
    read: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Equal expressions share one vote, right or wrong; labels are stored with their answers."""
    if grader == "math":
        pytest.importorskip("math_verify")
    questions = [Question(f"q-{i}", f"Problem number {i}?", gold, labels) for i in range(4)]
    monkeypatch.setattr(scripted, "QUESTIONS", questions)
    run(tmp_path, saying(*texts), readers=("hashes", "boxed", "answer-is"), grader=grader)
    rows = stored(tmp_path)
    assert [row["answer"] for row in rows[:5]] == read
    assert [row["correct"] for row in rows[:5]] == [answer == gold for answer in read]
    assert {row.get("labels", "") for row in rows} == {" ".join(labels)}
    assert command("regrade", tmp_path).exit_code == 0
    assert stored(tmp_path) == rows
    other = command("regrade", tmp_path, "--grader", "integer")
    assert (other.exit_code, "other grader" in other.output) == (2, True)
    assert stored(tmp_path) == rows


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"text": None}, r"row 41: no text"), ({"gold": None}, r"row 41: "), ({"gold": "x"}, r"row 41: .*'x'")],
)
def test_what_cannot_be_read_again_changes_nothing(folder: Path, changes: dict[str, Any], named: str) -> None:
    rows = stored(folder)
    rewrite(folder, [*rows, rows[0] | changes])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BadInput, match=named):
        regrade(folder, ALL)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("record", [None, "not JSON", {"experiment": None}, {"experiment": {"a": 1}}])
def test_a_table_without_a_record_of_ours_is_read_too(folder: Path, record: Any) -> None:
    (folder / "run.json").unlink()
    if record:
        change_record(folder, record)
    assert regrade(folder, ALL).changed == 24
    assert answers(folder) == ["2"] * 5

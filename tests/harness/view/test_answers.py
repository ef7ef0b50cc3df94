"""tts inspect: what is shown of a run, and what is kept from the terminal."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.experiment import read_experiment
from harness.questions.load import load_questions
from harness.store.record import Record
from harness.view import overview, read_blocks, thinned
from results import write_samples
from tests.harness.commands import command
from tests.harness.run.rows import rewrite
from tests.harness.run.rows import row as one_row

QUESTIONS = load_questions("tiny")[:3]


def inspect(*arguments: object) -> tuple[int, list[str], str]:
    """The exit status of `tts inspect`, its lines, and what is said of errors."""
    done = command("inspect", *arguments)
    return done.exit_code, done.stdout.splitlines(), done.stderr


def row(
    question: int, setting: str, sample: int, answer: str | None, text: str, **more: Any
) -> dict[str, Any]:
    asked = QUESTIONS[question]
    verdict = {"answer": answer, "gold": asked.gold, "correct": answer == asked.gold}
    return one_row(sample, text, setting, question_id=asked.question_id, **verdict, **more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An unfinished run: three questions, two settings, and a half-written line."""
    experiment = read_experiment("tiny", {"budgets": "10,100", "samples": "1"})
    Record(tmp_path, experiment, QUESTIONS).begin({}, planned=6)
    gold = QUESTIONS[0].gold
    rows = [
        row(0, "100", 0, gold, f"It is\n##{gold}##."),
        row(0, "100", 1, "7", "\x1b[2JIt is ##7##.\x9b\u202e"),
        row(0, "100", 2, "7", "It is ##7##.", tokens=264, finish_reason="length"),
        row(0, "100", 3, None, "I cannot help with that."),
        row(0, "10", 0, gold, "first word " + "word " * 200 + "last words"),
        row(0, "10", 0, "8", "greedy", decoding="greedy"),
        *(row(1, "10", n, QUESTIONS[1].gold, "right") for n in range(4)),
        row(2, "10", 0, None, ""),
    ]
    rewrite(tmp_path, rows)
    with (tmp_path / "samples.jsonl").open("a") as file:
        file.write('{"question_id": "tiny-0000", "sett')
    return tmp_path


def test_the_overview_has_the_questions_worth_a_look_and_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    code, out, err = inspect(folder)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out[9:]] == ["tiny-0002", "tiny-0000", "tiny-0001"]
    monkeypatch.setattr("harness.view.HARDEST", 1)
    assert [line.split()[0] for line in inspect(folder)[1][9:]] == ["tiny-0002"]
    assert inspect(folder, "--setting", "100")[1][0].endswith(": 4 answers")
    assert before == {file.name: file.read_bytes() for file in folder.iterdir()}


def test_texts_of_a_question_are_escaped_and_shortened_unless_asked_for_as_a_whole(folder: Path) -> None:
    _, out, _ = inspect(folder, "--question", "tiny-0000")
    assert any(line.startswith("setting 10, greedy: 1 answer, 0 right") for line in out)
    assert any(line.endswith(f"; votes ✗ 7 ×2, ✓ {QUESTIONS[0].gold} ×1") for line in out)
    (shortened,) = [line for line in out if "first word" in line]
    assert " … " in shortened
    assert shortened.endswith("last words")
    assert len(shortened) < 420
    assert "      \\x1b[2JIt is ##7##.\\x9b\\u202e" in out
    assert max(map(len, inspect(folder, "--question", "tiny-0000", "--full")[1])) > 1000


def test_what_is_not_there_is_one_line(folder: Path) -> None:
    said = inspect(folder, "--question", "tiny-0001", "--setting", "\x1b")
    line = "no answers with question_id 'tiny-0001' and setting '\\x1b'"
    assert said == (2, [], f"Error: {folder}/samples.jsonl: {line}\n")
    assert inspect(folder, folder / "samples.jsonl")[0] == 2  # the same answers twice


def test_marks_are_crossed_and_an_answer_of_two_runs_is_refused(folder: Path) -> None:
    _, out, _ = inspect(folder, "--wrong", "--cut-off", "--setting", "100", "--limit", 1)
    assert "--limit" not in " ".join(out)  # there are no more
    assert out[1] == "setting 100: 1 of 4 answers are wrong and cut-off"
    assert [line.split()[-3:] for line in out if "sample" in line] == [["…", "cut", "off"]]
    shutil.copytree(folder, again := folder.with_name("again"))
    code, out, err = inspect(folder, again)
    assert (code, out, "a second row for" in err) == (2, [], True)
    rows = (again / "samples.jsonl").read_text()
    (again / "samples.jsonl").write_text(rows[: rows.index("\n") + 1] + rows)
    code, out, err = inspect(again)
    assert (code, out, "a second row for" in err) == (2, [], True)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_folder_of_another_tool_s_answers_can_be_read_too(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"question_id": "p\x1b1", "sample": n, "answer": answer, "gold": "1", "model": model}
        for model in ("one", "two")
        for n, answer in enumerate("112")
    ]
    write_samples(pd.DataFrame(rows), tmp_path / f"samples.{suffix}")
    assert inspect(tmp_path)[1][-1].split() == ["p\\x1b1", "6", "66.7%", "0.0%"]
    _, out, err = inspect(tmp_path, "--question", "p\x1b1", "--wrong")
    assert (out[:2], err) == (["question p\\x1b1, gold 1", "  (text not available)"], "")
    assert "setting default, one: 1 of 3 answers are wrong; votes ✓ 1 ×2, ✗ 2 ×1" in out


def test_an_empty_folder_is_one_line(tmp_path: Path) -> None:
    assert inspect(tmp_path)[2].startswith(f"Error: {tmp_path}: no samples.jsonl")
    (tmp_path / "samples.jsonl").touch()
    assert inspect(tmp_path)[2].startswith(f"Error: {tmp_path}/samples.jsonl: ")
    Record(tmp_path, read_experiment("tiny"), QUESTIONS).begin({}, planned=99)
    assert inspect(tmp_path)[::2] == (2, f"Error: {tmp_path}/samples.jsonl: no answers\n")


def test_texts_that_are_not_shown_are_not_kept() -> None:
    """A run of 700,000 answers has more text than memory: two are shown of each group here."""
    groups = [("a", "10", "sample"), ("b", "10", "sample"), ("a", "20", "sample"), ("a", "10", "greedy")]
    rows = [
        row(0, setting, n, "7" if n else QUESTIONS[0].gold, "a text", model=model, decoding=decoding)
        for model, setting, decoding in groups
        for n in range(4)
    ]
    kept = [[each["text"] for each in thinned(rows, only, 2)] for only in ([], ["wrong"])]
    assert kept[0] == ["a text", "a text", None, None] * len(groups)
    assert kept[1] == [None, "a text", "a text", None] * len(groups)


def test_a_question_is_that_of_its_own_data_set(tmp_path: Path) -> None:
    rows = [
        {"question_id": "q", "sample": n, "answer": answer, "gold": gold, "dataset": dataset}
        for dataset, gold in (("sums", "7"), ("words", "yes"))
        for n, answer in enumerate((gold, "no"))
    ]
    rows.append({"question_id": "r", "sample": 0, "answer": "no", "gold": "no", "dataset": "sums"})
    table = pd.DataFrame(rows)
    write_samples(table.assign(problem=" ", question=table["gold"] + "?"), tmp_path / "both.jsonl")
    _, out, _ = inspect(tmp_path / "both.jsonl", "--question", "q", "--limit", 1)
    for dataset, gold in (("sums", "7"), ("words", "yes")):
        place = out.index(f"question q on {dataset}, gold {gold}")
        assert out[place + 1] == f"  {gold}?"
        assert sum(line.endswith(f"; votes ✓ {gold} ×1, ✗ no ×1") for line in out) == 1
    assert sum("sample 0" in line for line in out) == 2  # the limit applies to each


def test_an_overview_holds_some_rows_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the rows may not fit into memory."""
    alive, most = 0, 0

    class Watched(dict[str, Any]):
        def __init__(self, line: bytes) -> None:
            nonlocal alive, most
            super().__init__(json.loads(line))
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    monkeypatch.setattr("harness.store.samples_file.from_json", Watched)
    monkeypatch.setattr("harness.store.samples_file.ROWS_AT_A_TIME", 2)
    path = folder / "samples.jsonl"
    assert next(overview(read_blocks([path], None, None), [path])).endswith("11 answers")
    assert 2 <= most <= 4


def test_questions_of_one_name_are_counted_in_each_data_set(folder: Path) -> None:
    rows = [row(0, "10", 0, QUESTIONS[0].gold, "right"), row(0, "10", 0, "8", "wrong", dataset="other")]
    *_, hardest, easiest = overview([rows], [folder / "samples.jsonl"])
    assert hardest.split() == ["tiny-0000", "on", "other", "1", "0.0%", "0.0%"]
    assert easiest.split() == ["tiny-0000", "on", "tiny", "1", "100.0%", "0.0%"]
    rewrite(folder, rows)
    assert inspect(folder, "--question", "tiny-0000")[1].count("  (text not available)") == 1
    named = overview([[row(0, "10", 0, None, "")]], [folder / "mine.csv"])
    assert any(f"{folder}/mine.csv" in line for line in named)  # the folder may hold other tables

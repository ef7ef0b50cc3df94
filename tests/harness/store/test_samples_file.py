"""samples.jsonl: all of the rows are added or none, and every reader sees them at once."""

import errno
import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.store import samples_file
from harness.store.samples_file import LOCK, SAMPLES, Moved, SamplesFile, read_rows
from results import BadInput
from tests.harness.run.rows import row, stored, write
from tests.harness.run.scripted import ScriptedEngine, run


def test_rows_are_visible_to_others_before_the_file_is_closed(tmp_path: Path) -> None:
    with SamplesFile(tmp_path) as file:
        assert not (tmp_path / SAMPLES).exists()
        file.append(row(0))
        assert stored(tmp_path) == [row(0)]
        file.append(row(1, reasoning="so", reasoning_tokens=1))
        assert stored(tmp_path) == list(read_rows(tmp_path / SAMPLES)) != [row(0)]


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Act as if the disk were full once a file has `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@given(share=st.floats(0, 0.99))
def test_a_write_that_fails_anywhere_is_undone(
    share: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    before = write(folder, [row(0)])
    with SamplesFile(folder) as file:
        room = int(len(before) * share)  # the new row is as long as the old one
        with (
            no_file_beyond(len(before) + room),
            pytest.raises(BadInput, match=r"samples\.jsonl: file too large"),
        ):
            file.append(row(2))
        assert (folder / SAMPLES).read_bytes() == before
        file.append(row(2))  # there is room again
    assert stored(folder) == [row(0), row(2)]


def test_an_error_on_leaving_does_not_hide_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(BadInput, match=r"samples\.jsonl: input/output error"):
        write(tmp_path, [row(0)])
    file = SamplesFile(tmp_path)
    file.append(row(1))
    file.__exit__(RuntimeError, RuntimeError("before"), None)


@pytest.mark.parametrize("text", ["two\nlines", "\u2028", "\ud800 half a pair", "\x00", '"}', "é" * 5000])
def test_any_text_stays_one_line(tmp_path: Path, text: str) -> None:
    write(tmp_path, [row(0, text), row(1)])
    found = list(read_rows(tmp_path / SAMPLES))
    assert found == [row(0, text.replace("\ud800", "?")), row(1)]


BAD_LINES = [
    *("not JSON", "[]", "7", '{"question_id": "tiny-0000"}', "\xff", "\0" * 20, "[" * 100_000),
    *(json.dumps(row(7) | {"sample": wrong}) for wrong in (None, "7", 7.0, True, [7])),
    *(json.dumps(row(7) | {name: {}}) for name in ("question_id", "tokens", "correct", "text")),
    *("{}{}", '{"a":\n1}', json.dumps({name: cell for name, cell in row(7).items() if name != "seed"})),
    *(json.dumps(row(7) | wrong) for wrong in ({"tokens": 2.0}, {"correct": 1}, {"text": None})),
    *(json.dumps(row(7) | wrong) for wrong in ({"gold": 18}, {"logprob": 1}, {"reasoning": None})),
]


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: line[:30] + line[-30:])
def test_a_bad_row_before_the_last_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    good = json.dumps(row(0)).encode() + b"\n"
    (tmp_path / SAMPLES).write_bytes(good + line.encode("latin-1") + b"\n" + good)
    with pytest.raises(BadInput, match=r"samples\.jsonl: row 2: "):
        list(read_rows(tmp_path / SAMPLES))


def test_blank_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / SAMPLES
    good = json.dumps(row(0)).encode() + b"\n"
    path.write_bytes(b"\n" + good + b"  \n")
    assert list(read_rows(path)) == [row(0)]
    path.write_bytes(b"\n" + good + b"  \n[]\n")
    with pytest.raises(BadInput, match="row 4: "):
        list(read_rows(path))


def replace(folder: Path) -> None:
    content = (folder / SAMPLES).read_bytes()
    (folder / SAMPLES).rename(folder / "elsewhere")
    (folder / SAMPLES).write_bytes(content)


CHANGES: dict[str, Callable[[Path], Any]] = {
    "remove": lambda folder: (folder / SAMPLES).unlink(),
    "replace": replace,
    "move": lambda folder: folder.rename(folder.with_name("elsewhere")),
    "unlock": lambda folder: (folder / LOCK).unlink(),
}


@pytest.mark.parametrize("seconds", [-1.0, 5.0])
@pytest.mark.parametrize("change", CHANGES)
def test_files_that_go_under_a_run_end_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, seconds: float
) -> None:
    """Neither run.json nor a second samples.jsonl is created where the folder was."""
    folder = tmp_path / "run"

    def script(_prompt: str, _place: int) -> None:
        if (folder / SAMPLES).exists() and len(stored(folder)) == 4:
            monkeypatch.setattr(samples_file, "SYNC_SECONDS", seconds)
            CHANGES[change](folder)

    with pytest.raises(Moved, match="moved, removed or replaced"):
        run(folder, ScriptedEngine(script), samples=4, concurrency=1)
    assert folder.exists() == (change != "move")
    files = [path for path in tmp_path.rglob("*") if path.name in (SAMPLES, "elsewhere") and path.is_file()]
    assert seconds > 0 or all(len(path.read_bytes().splitlines()) < 32 for path in files)


def test_rows_of_one_question_are_found_without_reading_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["q-1", "q-10", 'with "quotes"', "übrig"]
    write(tmp_path, [row(i, question_id=name, text=f"about {names[0]}") for name in names for i in range(3)])
    parsed: list[bytes] = []
    parse = samples_file.from_json
    monkeypatch.setattr(samples_file, "from_json", lambda line: parsed.append(line) or parse(line))
    for name in names:
        parsed.clear()
        found = list(read_rows(tmp_path / SAMPLES, question_id=name, setting=None))
        assert [(one["question_id"], one["sample"]) for one in found] == [(name, i) for i in range(3)]
        assert len(parsed) == (3 if name.isascii() else 12)
    assert len(list(read_rows(tmp_path / SAMPLES))) == 12
    assert list(read_rows(tmp_path / SAMPLES, question_id="q-1", setting="none")) == []

"""samples.jsonl: nothing is lost, nothing is there twice, whenever the writer is killed."""

import errno
import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.run.store import SAMPLES, SampleStore, key_of, locked
from results import BadInput


def row(sample: int, text: str = "The answer is ##18##.", setting: str = "40") -> dict[str, Any]:
    return {
        "question_id": "tiny-0000",
        "setting": setting,
        "sample": sample,
        "answer": "18",
        "gold": "18",
        "correct": True,
        "tokens": 9,
        "finish_reason": "stop",
        "prompt_tokens": 71,
        "seed": None,
        "text": text,
        "dataset": "tiny",
        "model": "tiny",
        "decoding": "sample",
    }


def stored(folder: Path) -> list[dict[str, Any]]:
    """The rows that a reader other than the store sees."""
    return [json.loads(line) for line in (folder / SAMPLES).read_bytes().splitlines()]


def write(folder: Path, rows: list[dict[str, Any]]) -> None:
    with SampleStore(folder, lambda _: None) as store:
        store.append(rows)


def test_rows_come_back_with_the_indices_that_are_done(tmp_path: Path) -> None:
    write(tmp_path, [row(0), row(2), row(0, setting="60")])
    seen: list[dict[str, Any]] = []
    with SampleStore(tmp_path, seen.append) as store:
        assert store.done == {("tiny-0000", "40", "sample"): {0, 2}, ("tiny-0000", "60", "sample"): {0}}
    assert seen == [row(0), row(2), row(0, setting="60")]


def test_rows_are_visible_to_others_before_the_store_is_closed(tmp_path: Path) -> None:
    with SampleStore(tmp_path, lambda _: None) as store:
        store.append([row(0), row(1)])
        assert len(stored(tmp_path)) == 2
        store.append([row(2)])
        assert len(stored(tmp_path)) == 3


def test_an_unused_store_leaves_no_file(tmp_path: Path) -> None:
    with SampleStore(tmp_path, lambda _: None):
        pass
    assert not (tmp_path / SAMPLES).exists()


@given(texts=st.lists(st.text(max_size=30), min_size=1, max_size=4), data=st.data())
def test_a_file_cut_anywhere_keeps_its_whole_rows_and_takes_the_others_again(
    texts: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    rows = [row(index, text) for index, text in enumerate(texts)]
    write(folder, rows)
    path = folder / SAMPLES
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    # A row counts once its closing brace is there, with or without its newline.
    expected = sum(end <= cut + 1 for end in _line_ends(whole))
    with SampleStore(folder, lambda _: None) as store:
        assert store.done.get(key_of(rows[0]), set()) == set(range(expected))
        if rows[expected:]:
            store.append(rows[expected:])
    assert path.read_bytes() == whole


def _line_ends(content: bytes) -> list[int]:
    return [index + 1 for index, byte in enumerate(content) if byte == ord("\n")]


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """As if the disk were full once a file has `size` bytes."""
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
    write(folder, [row(0), row(1)])
    before = (folder / SAMPLES).read_bytes()
    counted: list[dict[str, Any]] = []
    with SampleStore(folder, counted.append) as store:
        full = r"samples\.jsonl: file too large: what it holds is whole; .* the same command goes on"
        room = int(len(before) * share)  # the rows to come are as long as those before
        with no_file_beyond(len(before) + room), pytest.raises(BadInput, match=full):
            store.append([row(2), row(3)])
        assert (folder / SAMPLES).read_bytes() == before
        assert len(counted) == 2
        assert store.done == {key_of(row(0)): {0, 1}}
        store.append([row(2), row(3)])  # there is room again
    assert stored(folder) == [row(0), row(1), row(2), row(3)]


def test_an_error_on_leaving_does_not_hide_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with (
        pytest.raises(BadInput, match=r"samples\.jsonl: input/output error: "),
        SampleStore(tmp_path, lambda _: None) as store,
    ):
        store.append([row(0)])
    store = SampleStore(tmp_path, lambda _: None)
    store.append([row(1)])
    before = RuntimeError("before")
    store.__exit__(RuntimeError, before, None)


def test_a_torn_line_longer_than_a_block_is_cut_off(tmp_path: Path) -> None:
    write(tmp_path, [row(0)])
    with (tmp_path / SAMPLES).open("ab") as file:
        file.write(b'{"question_id": "' + b"x" * 200_000)
    with SampleStore(tmp_path, lambda _: None):
        pass
    assert stored(tmp_path) == [row(0)]


@pytest.mark.parametrize("text", ["two\nlines", "\u2028", "\ud800 half a pair", "\x00", '"}', "é" * 5000])
def test_any_text_stays_one_line(tmp_path: Path, text: str) -> None:
    write(tmp_path, [row(0, text), row(1)])
    seen: list[dict[str, Any]] = []
    with SampleStore(tmp_path, seen.append):
        pass
    assert [found["sample"] for found in seen] == [0, 1]
    assert seen[0]["text"] == text.replace("\ud800", "?")


@pytest.mark.parametrize(
    "line",
    [
        *("not JSON", "[]", "", '{"question_id": "tiny-0000"}', "\xff", "\0" * 20, "[" * 100_000),
        *(json.dumps(row(7) | {"sample": wrong}) for wrong in (None, "7", 7.0, True, [7])),
        *(json.dumps(row(7) | {name: {}}) for name in ("question_id", "tokens", "correct", "text")),
    ],
    ids=lambda line: line[:30],
)
def test_a_bad_row_before_the_last_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    good = json.dumps(row(0)).encode() + b"\n"
    content = good + line.encode("latin-1") + b"\n" + json.dumps(row(1)).encode() + b"\n"
    (tmp_path / SAMPLES).write_bytes(content)
    with pytest.raises(BadInput, match=r"samples\.jsonl: row 2: found"):
        SampleStore(tmp_path, lambda _: None)
    assert (tmp_path / SAMPLES).read_bytes() == content


def test_a_repeated_row_is_refused(tmp_path: Path) -> None:
    lines = json.dumps(row(5)) + "\n"
    (tmp_path / SAMPLES).write_text(lines * 2)
    with pytest.raises(BadInput, match=r"row 2: a second row for tiny-0000, 40, sample, 5, expected one"):
        SampleStore(tmp_path, lambda _: None)


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    with (
        locked(folder),
        pytest.raises(BadInput, match="another run is writing into this folder"),
        locked(folder),
    ):
        pass
    with locked(folder):  # and free again afterwards
        pass

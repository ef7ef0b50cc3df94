"""Rows that are looked at many at a time: what is found is what one row after the other tells."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.store import resume
from harness.store.resume import read_done
from harness.store.row import are_rows
from harness.store.samples_file import SAMPLES, read_blocks
from harness.tally.counts import Tally
from results import BadInput

PLAIN: dict[str, Any] = {
    **{"question_id": "q-1", "setting": "40", "sample": 0, "gold": "18", "answer": "18", "correct": True},
    **{"reader": "hashes", "tokens": 9, "finish_reason": "stop", "prompt_tokens": 71, "seed": None},
    **{"text": 'It says "seed": ##18##. é', "dataset": "tiny", "model": "m", "decoding": "sample"},
}


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join((json.dumps(row, ensure_ascii=False) + "\n").encode() for row in rows)


def row(sample: int, **changes: Any) -> dict[str, Any]:
    return {**PLAIN, "sample": sample, **changes}


UNREAD: dict[str, Any] = {"answer": None, "correct": False, "reader": None}
THOUGHT: dict[str, Any] = {"reasoning": "so", "reasoning_tokens": 2}
MANY = [
    row(number, question_id=f"q-{number % 3}", setting=str(number % 2), **(THOUGHT if number % 5 else UNREAD))
    for number in range(40)
]


def test_both_ways_count_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / SAMPLES).write_bytes(lines(*MANY) + b'{"torn')
    monkeypatch.setattr("harness.store.samples_file.ROWS_AT_A_TIME", 7)
    found = []
    for at_once in (are_rows, lambda _rows: False):
        monkeypatch.setattr(resume, "are_rows", at_once)
        tally = Tally()
        done = read_done(tmp_path, tally)
        found.append((done, tally.summary(), tally.table(), tally.warnings(tmp_path)))
    assert found[0] == found[1]
    assert sum(map(len, found[0][0].values())) == 40


@pytest.mark.parametrize(
    "other",
    [
        *(b"[1]\n", b'{"question_id": 7}\n', b"{}{}\n", b"\xff\n", b'{"a":\n1}\n'),
        *(
            lines(row(1, tokens=2.0)),
            lines(row(1, correct=1)),
            lines(row(1, text=None)),
            lines(row(1, gold=18)),
        ),
        *(lines(row(1, logprob=1)), lines(row(1, reasoning=None))),
        lines({name: cell for name, cell in row(1).items() if name != "seed"}),
    ],
)
def test_what_is_no_row_is_found_among_rows(other: bytes, tmp_path: Path) -> None:
    path = tmp_path / SAMPLES
    path.write_bytes(lines(row(0)) + other + lines(row(2)))

    (block,) = read_blocks(path)

    assert are_rows(block.rows[:1])
    assert are_rows(block.rows[-1:])
    assert not are_rows(block.rows)
    assert block.numbers[-1] == path.read_bytes().count(b"\n")


@pytest.mark.parametrize(
    "bad", [row(1, correct=False), row(1, gold="7", correct=False), row(0), {"question_id": "q-1"}]
)
def test_a_fault_among_plain_rows_is_named(tmp_path: Path, bad: dict[str, Any]) -> None:
    (tmp_path / SAMPLES).write_bytes(lines(row(0), row(5), bad, row(6)))
    with pytest.raises(BadInput, match="row 3: "):
        read_done(tmp_path, Tally())

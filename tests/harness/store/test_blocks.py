"""A run's rows by columns: what is read that way is what Python reads row by row."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.store.blocks import Block, read_blocks
from harness.store.resume import read_done
from harness.store.samples_file import SAMPLES
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
    monkeypatch.setattr("harness.store.blocks.BYTES", 1000)
    found = []
    for table in (Block.table, property(lambda _block: None)):
        monkeypatch.setattr(Block, "table", table)
        tally = Tally()
        done = read_done(tmp_path, tally)
        found.append((done, tally.summary(), tally.table(), tally.warnings(tmp_path)))
    assert found[0] == found[1]
    assert sum(map(len, found[0][0].values())) == 40
    assert b"".join(block.content for block in read_blocks(tmp_path / SAMPLES)).endswith(b"torn")


@pytest.mark.parametrize(
    "other",
    [
        *(b"[1]\n", b"\n", b'{"question_id": 7}\n', b"{}{}\n", b"\xff\n", b'{"a":\n1}\n'),
        *(
            lines(row(1, tokens=2.0)),
            lines(row(1, correct=1)),
            lines(row(1, text=None)),
            lines(row(1, gold=18)),
        ),
        *(lines(row(1, logprob=float("inf"))), lines(row(1, reasoning=None)), lines(row(1, tokens=2**70))),
        lines({name: cell for name, cell in row(1).items() if name != "seed"}),
    ],
)
def test_what_is_no_plain_row_is_looked_at_singly(other: bytes) -> None:
    assert Block(1, lines(row(0))).table is not None
    assert Block(1, lines(row(0)) + other).table is None


@pytest.mark.parametrize(
    "bad", [row(1, correct=False), row(1, gold="7", correct=False), row(0), {"question_id": "q-1"}]
)
def test_a_fault_among_plain_rows_is_named(tmp_path: Path, bad: dict[str, Any]) -> None:
    (tmp_path / SAMPLES).write_bytes(lines(row(0), row(5), bad, row(6)))
    with pytest.raises(BadInput, match="row 3: "):
        read_done(tmp_path, Tally())

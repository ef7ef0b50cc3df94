"""How people and models write answers: `kin.jsonl` has a row a case, with what was decided before it was run.

{"kind": "labels", "grader": "choice", "readers": "answer-is", "gold": "B", "text": "选 B", "right": true}

right: true, the answer is the gold; false, another was given, which votes; null, none was given.
"""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from harness.grader import Grader, required_gold

pytest.importorskip("math_verify")

ROWS = [json.loads(line) for line in Path(__file__).with_name("kin.jsonl").read_text("utf-8").splitlines()]
KINDS = {kind: list(rows) for kind, rows in groupby(ROWS, key=lambda row: row["kind"])}


def read(row: dict[str, Any]) -> bool | None:
    labels = ["A", "B", "C", "D"] if row["grader"] == "choice" and row["kind"] != "labels of A to Z" else ()
    gold = required_gold(row["gold"], "here", row["grader"], labels)
    grader = Grader(tuple(row["readers"].split(",")), grader=row["grader"])
    verdict = grader.verdict(row["text"], gold, "stop", labels)
    assert verdict["answer"] == row.get("answer", verdict["answer"])  # what a wrong answer votes for
    return None if verdict["answer"] is None else verdict["correct"]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_read_however_they_are_written(kind: str) -> None:
    unlike = [(row["gold"], row["text"], row["right"]) for row in KINDS[kind] if read(row) != row["right"]]
    assert unlike == []

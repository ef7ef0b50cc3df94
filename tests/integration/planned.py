"""The answers that a run of the tiny model must end with, and a check that its folder has each once."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.questions.load import load_questions
from results import read_samples

Key = tuple[str, str, str, int]


def planned(limit: int, samples: int, budgets: Iterable[int], greedy: bool = False) -> set[Key]:
    return {
        (question.question_id, str(budget), decoding, index)
        for question in load_questions("tiny")[:limit]
        for budget in budgets
        for decoding, count in (("greedy", int(greedy)), ("sample", samples))
        for index in range(count)
    }


def settings(limit: int, samples: int, budgets: Iterable[int], **keys: object) -> list[str]:
    """The options of `harness sample` for the answers of `planned`."""
    keys = {"limit": limit, "samples": samples, "budgets": ",".join(map(str, budgets)), **keys}
    return [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]


def lines(file: Path) -> list[bytes]:
    """The complete lines of a file."""
    return file.read_bytes().split(b"\n")[:-1] if file.exists() else []


def rows(folder: Path) -> list[dict[str, Any]]:
    """The stored answers; every line must be complete."""
    content = (folder / "samples.jsonl").read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def keys(folder: Path) -> list[Key]:
    return [(row["question_id"], row["setting"], row["decoding"], row["sample"]) for row in rows(folder)]


def sessions(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "run.json").read_text())["sessions"]
    return found


def assert_exactly(answers: set[Key], folder: Path) -> None:
    """Check that the folder has each of `answers` once, and nothing else."""
    assert sorted(keys(folder)) == sorted(answers)
    assert len(read_samples(folder)) == len(answers)

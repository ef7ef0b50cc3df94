"""The answers that a run of the tiny model must end with, and a check that its folder has each once."""

from collections.abc import Iterable
from pathlib import Path

from harness.questions.load import load_questions
from results import read_samples
from tests.harness.run.scripted import keys

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


def assert_exactly(answers: set[Key], folder: Path) -> None:
    """Check that the folder has each of `answers` once, and nothing else."""
    assert (folder / "samples.jsonl").read_bytes().endswith(b"\n")
    assert sorted(keys(folder)) == sorted(answers)
    assert len(read_samples(folder)) == len(answers)

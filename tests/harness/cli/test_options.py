"""Options reach the call that does the work: those that no scene of `tests/unmoved` gives."""

from pathlib import Path
from typing import Any

import pytest

from harness.experiment import read_experiment
from harness.grader import Grader
from harness.questions.load import load_questions
from tests.harness.commands import command

GRADER = Grader(("boxed", "hashes"), "last")
GRADE = ("--grade", "boxed,hashes", "--match", "last")
TINY = read_experiment("tiny", {"limit": "3", "seed": "5", "url": "http://h:1", "engine": "openai"})
SAMPLE = ("sample", "tiny", "--set", "seed=5", "--limit", 3, "--url", "http://h:1", "--set", "engine=openai")
GIVEN = {"gold": "18", "setting": "effort", "dataset": "d", "model": "m"}
NAMES = [word for name, value in GIVEN.items() for word in (f"--{name}", value)]
FILE, OUT = Path("rows.jsonl"), Path("out")


class Called(Exception):
    """The call came, with these arguments."""


@pytest.mark.parametrize(
    ("target", "arguments", "expected"),
    [
        (
            "run.dry_run.estimate",
            (*SAMPLE, "--out", OUT, "--dry-run", "--rate", 7, "--price-per-hour", 2, "--restart"),
            (TINY, load_questions("tiny"), OUT, 7.0, 2.0, {"fresh": True}),
        ),
        (
            "run.sampler.sample",
            (*SAMPLE, "--out", OUT, "--restart"),
            (TINY, load_questions("tiny"), OUT, {"restart": True, "quarantine": False, "stored": None}),
        ),
        (
            "run.sampler.sample",
            (*SAMPLE, "--out", OUT, "--quarantine"),
            (TINY, load_questions("tiny"), OUT, {"restart": False, "quarantine": True, "stored": None}),
        ),
        (
            "imports.foreign_columns.import_table",
            ("import", "csv", FILE, "--out", OUT, "--map", "tokens=t", "--drop", "error=a=1", *NAMES, *GRADE),
            (FILE, {"tokens": "t"}, (("error", "a=1"),), GIVEN, (), (), {"grader": GRADER, "kind": "csv"}),
        ),
        (
            "imports.lm_eval.import_lm_eval",
            ("import", "lm-eval", FILE, "--out", OUT, "--filter", "strict", "--setting", "gens"),
            (FILE, "strict", None, "gens", {}),
        ),
        (
            "imports.inspect_ai_log.import_inspect_ai",
            ("import", "inspect", FILE, "--out", OUT, "--scorer", "match", "--setting", "effort"),
            (FILE, "match", None, "effort", {}),
        ),
        (
            "imports.inspect_ai_log.import_inspect_ai",
            ("import", "inspect", FILE, "--out", OUT, *GRADE),
            (FILE, None, GRADER, None, {}),
        ),
    ],
)
def test_options_are_handed_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    arguments: tuple[object, ...],
    expected: tuple[Any, ...],
) -> None:
    """Functions among the arguments are left out of the comparison."""

    def called(*given: Any, **named: Any) -> None:
        data = {name: value for name, value in named.items() if not callable(value)}
        raise Called(*(value for value in given if not callable(value)), data)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(f"harness.{target}", called)
    result = command(*arguments)
    assert isinstance(result.exception, Called), result.output
    assert result.exception.args[: len(expected)] == expected

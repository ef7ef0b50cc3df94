"""tts sample and serve, as a user meets them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import harness.engines.factory
from harness.errors import RequestRefused
from tests.conftest import needs_sglang, needs_torch
from tests.harness.commands import exit_status
from tests.harness.run.scripted import ScriptedEngine


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["sample", "nothing.toml", "--out", "x"], "error: nothing.toml: no such file"),
        (
            ["sample", "tiny", "--set", "budgets", "--out", "x"],
            "error: Invalid value for '--set': 'budgets' is not",
        ),
        (["sample", "tiny", "--url", "not a url", "--out", "x"], "error: --url: expected http://"),
        (["sample", "tiny"], "error: Missing option '--out'"),
        (["sample", "tiny", "--rate", "9", "--out", "x"], "error: --rate "),
        pytest.param(
            ["serve", "tiny", "--device", "cuda"], "error: PyTorch ", marks=(needs_torch, needs_sglang)
        ),
        (["serve", "tiny", "--dp", "0"], "error: Invalid value for '--dp'"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr("harness.server.launch.check_free", lambda *_: None)  # a server may be at work here
    assert exit_status(*arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith(line)
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def sampled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Run `sample tiny` with a script in place of an engine: exit status, lines of stdout and of stderr."""

    def run_it(script: Callable[[str, int], str], *options: object) -> tuple[int, list[str], list[str]]:
        monkeypatch.setattr(harness.engines.factory, "engine_for", lambda *_: ScriptedEngine(script))
        code = exit_status("sample", "tiny", "--out", tmp_path, *options)
        output = capsys.readouterr()
        return code, output.out.splitlines(), output.err.splitlines()

    return run_it


Sampled = Callable[..., tuple[int, list[str], list[str]]]


def summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["summary"]
    return found


def refuse(_prompt: str, _place: int) -> str:
    raise RequestRefused("refused with status 400: too \x1b[2Jlong")


def test_answers_that_stay_missing_are_exit_status_3(sampled: Sampled, tmp_path: Path) -> None:
    code, out, err = sampled(refuse, "--limit", 2, "--set", "budgets=10")
    assert (code, out) == (3, [])
    many = sampled(refuse, "--limit", 8, "--set", "budgets=10")[2]
    assert sum(line.startswith("no answer: ") for line in many) == 5  # of 512
    (failure,) = [line for line in err if "question tiny-0000, setting 10, sample 0: " in line]
    assert failure.startswith("no answer: ")
    assert "\\x1b[2J" in failure
    last = err[-1]
    assert "128 of 128 answers" in last
    assert "128 requests" in last
    assert summary(tmp_path)["settings"] == []


def test_a_run_that_is_stopped_has_another_exit_status_than_one_that_lacks_answers(sampled: Sampled) -> None:
    def stop(_prompt: str, _place: int) -> str:
        raise KeyboardInterrupt

    assert sampled(stop, "--limit", 2)[0] == 130

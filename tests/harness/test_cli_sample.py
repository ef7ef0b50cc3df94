"""python -m harness sample and serve, as a user meets them."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import harness.engines
from harness.cli import cli
from harness.engines import Completion, EngineError
from results import run

HARNESS = [sys.executable, "-m", "harness"]


def in_shell(*arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HARNESS, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["sample", "nothing.toml", "--out", "x"], "error: nothing.toml: no such experiment file"),
        (
            ["sample", "tiny", "--set", "budgets", "--out", "x"],
            "error: Invalid value for --set: 'budgets' is not",
        ),
        (["sample", "tiny", "--set", "colour=1", "--out", "x"], "error: --set colour: unknown key 'colour'"),
        (["sample", "tiny", "--set", "samples=-1", "--out", "x"], "error: --set samples: samples is -1"),
        (
            ["sample", "tiny", "--set", "url=http://x", "--out", "x"],
            "error: a server's URL for engine 'transf",
        ),
        (["sample", "tiny"], "error: Missing option '--out'"),
        (["serve", "tiny", "--device", "cuda"], "error: 1 copies of the model on 0 GPUs"),
        (["serve", "tiny", "--dp", "0"], "error: Invalid value for '--dp'"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    found = in_shell(*arguments)
    assert found.returncode == 2
    assert found.stderr.startswith(line)
    assert found.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_no_server_at_the_url_is_one_line(tmp_path: Path) -> None:
    found = in_shell("sample", "tiny", "--out", tmp_path, "--url", "not a url")
    assert found.returncode == 2
    assert found.stderr == "error: not a url: not the address of a server, expected http://HOST:PORT\n"


def test_a_small_run_end_to_end_and_ctrl_c_in_another(tmp_path: Path) -> None:
    small = ["--set", "limit=2", "--set", "budgets=10,20", "--set", "samples=8", "--set", "chunk=4"]
    done = in_shell("sample", "tiny", *small, "--out", tmp_path / "small")
    assert done.returncode == 0, done.stderr
    counts = [line.split()[:3] for line in done.stdout.splitlines()[1:]]
    assert counts == [["10", "sample", "16"], ["20", "sample", "16"]]
    assert len((tmp_path / "small" / "samples.jsonl").read_text().splitlines()) == 32

    folder = tmp_path / "large"
    with subprocess.Popen(
        [*HARNESS, "sample", "tiny", "--out", str(folder)], stderr=subprocess.PIPE, text=True
    ) as process:
        while not (folder / "samples.jsonl").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.splitlines()[-1] == "error: stopped by Ctrl-C"
    assert "Traceback" not in stderr
    rows = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    session = json.loads((folder / "run.json").read_text())["sessions"][0]
    assert session["answers"] == len(rows) > 0


def test_answers_that_stay_missing_are_exit_status_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Failing:
        name, version = "failing", "1"

        def describe(self) -> dict[str, object]:
            return {}

        async def generate(self, *_: object) -> list[Completion]:
            raise EngineError("refused with status 400: too long")

    @asynccontextmanager
    async def failing(*_: object) -> AsyncIterator[Failing]:
        yield Failing()

    monkeypatch.setattr(harness.engines, "engine_for", failing)
    command = ["sample", "tiny", "--set", "limit=2", "--set", "budgets=10", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["python -m harness", *command])
    with pytest.raises(SystemExit) as ended:
        run(cli, "python -m harness")
    assert ended.value.code == 3
    stderr = capsys.readouterr().err.splitlines()
    line = "no answer: question tiny-0000, setting 10, sample 0 to 63: refused with status 400: too long"
    assert line in stderr
    assert stderr[-1].startswith(
        "error: 128 of 128 answers are missing, 2 requests failed: run the same command"
    )

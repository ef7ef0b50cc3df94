"""tts sample, serve and gateway, as a user meets them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import harness.engines.factory
from harness.errors import RequestRefused
from tests.conftest import needs
from tests.harness.commands import command, exit_status
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
        (["sample", "tiny", "--dry-run", "--curves", "c.csv", "--out", "x"], "error: --curves writes "),
        (
            ["sample", "tiny", "--set", "stop_rule=lead:4", "--curves", "c.csv", "--out", "x"],
            "error: --curves: lead:4 ends votes",
        ),
        pytest.param(
            ["serve", "tiny", "--device", "cuda"], "error: PyTorch ", marks=(needs("torch"), needs("sglang"))
        ),
        (["serve", "tiny", "--dp", "0"], "error: Invalid value for '--dp'"),
        (["serve", "tiny", "--workers-file", "w.json"], "error: --workers-file is for servers of several"),
        (["gateway"], "error: give the servers' URLs, or --workers-file, or --pods: one of the three"),
        (["gateway", "http://a:1", "--workers-file", "w.json"], "error: give the servers' URLs, or --work"),
        (["gateway", "http://a:1", "--pod-port", "1"], "error: --namespace and --pod-port are for --pods"),
        (["gateway", "a:1"], "error: a:1: expected http://HOST:PORT"),
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
    monkeypatch.setattr("harness.server.launch.check_free", lambda *_: None)  # a server may be running here
    assert exit_status(*arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith(line)
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def refuse(_prompt: str, _place: int) -> str:
    raise RequestRefused("refused with status 400: too \x1b[2Jlong")


def stop(_prompt: str, _place: int) -> str:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("script", "status", "failures"), [(refuse, 3, 5), (stop, 130, 0)])
def test_answers_that_stay_missing_are_exit_status_3_and_a_run_that_is_stopped_130(
    script: Callable[[str, int], str],
    status: int,
    failures: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(harness.engines.factory, "engine_for", lambda *_: ScriptedEngine(script))
    given = ("--limit", 2, "--set", "budgets=10")
    assert exit_status("sample", "tiny", "--out", tmp_path, *given) == status
    output = capsys.readouterr()
    told = [line for line in output.err.splitlines() if line.startswith("no answer: ")]
    assert (output.out, len(told)) == ("", failures)  # of 128
    if failures:
        assert sum("question tiny-0000, setting 10, sample 0: " in line for line in told) == 1
        assert all("\\x1b[2J" in line for line in told)
        last = output.err.splitlines()[-1]
        assert all(said in last for said in ("128 of 128 answers", "128 requests"))
        assert json.loads((tmp_path / "run.json").read_text())["summary"]["settings"] == []


@pytest.mark.parametrize(
    ("target", "options", "name"),
    [("dry_run.estimate", ["--dry-run"], "fresh"), ("sampler.sample", [], "restart")],
)
def test_a_restart_which_no_scene_asks_for_reaches_the_call_that_does_the_work(
    target: str, options: list[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = dict[str, Any]()

    def called(*_: Any, **named: Any) -> None:
        given.update(named)
        raise KeyboardInterrupt

    monkeypatch.setattr(f"harness.run.{target}", called)
    command("sample", "tiny", "--restart", "--out", "out", *options)
    assert given[name] is True

"""`tts serve` with a stand-in for SGLang: signals end it, and its server with it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.server.launch import free_ports
from tests.conftest import ROOT
from tests.harness.commands import exit_status
from tests.harness.server.conftest import SERVE
from tests.processes import OBEDIENT, interruptible, needs_proc, pids_in, runs, wait_until


@needs_proc
@pytest.mark.parametrize(
    ("sent", "status"),
    [pytest.param(signal.SIGINT, 130, marks=pytest.mark.release), (signal.SIGTERM, 143)],
)
def test_a_signal_stops_the_server_too(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    script = OBEDIENT.replace("sys.argv[1]", repr(str(tmp_path / "pids")))
    words = [sys.executable, "-c", SERVE, script, "tiny"]
    with subprocess.Popen(words, cwd=ROOT, preexec_fn=interruptible) as process:
        pids = pids_in(tmp_path / "pids")
        process.send_signal(sent)
        assert process.wait(60) == status
    wait_until(lambda: not any(map(runs, pids)))


def test_a_model_that_is_nowhere_is_one_line_and_no_server_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr("harness.server.launch.launch", None)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert exit_status("serve", "no/model", "--port", free_ports()[0]) == 2
    said = capsys.readouterr().err
    assert (said.startswith("error: model no/model: "), said.count("\n")) == (True, 1)

"""One SGLang server for all tests of a run: the real one, on this machine's CPU, with the tiny model."""

import importlib.util
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from harness.server.launch import end_with_parent, free_port

START_SECONDS = 240
STOP_SECONDS = 40


@pytest.fixture(scope="session")
def sglang_url() -> Iterator[str]:
    """The address of a server that `python -m harness serve tiny` runs, stopped by Ctrl-C at the end."""
    if importlib.util.find_spec("sglang") is None:
        pytest.skip("SGLang is not installed")
    import psutil  # comes with SGLang

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "harness", "serve", "tiny", "--device", "cpu", "--port", str(port)]
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,  # pytest may be killed
        )
        family = []
        try:
            _wait_until_ready(url, process, log)
            yield url
        finally:
            if process.poll() is None:
                family = psutil.Process(process.pid).children(recursive=True)
                process.send_signal(signal.SIGINT)
            try:
                status = process.wait(STOP_SECONDS)
            finally:
                _, there = psutil.wait_procs(family, timeout=5)
                # What has ended and only waits to be collected by the system's first process is gone.
                left = [
                    member
                    for member in there
                    if member.is_running() and member.status() != psutil.STATUS_ZOMBIE
                ]
                for member in (*left, process):
                    member.kill()
        log.seek(0)
        end = log.read()[-2000:]
        assert status == 130, end
        assert "error: stopped by Ctrl-C" in end
        assert left == []


def _wait_until_ready(
    url: str, process: "subprocess.Popen[bytes]", log: "tempfile._TemporaryFileWrapper[str]"
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=30):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    log.seek(0)
    pytest.fail(f"the server was not ready: {log.read()[-4000:]}")

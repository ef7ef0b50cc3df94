"""The real gateway in front of mock servers: load balance, a killed server, and one that only hangs.

The servers mimic SGLang's /generate and take a twentieth of a second for an answer.
"""

import asyncio
import importlib.util
import os
import re
import signal
import threading
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from harness import gpu_check
from harness.engines.base import Sampling
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location
from harness.http import connection
from harness.http.connection import tokens_generated
from harness.server import worker
from harness.server.fleet import fleet
from harness.server.launch import free_ports
from tests.processes import needs_proc, python, wait_until

pytestmark = [
    pytest.mark.server,
    pytest.mark.xdist_group("sglang"),
    pytest.mark.skipif(importlib.util.find_spec("smg") is None, reason="smg is not installed"),
]

SERVER = """
import os, sys, time
from tests.responder import Reply, Responder, like_sglang
port, folder, model = sys.argv[1:]
def say(body):
    with open(f"{folder}/asked-{port}", "a") as file:
        print(len(body["input_ids"]), file=file)
    time.sleep(0.05)
    return f" {port}"
lines = []
for name, count in {'prompt_tokens_total{rank="0"}': 40, 'realtime_tokens_total{mode="decode"}': 7}.items():
    lines += [f"# TYPE sglang:{name.partition('{')[0]} counter", f"sglang:{name} {count}.0", ""]
with open(f"{folder}/pid-{port}", "a") as file:
    print(os.getpid(), file=file)
routes = like_sglang(model, say) | {"GET /metrics": Reply("\\n".join(lines).encode())}
Responder(routes, int(port)).serve()
"""
QUESTIONS = [f"Question {number}: what is {number} + 1?" for number in range(40)]
EACH = 16


async def ask_all(url: str, say: list[str]) -> Counter[str]:
    """How many requests each server (by port) answered, with 128 requests in flight."""
    engine = SGLangEngine(url, model_location("tiny"), revision=None, chat=True, say=say.append)
    found: Counter[str] = Counter()
    places = asyncio.Semaphore(128)

    async def ask(question: str) -> None:
        async with places:
            answer = await engine.generate(question, Sampling(8, 1.0), seed=1)
            found[answer.text.strip()] += 1

    async with engine:
        await asyncio.gather(*(ask(question) for question in QUESTIONS for _ in range(EACH)))
    return found


async def counts(url: str) -> list[float]:
    async with connection.Connection(url) as server:
        return await gpu_check.counts(server, "prompt_tokens_total", "cached_tokens_total")


class Played:
    """A fleet of two mock servers, watched from a thread beside the test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(worker, "UNWELL_SECONDS", 3.0)
        monkeypatch.setattr(worker, "PROBES_APART", 0.2)
        monkeypatch.setattr(worker, "PROBE_SECONDS", 1.0)
        monkeypatch.setattr(connection, "FIRST_PAUSE", 0.2)
        self.said: list[str] = []
        self.port, self.folder = free_ports()[0], folder
        model = model_location("tiny")
        self._fleet = fleet(2, self.port, lambda _, own: python(SERVER, own, folder, model), self.said.append)

    def __enter__(self) -> "Played":
        wait = self._fleet.__enter__()
        threading.Thread(target=wait, daemon=True).start()
        self.ports = re.findall(r"127\.0\.0\.1:(\d+)", self.said[0])[:2]
        return self

    def __exit__(self, *_: object) -> None:
        self._fleet.__exit__(None, None, None)

    def signal(self, what: signal.Signals) -> None:
        """Send a signal to the first server once it has received a tenth of all requests."""
        asked = self.folder / f"asked-{self.ports[0]}"
        wait_until(lambda: asked.exists() and asked.read_text().count("\n") >= len(QUESTIONS) * EACH // 10)
        os.kill(int((self.folder / f"pid-{self.ports[0]}").read_text().split()[-1]), what)

    def ask(self) -> Counter[str]:
        return asyncio.run(asyncio.wait_for(ask_all(f"http://127.0.0.1:{self.port}", self.said), 100))


def test_the_gateway_gives_both_servers_about_as_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Played(tmp_path, monkeypatch) as played:
        found = played.ask()
        url = f"http://127.0.0.1:{played.port}"
        assert asyncio.run(counts(url)) == [80, 0]  # summed over both servers
        with urllib.request.urlopen(f"{url}/engine_metrics", timeout=10) as reply:
            assert tokens_generated(reply.read().decode()) == 14
    assert sum(found.values()) == len(QUESTIONS) * EACH
    assert min(found[port] for port in played.ports) > 0.35 * sum(found.values())  # 70:30 is too uneven


@needs_proc
@pytest.mark.parametrize("what", [signal.SIGKILL, signal.SIGSTOP])
def test_a_server_that_dies_or_hangs_costs_no_answer_and_comes_back(
    what: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Played(tmp_path, monkeypatch) as played:
        beside = threading.Thread(target=played.signal, args=(what,))
        beside.start()
        found = played.ask()
        beside.join()
        assert sum(found.values()) == len(QUESTIONS) * EACH
        wait_until(lambda: any("ended with status -9: starting it once more" in line for line in played.said))
        pids = played.folder / f"pid-{played.ports[0]}"
        wait_until(lambda: pids.read_text().count("\n") == 2)
        # Another run may begin at once, and is served by both once the gateway knows that both are healthy.
        wait_until(lambda: played.ask().keys() == set(played.ports))

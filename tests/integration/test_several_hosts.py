"""The page on several hosts, played: its SLURM script and its pods, on addresses of this machine.

Two hosts serve behind the real gateway. One is killed and another added in the middle of the run, which ends
with the answers that one host gives. Small servers stand in for SGLang, which the release test starts itself.
"""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.server.launch import free_ports
from harness.server.workers_file import listed
from tests.conftest import ROOT
from tests.integration.planned import assert_exactly, planned, rows, settings
from tests.processes import wait_until

pytestmark = [
    pytest.mark.release,
    pytest.mark.xdist_group("sglang"),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8"),
    pytest.mark.skipif(importlib.util.find_spec("smg") is None, reason="smg is not installed"),
]

KEY = "0123456789abcdef0123456789abcdef"
HOSTS = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
SECONDS = 300
# Speaks as SGLang does, for whoever has the key: an answer depends on the prompt and its place alone.
SERVER = """
import asyncio, os, sys
from aiohttp import web
host, port, model = sys.argv[1:]
key = "Bearer " + os.environ["SGLANG_API_KEY"]
about = {"model_path": model, "served_model_name": model, "version": "1", "is_generation": True, "dp_size": 1}
@web.middleware
async def guarded(request, handler):
    if request.path != "/health" and request.headers.get("Authorization") != key:
        return web.Response(status=401)
    return await handler(request)
async def well(request):
    return web.Response(text="")
async def say(request):
    return web.json_response(about)
async def generate(request):
    sent = await request.json()
    with open("asked-" + host, "a") as file:
        print(sent["model"] == model, file=file)
    await asyncio.sleep(0.1)
    ids, n = sent["input_ids"], sent["sampling_params"]["n"]
    meta = {"prompt_tokens": len(ids), "completion_tokens": 9, "finish_reason": {"type": "stop"}}
    texts = [f"The answer is ##{(sum(ids) + place) % 7}##." for place in range(n)]
    return web.json_response([{"text": text, "meta_info": meta} for text in texts])
app = web.Application(middlewares=[guarded])
app.add_routes([web.get("/health", well), web.post("/generate", generate)])
for name in ("model_info", "server_info", "get_model_info", "get_server_info"):
    app.add_routes([web.get("/" + name, say)])
web.run_app(app, host=host, port=int(port), print=None)
"""
PLAYED = """
import sys
import harness.server.launch as module
import tts
from results import run
from tests.integration.test_several_hosts import SERVER
from tests.processes import python
module.launch = lambda model, *, host, port, **_: python(SERVER, host, port, model)
run(tts.cli, "tts")
"""
PROGRAMS = {
    "srun": """shift
for rank in 0 1; do SLURM_PROCID=$rank "$@" & done
trap 'kill $(jobs -p)' TERM
wait
wait""",
    "hostname": "echo 127.0.0.$((2 + SLURM_PROCID))",
    "openssl": f"echo {KEY}",
}


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    page = (ROOT / "docs" / "recipes" / "several-hosts.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


class Hosts:
    """A folder with the programs of a cluster, in which commands run."""

    def __init__(self, folder: Path, played: bool) -> None:
        self.folder, self.port, self.front = folder, *free_ports(2)
        tts = f"exec {sys.executable} -m tts"
        if played:
            (folder / "played.py").write_text(PLAYED)
            tts = f"exec {sys.executable} {folder}/played.py"
        programs = {**PROGRAMS, "tts": f'echo $$ > "pid-$1-$SLURM_PROCID"\n{tts} "$@"'}
        (folder / "bin").mkdir()
        for name, text in programs.items():
            (folder / "bin" / name).write_text(f"#!/bin/bash\n{text}\n")
            (folder / "bin" / name).chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "SLURM_JOB_ID": "7",
            "SGLANG_API_KEY": KEY,
        }

    @contextmanager
    def runs(self, *words: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """A command, ended with all that it has started."""
        import psutil

        with (self.folder / f"log-{'-'.join(words[:2])[-60:].replace('/', '_')}").open("wb") as log:
            process = subprocess.Popen(
                words, cwd=self.folder, env={**self.environment, **environment}, stdout=log, stderr=log
            )
        try:
            yield process
        finally:
            family = [*psutil.Process(process.pid).children(recursive=True)] if process.poll() is None else []
            process.terminate()
            _, left = psutil.wait_procs(family, timeout=30)
            for member in left:
                member.kill()
            process.wait(30)

    def kill(self, rank: int) -> None:
        """Kill what serves on a host, as a host does that loses its power."""
        import psutil

        serving = psutil.Process(int((self.folder / f"pid-serve-{rank}").read_text()))
        for process in (serving, *serving.children(recursive=True)):
            process.send_signal(signal.SIGKILL)

    def sampled(self, name: str) -> Path:
        return self.folder / "results" / "runs" / name

    def stored(self, name: str) -> int:
        path = self.sampled(name) / "samples.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0


def is_well(url: str) -> Callable[[], bool]:
    def asked() -> bool:
        try:
            urllib.request.urlopen(f"{url}/health", timeout=10).close()
        except OSError:
            return False
        return True

    return asked


def play(hosts: Hosts, asked: Sequence[str], serve: str, answers: int) -> None:
    """The script of the page, with `asked` in place of its experiment and `serve` of its servers' options.

    A third host serves already. When a third of the answers are there, the first one is killed, and the
    third listed. Then the third host alone answers the same.
    """
    (script,) = (text for text in blocks("bash") if "srun" in text)
    ports = {"31000": str(hosts.port), "30000": str(hosts.front)}
    changes = {"meta-llama/Llama-3.1-8B-Instruct --workers 8": f"tiny --workers 1 {serve}", **ports}
    changes["gsm8k-budgets"] = f"tiny {' '.join(asked)}"
    for old, new in changes.items():
        assert old in script
        script = script.replace(old, new)
    third = f"http://{HOSTS[2]}:{hosts.port}"
    started = ["tts", "serve", "tiny", "--host", HOSTS[2], "--port", str(hosts.port), *serve.split()]
    with ExitStack() as stack:
        stack.enter_context(hosts.runs(*started, SLURM_PROCID="2"))
        wait_until(is_well(third), SECONDS)
        job = stack.enter_context(hosts.runs("bash", "-c", script))
        wait_until(lambda: hosts.stored("gsm8k") > answers // 3, SECONDS)
        hosts.kill(0)
        stack.enter_context(listed(hosts.folder / "workers-7.json", [third]))
        assert hosts.stored("gsm8k") < answers
        assert job.wait(SECONDS) == 0
        alone = ["tts", "sample", "tiny", *asked, "--url", third, "--out", "results/runs/alone"]
        with hosts.runs(*alone) as process:
            assert process.wait(SECONDS) == 0


def said(folder: Path) -> set[tuple[Any, ...]]:
    names = ("question_id", "setting", "decoding", "sample", "text", "tokens")
    return {tuple(row[name] for name in names) for row in rows(folder)}


def test_one_host_killed_and_one_added_in_mid_run_are_the_answers_of_one_host(tmp_path: Path) -> None:
    hosts, keys = Hosts(tmp_path, played=True), planned(40, 32, (20, 60))
    asked = settings(40, 32, (20, 60), engine="sglang", chunk=4, concurrency=8)
    play(hosts, asked, "--device cpu", len(keys))
    assert_exactly(keys, hosts.sampled("gsm8k"))
    assert said(hosts.sampled("gsm8k")) == said(hosts.sampled("alone"))
    for host in HOSTS:
        assert set((tmp_path / f"asked-{host}").read_text().split()) == {"True"}
    listed_now = json.loads((tmp_path / "workers-7.json").read_text())["workers"]
    # The job has ended; nobody was there to take the killed server out.
    assert [one["url"] for one in listed_now] == [f"http://{HOSTS[0]}:{hosts.port}"]


def test_the_same_with_sglang_itself(tmp_path: Path) -> None:
    if importlib.util.find_spec("sglang") is None:
        pytest.skip("sglang is not installed")
    hosts, keys = Hosts(tmp_path, played=False), planned(40, 16, (20, 60), greedy=True)
    asked = settings(40, 16, (20, 60), engine="sglang", chunk=4, concurrency=12, greedy="true")
    play(hosts, asked, "--device cpu", len(keys))
    assert_exactly(keys, hosts.sampled("gsm8k"))
    one, other = (
        {row for row in said(hosts.sampled(name)) if row[2] == "greedy"} for name in ("gsm8k", "alone")
    )
    assert one == other


@contextmanager
def kubernetes(folder: Path, addresses: Sequence[str]) -> Iterator[None]:
    """An API server with a ready pod of the page's Deployment at each address, and the way to it."""
    pods = [
        {
            "metadata": {"name": f"pod-{address}", "uid": address, "labels": {"app": "tts-server"}},
            "spec": {"containers": [{"name": "server"}]},
            "status": {
                "phase": "Running",
                "podIP": address,
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        for address in addresses
    ]
    listing = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": pods}
    asked: list[str] = []

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            if "watch=true" in self.path:
                threading.Event().wait(20)  # nothing changes
            else:
                self.wfile.write(json.dumps(listing).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "played",
        "clusters": [{"name": "played", "cluster": {"server": url}}],
        "contexts": [{"name": "played", "context": {"cluster": "played", "user": "played"}}],
        "users": [{"name": "played", "user": {}}],
    }
    (folder / "kubeconfig").write_text(yaml.safe_dump(config))
    try:
        yield
    finally:
        server.shutdown()
        assert any("labelSelector=app%3Dtts-server" in path for path in asked), asked


def test_the_pods_of_the_manifest_answer_behind_its_gateway(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path, played=True)
    parts = {part["kind"]: part for part in yaml.safe_load_all(blocks("yaml")[0])}
    (server,) = parts["Deployment"]["spec"]["template"]["spec"]["containers"]
    (gateway,) = parts["Pod"]["spec"]["containers"]
    ports = {"31000": str(hosts.port), "30000": str(hosts.front)}

    def command(container: dict[str, Any], address: str) -> list[str]:
        known = {**ports, "$(POD_IP)": address, "meta-llama/Llama-3.1-8B-Instruct": "tiny"}
        return [known.get(word, word) for word in container["command"]]

    url = f"http://127.0.0.1:{hosts.front}"
    with ExitStack() as stack:
        for address in HOSTS[:2]:
            stack.enter_context(hosts.runs(*command(server, address), SLURM_PROCID=address))
        for address in HOSTS[:2]:
            wait_until(is_well(f"http://{address}:{hosts.port}"), SECONDS)
        stack.enter_context(kubernetes(tmp_path, HOSTS[:2]))
        in_cluster = {"KUBECONFIG": str(tmp_path / "kubeconfig")}
        stack.enter_context(hosts.runs(*command(gateway, ""), **in_cluster))
        wait_until(is_well(url), SECONDS)
        asked = settings(10, 32, (20, 60), engine="sglang", chunk=4, concurrency=16)
        with hosts.runs("tts", "sample", "tiny", *asked, "--url", url, "--out", "results/runs/pods") as run:
            assert run.wait(SECONDS) == 0
    assert_exactly(planned(10, 32, (20, 60)), hosts.sampled("pods"))
    assert all((tmp_path / f"asked-{address}").exists() for address in HOSTS[:2])

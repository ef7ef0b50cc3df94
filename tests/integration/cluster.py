"""A mock cluster on addresses of this machine: its programs, hosts and API, and small servers like SGLang."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from harness.server.launch import free_ports
from tests.conftest import ROOT
from tests.integration.planned import lines
from tests.responder import Request, Responder

KEY = "0123456789abcdef0123456789abcdef"
HOSTS = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
SECONDS = 300
# Mimics SGLang for clients with the key; an answer depends on the prompt alone.
SERVER = """
import os, sys, time
from tests.responder import Reply, Responder, like_sglang
host, port, model = sys.argv[1:]
def say(body):
    with open("asked-" + host, "a") as file:
        print(body["model"] == model, file=file)
    time.sleep(0.1)
    return f"The answer is ##{sum(body['input_ids']) % 7}##."
def guarded(request):
    if request.headers.get("Authorization") != "Bearer " + os.environ["SGLANG_API_KEY"]:
        return Reply(status=401)
    reply = routes.get(f"{request.method} {request.path}", Reply(status=404))
    return reply(request) if callable(reply) else reply
routes = like_sglang(model, say, tokens=9)
Responder({"GET": guarded, "POST": guarded, "GET /health": {}}, int(port), host).serve()
"""
PLAYED = """
import sys
import harness.server.launch as module
import tts
from results import run
from tests.integration.cluster import SERVER
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


class Hosts:
    """A folder with the programs of a mock cluster, in which commands run."""

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
        """Run a command; at the end, stop it and every process it has started."""
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
        """Kill the server of a host and its children, as if the host had lost power."""
        import psutil

        serving = psutil.Process(int((self.folder / f"pid-serve-{rank}").read_text()))
        for process in (serving, *serving.children(recursive=True)):
            process.send_signal(signal.SIGKILL)

    def sampled(self, name: str) -> Path:
        return self.folder / "runs" / name

    def stored(self, name: str) -> int:
        return len(lines(self.sampled(name) / "samples.jsonl"))


def is_well(url: str) -> Callable[[], bool]:
    def asked() -> bool:
        try:
            urllib.request.urlopen(f"{url}/health", timeout=10).close()
        except OSError:
            return False
        return True

    return asked


@contextmanager
def kubernetes(folder: Path, addresses: Sequence[str]) -> Iterator[None]:
    """Run an API server with a ready pod of the page's Deployment at each address, and its kubeconfig."""
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

    def watch(request: Request) -> Any:
        if "watch=true" not in request.path:
            return listing
        request.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        time.sleep(20)  # nothing changes
        return b""

    api = Responder({"GET": watch})
    api.start()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "played",
        "clusters": [{"name": "played", "cluster": {"server": api.url}}],
        "contexts": [{"name": "played", "context": {"cluster": "played", "user": "played"}}],
        "users": [{"name": "played", "user": {}}],
    }
    (folder / "kubeconfig").write_text(yaml.safe_dump(config))
    try:
        yield
    finally:
        api.stop()
        assert any("labelSelector=app%3Dtts-server" in path for path in api.paths), api.paths

"""Who only talks to a URL needs none of the heavy packages, and a dry run on local data no network."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from tests import installed
from tests.conftest import ROOT
from tests.harness.engines.openai_responder import Responder

HEAVY = ("torch", "transformers", "sglang", "ctranslate2", "vllm")

WITHOUT_THEM = """
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {heavy!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from harness.experiment import read_experiment
from harness.engines.factory import engine_for
from pathlib import Path
keys = {{"engine": "openai", "url": "http://127.0.0.1:9/v1", "model": "m", "chat": "true"}}
experiment = read_experiment("gsm8k-budgets", keys)
engine_for(experiment, Path("server.log"), print)
import harness.judge.run, harness.cli.sample
"""

NO_SOCKETS = """
import socket, sys
def refuse(*_args, **_keys):
    raise SystemExit("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
from harness.cli import cli
cli(sys.argv[1:], prog_name="harness")
"""


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)


def test_an_engine_behind_a_url_imports_nothing_heavy() -> None:
    done = run(WITHOUT_THEM.format(heavy=HEAVY))
    assert done.returncode == 0, done.stderr


def test_a_server_elsewhere_needs_its_extra_alone(tmp_path: Path) -> None:
    """Endings by force need the model's tokenizer, too."""
    keys = ["engine=openai", "samples=2", "budgets=20", "limit=1", "budget_by=force"]
    given = [word for key in keys for word in ("--set", key)]

    async def sample() -> tuple[int | None, str]:
        async with TestServer(Responder(content="It is ##18##.", models=None).app) as server:
            url = str(server.make_url("/"))
            words = ("harness", "sample", "tiny", *given, "--url", url, "--out", tmp_path)
            child = await asyncio.create_subprocess_exec(
                *installed.command(["url"], *words),
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stderr=asyncio.subprocess.PIPE,
            )
            _, said = await child.communicate()
            return child.returncode, said.decode()

    status, said = asyncio.run(sample())
    assert status == 0, said
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in rows] == ["18", "18"]


@pytest.mark.parametrize("engine", ["openai", "ctranslate2"])
def test_a_dry_run_on_local_data_needs_no_network(engine: str, tmp_path: Path) -> None:
    keys = [f"engine={engine}", "samples=4", "budgets=20", "limit=1"]
    if engine == "openai":
        keys += ["model=m", "url=http://127.0.0.1:9/v1"]
    given = [word for key in keys for word in ("--set", key)]
    done = run(NO_SOCKETS, "sample", "tiny", *given, "--dry-run", "--out", tmp_path / "new")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answers: 4 of 4" in done.stdout + done.stderr
    assert not (tmp_path / "new").exists()

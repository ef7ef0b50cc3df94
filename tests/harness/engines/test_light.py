"""Who only talks to a URL needs none of the heavy packages, and a dry run on local data no network."""

import json
import subprocess
import sys
from pathlib import Path

from tests import installed
from tests.conftest import ROOT
from tests.harness.engines.openai_responder import OpenAIServer

WITHOUT = """
import importlib.abc, socket, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "sglang", "ctranslate2", "vllm"):
            raise ModuleNotFoundError(name)
def refuse(*_args, **_keys):
    raise SystemExit("a socket was opened")
sys.meta_path.insert(0, Absent())
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse

from pathlib import Path
from harness.cli import cli
from harness.engines.factory import engine_for
from harness.experiment import read_experiment
import harness.judge.run
keys = {"engine": "openai", "url": "http://127.0.0.1:9/v1", "model": "m"}
engine_for(read_experiment("gsm8k-budgets", {**keys, "chat": "true"}), Path("server.log"), print)
for given in (keys, {"engine": "ctranslate2"}):
    given = {**given, "samples": "4", "budgets": "20", "limit": "1"}
    words = [word for key, text in given.items() for word in ("--set", f"{key}={text}")]
    words = ["sample", "tiny", *words, "--dry-run", "--out", sys.argv[1]]
    cli(words, prog_name="harness", standalone_mode=False)
"""


def test_an_engine_behind_a_url_and_a_dry_run_need_nothing_heavy_and_no_network(tmp_path: Path) -> None:
    words = [sys.executable, "-c", WITHOUT, str(tmp_path / "new")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("answers: 4 of 4") == 2
    assert not (tmp_path / "new").exists()


def test_a_server_elsewhere_needs_its_extra_alone(tmp_path: Path) -> None:
    """Endings by force need the model's tokenizer, too."""
    keys = ["engine=openai", "samples=2", "budgets=20", "limit=1", "budget_by=force"]
    given = [word for key in keys for word in ("--set", key)]

    with OpenAIServer(content="It is ##18##.", models=None) as server:
        words = ("harness", "sample", "tiny", *given, "--url", server.url, "--out", tmp_path)
        done = installed.run(["url"], *words)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in rows] == ["18", "18"]

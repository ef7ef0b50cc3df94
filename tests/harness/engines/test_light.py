"""Using a server by URL needs none of the heavy packages, and a dry run on local data needs no network."""

import json
from pathlib import Path

from tests import installed
from tests.harness.engines.servers import OpenAIServer


def test_a_server_elsewhere_needs_its_extra_alone_and_dry_runs_no_network(tmp_path: Path) -> None:
    with OpenAIServer(content="It is ##18##.", models=None) as server:
        done = installed.run(["url"], "tests.harness.engines.light", tmp_path / "run", server.url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("answers: 4 of 4") == 2
    rows = [json.loads(line) for line in (tmp_path / "run" / "samples.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in rows] == ["18", "18"]

"""Rows come from the hub at the pinned revision, from its cache, or from a file; what is missing is said."""

import hashlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from harness.questions.hub import HubDataset, dataset_rows
from results import BadInput

ROOT = Path(__file__).resolve().parents[3]
ROWS = [{"problem": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(5)]
CONFIGS = {"second": ROWS[:2], "first": ROWS[2:]}
SOURCE = HubDataset("someone/sums", "0123456789abcdef0123456789abcdef01234567", ("second", "first"), rows=5)


def hub_layout(configs: Mapping[str, list[dict[str, Any]]]) -> dict[str, bytes]:
    """A data set's files as on the hub: a card that names the configurations, and their Parquet files."""
    entries = [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/test-*"}]} for name in configs
    ]
    files = {"README.md": f"---\n{json.dumps({'configs': entries})}\n---\n".encode()}  # YAML reads JSON
    for name, rows in configs.items():
        buffer = BytesIO()
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), buffer)
        files[f"{name}/test-00000-of-00001.parquet"] = buffer.getvalue()
    return files


@contextmanager
def hub(files: dict[str, bytes], commit: str) -> Iterator[tuple[str, list[str]]]:
    """A stand-in for the hub that serves one commit of one data set: its address, and the paths asked for."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.do_GET(body=False)

        def do_GET(self, body: bool = True) -> None:
            path = self.path.partition("?")[0]
            seen.append(path)
            content = files.get(path.partition(f"/resolve/{commit}/")[2])
            if path.endswith(f"/revision/{commit}"):
                content = json.dumps({"id": SOURCE.repository, "sha": commit}).encode()
            if path.endswith(f"/tree/{commit}"):
                tree = [
                    {"type": "file", "path": name, "size": len(file), "oid": hashlib.sha1(file).hexdigest()}
                    for name, file in files.items()
                ]
                content = json.dumps(tree).encode()
            self.send_response(404 if content is None else 200)
            content = content or b""
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", commit)
            self.end_headers()
            self.wfile.write(content if body else b"")

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


def load_in_new_process(endpoint: str, home: Path) -> subprocess.CompletedProcess[str]:
    """hub_rows(SOURCE) printed as JSON; the hub's address and cache are read when the library is imported."""
    code = (
        "import json, harness.questions.hub as rows\n"
        "rows.HUB_TIMEOUT = 1.0\n"
        f"try: print(json.dumps(rows.hub_rows(rows.{SOURCE!r})))\n"
        "except rows.BadInput as error: raise SystemExit(error.message)"
    )
    environment = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment.pop("HF_HUB_OFFLINE", None)
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_rows_are_downloaded_at_the_pinned_revision_and_then_kept(tmp_path: Path) -> None:
    with hub(hub_layout(CONFIGS), SOURCE.revision) as (address, seen):
        first = load_in_new_process(address, tmp_path)
        assert first.returncode == 0, first.stderr
        assert json.loads(first.stdout) == ROWS
        asked = [path for path in seen if SOURCE.repository in path]
        assert asked
        assert all(SOURCE.revision in path for path in asked)
    again = load_in_new_process(address, tmp_path)  # the hub is gone
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == ROWS


def test_an_unreachable_hub_is_one_line_that_names_the_way_out(tmp_path: Path) -> None:
    result = load_in_new_process("http://127.0.0.1:1", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("cannot get someone/sums from the Hugging Face hub (")
    assert "--file" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.integration  # many seconds
def test_a_hub_that_never_replies_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        result = load_in_new_process(f"http://127.0.0.1:{silent.getsockname()[1]}", tmp_path)
    assert "from the Hugging Face hub (timed out)" in result.stderr


def test_an_incomplete_download_is_refused(tmp_path: Path) -> None:
    with hub({"README.md": b"a card without data"}, SOURCE.revision) as (address, _):
        result = load_in_new_process(address, tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("cannot get someone/sums from the Hugging Face hub (")


def test_a_file_of_other_rows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sums.jsonl"
    for rows in (ROWS[:3], ROWS * 2):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        with pytest.raises(BadInput, match=rf"sums\.jsonl: {len(rows)} rows, expected the 5 of someone/sums"):
            dataset_rows(SOURCE, file)

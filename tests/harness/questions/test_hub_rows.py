"""Rows come from the hub at the pinned revision, from its cache, or from a file; failures are explained."""

import hashlib
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest
from huggingface_hub import constants

from harness.questions.hub_rows import HubDataset, SourceRow, dataset_rows, file_rows
from results import BadInput
from tests.responder import Reply, Request, Responder

ROWS = [{"problem": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(5)]
CONFIGS = {"second": ROWS[:2], "first": ROWS[2:]}
SOURCE = HubDataset("someone/sums", "0123456789abcdef0123456789abcdef01234567", ("second", "first"), rows=5)


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


CARD = {
    "configs": [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{name}.jsonl"}]} for name in CONFIGS
    ]
}
FILES = {f"{name}.jsonl": json_lines(rows) for name, rows in CONFIGS.items()}
FILES["README.md"] = f"---\n{json.dumps(CARD)}\n---\n".encode()  # JSON is YAML
"""A data set's files as on the hub: a card that lists the configurations, and their rows."""


def hub(files: dict[str, bytes], commit: str) -> Responder:
    """A mock hub that serves one commit of one data set."""

    def respond(request: Request) -> Reply:
        path = request.path.partition("?")[0]
        content = files.get(path.partition(f"/resolve/{commit}/")[2])
        if path.endswith(f"/revision/{commit}"):
            content = json.dumps({"id": SOURCE.repository, "sha": commit}).encode()
        if path.endswith(f"/tree/{commit}"):
            tree = [
                {"type": "file", "path": name, "size": len(file), "oid": hashlib.sha1(file).hexdigest()}
                for name, file in files.items()
            ]
            content = json.dumps(tree).encode()
        headers = {"ETag": f'"{hashlib.sha1(content or b"").hexdigest()}"', "X-Repo-Commit": commit}
        return Reply(content or b"", 404 if content is None else 200, headers)

    return Responder({"GET": respond})


Load = Callable[[str], list[SourceRow]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """A loader of the rows from the hub at an address, with an empty cache."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    monkeypatch.setattr("harness.questions.hub_rows.HUB_TIMEOUT", 0.5)

    def load(address: str) -> list[SourceRow]:
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.removeprefix(constants.ENDPOINT)
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + template)
        return dataset_rows(SOURCE, None)

    return load


def test_rows_are_downloaded_at_the_pinned_revision_and_then_kept(load: Load) -> None:
    with hub(FILES, SOURCE.revision) as server:
        assert load(server.url) == ROWS
        asked = [path for path in server.paths if SOURCE.repository in path]
        assert asked
        assert all(SOURCE.revision in path for path in asked)
    assert load(server.url) == ROWS  # the hub is gone


def test_a_data_set_may_be_one_jsonl_file_as_math_500_is(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    source = HubDataset(SOURCE.repository, SOURCE.revision, ("default",), rows=len(ROWS))
    monkeypatch.setattr(f"{__name__}.SOURCE", source)
    files = {"README.md": b"---\nlicense: mit\n---\n", "test.jsonl": json_lines(ROWS)}
    with hub(files, source.revision) as server:
        assert load(server.url) == ROWS


def test_a_hub_that_gives_nothing_is_one_line_that_names_the_way_out(load: Load) -> None:
    """The hub is not there, never replies, or has an incomplete data set."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        hub({"README.md": b"a card without data"}, SOURCE.revision) as incomplete,
    ):
        for address, why in (
            ("http://127.0.0.1:1", ""),
            (f"http://127.0.0.1:{silent.getsockname()[1]}", "timed out"),
            (incomplete.url, ""),
        ):
            with pytest.raises(
                BadInput, match=rf"^cannot get someone/sums from .* \({why}.*--file"
            ) as refusal:
                load(address)
            assert "\n" not in refusal.value.message


def test_a_file_of_other_rows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sums.jsonl"
    for rows in (ROWS[:3], ROWS * 2):
        file.write_bytes(json_lines(rows))
        with pytest.raises(BadInput, match=rf"sums\.jsonl: {len(rows)} rows, expected the 5 of someone/sums"):
            dataset_rows(SOURCE, file)


def test_ids_of_own_questions_stay_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("question_id,question,gold\n007,One?,1\n010,Two?,2\n")
    assert [row["question_id"] for row in file_rows(tmp_path / "own.csv")] == ["007", "010"]

"""Dry runs without any network, then a run on a server: python -m tests.harness.engines.light FOLDER URL."""

import importlib
import socket
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from harness.cli import cli
from harness.engines.factory import engine_for
from harness.experiment import read_experiment

FOLDER, URL = sys.argv[1:]
KEYS = {"engine": "openai", "url": URL, "model": "m"}


def refuse(*_: Any, **__: Any) -> Any:
    raise SystemExit("a socket was opened")


def sample(given: dict[str, str], *options: str) -> None:
    words = [word for key, text in given.items() for word in ("--set", f"{key}={text}")]
    few = ("--set", "budgets=20", "--set", "limit=1", "--out", FOLDER)
    cli(["sample", "tiny", *words, *few, *options], prog_name="harness", standalone_mode=False)


with (
    patch.object(socket.socket, "connect", refuse),
    patch.object(socket.socket, "connect_ex", refuse),
    patch.object(socket, "getaddrinfo", refuse),
):
    importlib.import_module("harness.judge.run")
    engine_for(read_experiment("gsm8k-budgets", {**KEYS, "chat": "true"}), Path("server.log"), print)
    for engine in (KEYS, {"engine": "ctranslate2"}):
        sample({**engine, "samples": "4"}, "--dry-run")
        assert not Path(FOLDER).exists()
# Forced endings need the model's tokenizer, too.
sample({"engine": "openai", "samples": "2", "budget_by": "force"}, "--url", URL)

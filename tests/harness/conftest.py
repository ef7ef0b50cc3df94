"""Fixtures shared by tests of the harness."""

from typing import Any

import pytest

from harness.http import connection
from harness.server.cpu.torchvision_names import declare_torchvision_operations


@pytest.fixture(scope="session")
def transformers() -> Any:
    """The library, with PyTorch: what compares with it skips where `make test-fast` installed neither."""
    pytest.importorskip("torch")
    declare_torchvision_operations()
    return pytest.importorskip("transformers")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses between attempts; a server that does not answer is given up at once."""
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(connection, "START_PATIENCE", 0.1)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.01)

"""Fixtures shared by tests of the harness."""

import pytest

from harness.http import connection


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses between attempts; a server that does not answer is given up at once."""
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(connection, "START_PATIENCE", 0.1)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.01)

"""Fixtures shared by tests of the harness."""

import pytest

from harness.http import connection


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make pauses between attempts short, and give up at once on a server that does not answer."""
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(connection, "START_PATIENCE", 0.1)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.01)

"""A folder of answers to judge."""

from pathlib import Path

import pytest

from tests.harness.judge.judging import ANSWERS, GOLDS, folder_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "run", ANSWERS, GOLDS)

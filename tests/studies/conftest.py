"""Tests of studies run only for a release, as studies are not part of the product."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Without release tests, ignore this folder, so that its imports are saved: PyTorch takes seconds."""
    return True if "not release" in config.getoption("markexpr") else None


@pytest.hookimpl(tryfirst=True)  # before tests are selected by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as a release test."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.release)

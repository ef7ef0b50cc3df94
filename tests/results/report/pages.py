"""The report's page for some files."""

from datetime import UTC, datetime
from pathlib import Path

from results.report.inputs import read_tables
from results.report.page import build_report


def page_of(*paths: Path) -> str:
    return build_report(read_tables(paths), datetime(2026, 1, 2, tzinfo=UTC))["index.html"].decode()

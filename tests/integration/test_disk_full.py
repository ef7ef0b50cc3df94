"""Runs on a full disk: one clear line, nothing lost, and the same command goes on once there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.forked_runs import DEADLINE, FORKED, forked
from tests.integration.planned import assert_exactly, keys, planned, sessions, settings

pytestmark = [pytest.mark.integration, FORKED]

LIMIT, SAMPLES, BUDGETS = 8, 32, (20,)
PLANNED = planned(LIMIT, SAMPLES, BUDGETS)


def sample(folder: Path, errors: Path, largest_file: int | None = None) -> tuple[int | None, str]:
    """The exit status of a run, and the error lines.

    They come through a pipe, to which the limit on file sizes does not apply.
    """
    sets = settings(LIMIT, SAMPLES, BUDGETS)
    os.mkfifo(errors)
    reader = os.open(errors, os.O_RDONLY | os.O_NONBLOCK)
    process = forked(["sample", "tiny", *sets, "--out", str(folder)], errors, largest_file)
    process.join(DEADLINE)
    told = [line for line in os.read(reader, 1 << 16).decode().splitlines() if " answers [" not in line]
    os.close(reader)
    errors.unlink()
    return process.exitcode, "\n".join(told).strip()


def assert_it_goes_on(folder: Path, errors: Path) -> None:
    before = (folder / "samples.jsonl").read_bytes() if (folder / "samples.jsonl").exists() else b""
    assert sample(folder, errors)[0] == 0
    assert (folder / "samples.jsonl").read_bytes().startswith(before)
    assert_exactly(PLANNED, folder)
    assert sessions(folder)[-1]["ended"] is not None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    try:
        made = subprocess.run(mount, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no mount: {error}")
    if made.returncode:
        pytest.skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_answers_beyond_the_largest_file(tmp_path: Path) -> None:
    folder, errors = tmp_path / "run", tmp_path / "errors.txt"
    status, told = sample(folder, errors, largest_file=30_000)
    assert status == 2
    assert told.startswith(f"error: {folder}/samples.jsonl: file too large")
    assert told.count("\n") == 0
    assert 0 < len(keys(folder)) < len(PLANNED)
    assert (folder / "samples.jsonl").stat().st_size <= 30_000
    assert_it_goes_on(folder, errors)


def test_a_record_that_cannot_be_written(tmp_path: Path) -> None:
    folder, errors = tmp_path / "run", tmp_path / "errors.txt"
    assert sample(folder, errors, largest_file=100) == (2, f"error: {folder}/run.json: file too large")
    assert not folder.exists()
    assert_it_goes_on(folder, errors)


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path) -> None:
    folder, errors = small_disk / "run", tmp_path / "errors.txt"
    room = small_disk / "in the way"
    room.write_bytes(bytes(1_000_000))
    status, told = sample(folder, errors)
    assert (status, told.count("\n")) == (2, 0)
    assert told.startswith(f"error: {folder}/samples.jsonl: no space left on device")
    assert 0 < len(keys(folder)) < len(PLANNED)
    assert sessions(folder)
    room.unlink()
    assert_it_goes_on(folder, errors)

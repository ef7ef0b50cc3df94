"""Options of several studies' commands, and the processes in which they work."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import click

DATA = click.option(
    "--data",
    envvar="DATA_DIR",
    default=Path(__file__).resolve().parents[2] / "shared" / "data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of real answers.  [default: DATA_DIR, or ../shared/data]",
)
PROCESSES = click.option(
    "--jobs", "processes", default=2, show_default=True, type=click.IntRange(1), help="Processes."
)
SPLITS = click.option(
    "--splits", default=2, show_default=True, type=click.IntRange(1), help="Splits of a set."
)


@contextmanager
def pool_of(processes: int) -> Iterator[ProcessPoolExecutor]:
    """So many new processes, of one thread each."""
    os.environ["OMP_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        yield pool

"""Resumes the run in a folder: locks it, checks the experiment, and finds the answers already there.

with locked(folder):
    record = check_same_run(folder, experiment, questions)   # run.json, or None for a new run
    done = read_done(folder, tally)                          # {("tiny-0000", "40", "sample"): {0, 1}}
"""

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import filelock

from harness.experiment import Experiment
from harness.questions.load import Question
from harness.store.identity import IDENTITY, PLAN_FIELDS, READING, differences, identity
from harness.store.record import grader_in
from harness.store.row import Key, Row, are_rows, is_row, key_of
from harness.store.samples_file import LOCK, SAMPLES, not_a_row, read_blocks
from harness.tally.answer_groups import groups_of
from harness.tally.counts import Tally
from results import BadInput
from results.tables.files import RECORD, read_record

NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
"""Errors of a file system without locks."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock `folder` (made if absent) for one run; a folder made here is removed if nothing is written to it.

    Raises BadInput if another run holds the lock, or if the file system has no locks.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # A lock file in place of a real lock would lock everyone out after a crash.
        lock = filelock.FileLock(folder / LOCK, timeout=0, fallback_to_soft=False)
        held = lock.acquire()
    except filelock.Timeout:
        raise BadInput(f"{folder}: another run is writing into this folder") from None
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        raise BadInput(
            f"{folder}: its file system has no locks ({os.strerror(error.errno)}), so that two runs could "
            "write into it at once: give an --out on another disk (make OUT=), or have this one mounted with "
            "locks (NFS: without nolock; Lustre: with flock)"
        ) from None
    with held:
        try:
            yield
        finally:
            with suppress(OSError):  # it may have been moved away
                if [path.name for path in folder.iterdir()] == [LOCK]:
                    (folder / LOCK).unlink()
                    for place in made:
                        place.rmdir()


def set_aside(folder: Path) -> None:
    """Rename the files of the run in `folder`, so that a new run may begin; nothing is deleted."""
    for path in (folder / SAMPLES, folder / RECORD):
        if path.exists():
            path.rename(unused(folder, f"{path.name}.bak", ""))


def check_same_run(
    folder: Path, experiment: Experiment, questions: Sequence[Question]
) -> dict[str, Any] | None:
    """The content of run.json in `folder`, or None if there is no run.

    Raises BadInput naming what has changed that its answers depend on: a field of the experiment other than
    those of plan and reading, or the content of prompt, questions or model.
    """
    path = folder / RECORD
    if not path.exists():
        if (folder / SAMPLES).exists():
            raise BadInput(f"{folder}: {SAMPLES} without {RECORD}: give another --out")
        return None
    record, now = read_record(folder) or {}, identity(experiment, questions)
    try:
        before, *_ = record["experiment"], [s["ended"] for s in record["sessions"]], grader_in(record)
        contents = [words for name, words in IDENTITY.items() if record[name] != now[name]]
    except (KeyError, TypeError):
        raise BadInput(f"{path}: not a record of this harness: give another --out") from None
    # Keys that an earlier version lacked are no change, except `shard`: its runs had no shards.
    known = {"shard", *before} - PLAN_FIELDS - READING
    fields = differences(before, {name: cell for name, cell in now["experiment"].items() if name in known})
    if fields or contents:
        raise BadInput(
            f"{folder}: sampled with another {', '.join(fields + contents)}: "
            "use the same, give another --out, or begin again with --restart"
        )
    return record


def _fault(
    row: Row | None,
    line: bytes,
    known: bool,
    run: Experiment | None,
    done: dict[Key, set[int]],
    golds: dict[str, str],
) -> str | None:
    """What is wrong with the next row of a run; None if nothing is: the row is then in `done` and `golds`.

    `known`: its cells have been checked. `run`: the run that it is a row of, None if unknown.
    """
    if row is None or not (known or is_row(row)):
        return not_a_row(line)
    if run and (row["model"], row["dataset"]) != (run.model, run.name):
        return f"of {row['model']} on {row['dataset']}, in a run of {run.model} on {run.name}"
    question, gold = row["question_id"], row["gold"]
    if row["correct"] != (row["answer"] == gold):
        return f"correct is {row['correct']}, and answer is {row['answer']!r}, gold {gold!r}"
    if golds.setdefault(question, gold) != gold:
        return f"gold {gold!r} of {question}, which was {golds[question]!r} before"
    indices = done.setdefault(key_of(row), set())
    if row["sample"] in indices:
        return f"a second row for {', '.join(map(str, (*key_of(row), row['sample'])))}"
    indices.add(row["sample"])
    return None


def read_done(folder: Path, tally: Tally) -> dict[Key, set[int]]:
    """The sample indices of the answers in `folder`, which are added to `tally`; a torn last line is ignored.

    Raises BadInput naming the first row that is not one of this harness, contradicts itself or another, or is
    a duplicate.
    """
    path = folder / SAMPLES
    done: dict[Key, set[int]] = {}
    golds: dict[str, str] = {}
    for block in read_blocks(path) if path.exists() else ():
        known = are_rows(block.rows)
        for number, line, row in block.numbered():
            if fault := _fault(row, line, known, tally.experiment, done, golds):
                raise BadInput(f"{path}: row {number}: {fault}: delete the row, and it is sampled again")
        for group in groups_of([row for row in block.rows if row is not None]):
            tally.add_group(group)
    return done


def unused(folder: Path, name: str, suffix: str) -> Path:
    """A path that does not exist yet: `folder`/`name`-TIME`suffix`."""
    name = f"{name}-{time.strftime('%Y%m%dT%H%M%S')}"
    while (folder / (name + suffix)).exists():  # twice within a second
        name += "x"
    return folder / (name + suffix)

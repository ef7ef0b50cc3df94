"""Going on with the run in a folder: who may, with what, and which answers are there already.

    with locked(folder):
        record = check_same_run(folder, experiment, questions)   # run.json, or None for a new run
        done = read_done(folder, tally)                          # {("tiny-0000", "40", "sample"): {0, 1}}

What is then missing of the plan (harness/run/plan.py) is asked for.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

from harness.experiment import Experiment
from harness.questions.load import Question
from harness.run.record import IDENTITY, PLAN_FIELDS, READING, RECORD, identity
from harness.run.samples_file import SAMPLES, Key, key_of, parse_object, read_rows
from harness.run.tally import Tally
from results import BadInput


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold `folder` (made if absent) for one run; raises BadInput where another run holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(folder / ".lock", timeout=0):
            yield
    except filelock.Timeout:
        raise BadInput(f"{folder}: another run is writing into this folder") from None


def set_aside(folder: Path) -> None:
    """Rename the files of the run in `folder`, so that a new one may begin; nothing is deleted."""
    stamp = time.strftime("%Y%m%dT%H%M%S")
    for path in (folder / SAMPLES, folder / RECORD):
        aside = path.with_name(f"{path.name}.bak-{stamp}")
        while aside.exists():  # twice within a second
            aside = aside.with_name(aside.name + "x")
        if path.exists():
            path.rename(aside)


def check_same_run(
    folder: Path, experiment: Experiment, questions: Sequence[Question]
) -> dict[str, Any] | None:
    """run.json of the run in `folder`, None where there is no run.

    Raises BadInput naming what has changed where the run's answers depend on something that differs now: the
    experiment but for its plan fields, or the content of prompt, questions or model.
    """
    path = folder / RECORD
    if not path.exists():
        if (folder / SAMPLES).exists():
            raise BadInput(f"{folder}: {SAMPLES} without {RECORD}: give another --out")
        return None
    now = identity(experiment, questions)
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        before, _ = found["experiment"], found["sessions"]
        contents = [(field, words, found[name], now[name]) for name, (field, words) in IDENTITY.items()]
        fields = [
            f"{name} ({_short(before[name])} then, {_short(value)} now)"
            for name, value in now["experiment"].items()
            if name not in PLAN_FIELDS | READING and name in before and before[name] != value
        ]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{path}: not a record of this harness: give another --out") from None
    changed = [
        words
        for field, words, then, value in contents
        if then != value and before.get(field) == now["experiment"][field]
    ]
    if fields or changed:
        raise BadInput(
            f"{folder}: sampled with another {', '.join(fields + changed)}: "
            "use the same, give another --out, or begin again with --restart"
        )
    return found


def read_done(folder: Path, tally: Tally) -> dict[Key, set[int]]:
    """The sample indices of the answers in `folder`, each counted in `tally`; a torn last line is mended.

    Raises BadInput naming the first row that is not one of this harness, or is there twice.
    """
    path = folder / SAMPLES
    done: dict[Key, set[int]] = {}
    if path.exists():
        _mend_last_line(path)
        for number, row in enumerate(read_rows(path), start=1):
            indices = done.setdefault(key_of(row), set())
            if row["sample"] in indices:
                what = ", ".join(map(str, (*key_of(row), row["sample"])))
                raise BadInput(f"{path}: row {number}: a second row for {what}")
            indices.add(row["sample"])
            tally.add(row)
    return done


def _mend_last_line(path: Path) -> None:
    """Complete the last line if only its newline is missing, else cut it off."""
    with path.open("r+b") as file:
        whole, last = 0, b"\n"
        for line in file:
            last = line
            whole += len(line) if line.endswith(b"\n") else 0
        file.seek(0, os.SEEK_END)
        if not last.endswith(b"\n"):
            if parse_object(last) is not None:
                file.write(b"\n")
            else:
                file.truncate(whole)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."

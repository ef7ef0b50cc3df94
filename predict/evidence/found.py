"""The sets of several inputs: those that were named, what folders of runs hold, and others after them.

    runs/gsm8k/samples.jsonl  runs/gsm8k/curves.csv  runs/old/samples.jsonl     then: tiny.csv
    ->  gsm8k (its curves hold no more), old, tiny;   not a set that was met before

What was named must be readable. Of what was found or comes after, a file that cannot be forecast is passed
over, with a sentence on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from predict.evidence.groups import Group
from predict.evidence.request import Request, read_asked
from results import BadInput, kind_of
from results.tables.contract import sample_files
from results.tables.files import SUFFIXES


@dataclass(frozen=True)
class Found:
    """The groups, in their order, and what was passed over: (file, why)."""

    groups: list[Group] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)


def opened(inputs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files and runs among the inputs, and the tables in those that are folders of runs."""
    folders = [path for path in inputs if _holds_runs(path)]
    named = [path for path in inputs if path not in folders]
    return named, [file for folder in folders for file in tables_in(folder)]


def read_found(named: Sequence[Path], others: Sequence[Path], method: str, request: Request) -> Found:
    """Every set of the files and runs `named`, and of the `others` what was not met before.

    Raises BadInput where one that is named cannot be read, and where there is no set at all.
    """
    found = Found(read_asked(named, method, request) if named else [])
    seen = {group.name: list(named) for group in found.groups}
    for file in others:
        try:
            groups = read_asked([file], method, request)
        except BadInput as error:
            found.passed_over.append((str(file), str(error).removeprefix(f"{file}: ")))
            continue
        for group in groups:
            before = seen.setdefault(group.name, [file])
            if before == [file]:
                found.groups.append(group)
            elif before[0].parent != file.parent:
                found.passed_over.append((str(file), f"{group.called} is in {before[0]}, too"))
    if not found.groups:
        raise BadInput(f"nothing to forecast: neither a run nor curves of {method} in the folders given")
    return found


def tables_in(folder: Path) -> list[Path]:
    """The samples and curves under a folder, the newest first; of one age, answers before their curves."""
    kinds: dict[Path, str] = {}
    for file in folder.rglob("*"):
        if file.suffix in SUFFIXES and file.is_file():
            try:
                kinds[file] = kind_of(file)
            except BadInput:  # a table of something else
                continue
    runs = {file.parent: file for file in kinds if kinds[file] == "samples"}

    def rank(file: Path) -> tuple[float, bool, str]:
        own_run = runs.get(file.parent, file)
        return -own_run.stat().st_mtime, kinds[file] == "curves", str(file)

    return sorted((file for file in kinds if kinds[file] in ("samples", "curves")), key=rank)


def _holds_runs(path: Path) -> bool:
    """Whether it is a folder that is no run itself."""
    if not path.is_dir():
        return False
    try:
        sample_files(path)
    except BadInput:
        return True
    return False

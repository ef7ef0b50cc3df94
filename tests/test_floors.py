"""The house: rooms import only the rooms they may, and inside a room each part only parts below it.

A part is a file or a folder directly inside a room. The floors are listed from the ground up: a part may
import parts of lower floors, and parts of its own floor that import nothing back. A room's `__init__.py`
hands on public names of any floor and is left out, as is `__main__.py`, the door.
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

ROOMS = {
    "results": set[str](),
    "prompts": set[str](),
    "predict": {"results"},
    "synthetic": {"results"},
    "harness": {"results", "prompts"},
}

FLOORS = {
    "results": [
        ["visible", "canonical", "frontier", "normal"],
        ["commandline", "aligned", "read_options"],
        ["tables"],
        ["votes", "saturating"],
        ["paper_fits", "paired"],
        ["library"],
        ["figures"],
        ["stopping"],
        ["report"],
        ["cli"],
    ],
    "prompts": [],
    "predict": [
        ["evidence"],
        ["estimate", "pool_luck"],
        ["curves"],
        ["answers"],
        ["stopped"],
        ["estimators"],
        ["table", "scoring"],
        ["planning"],
        ["library"],
        ["cli"],
    ],
    "synthetic": [
        ["model"],
        ["binary", "continuous"],
        ["panels"],
        ["theory", "trained", "match", "library"],
        ["cli"],
    ],
    "harness": [
        ["grading", "fields", "overrides"],
        ["experiment", "grader"],
        ["questions", "server"],
        ["engines"],
        ["tally"],
        ["store"],
        ["run"],
        ["gpu_check", "imports", "judge", "tiny", "view"],
        ["inspect_ai"],
        ["exports"],
        ["cli"],
    ],
}


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for room in ROOMS
    for path in (ROOT / room).rglob("*.py")
}
"""Dotted name → file of every module; a package goes by its own name."""


def imports(path: Path) -> Iterator[str]:
    """The project's own modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in named:
            while name and name not in MODULES:
                name = name.rpartition(".")[0]
            if name:
                yield name


IMPORTS = {name: set(imports(path)) - {name} for name, path in MODULES.items()}


def part(name: str) -> str:
    return name.split(".")[1]


def inside(room: str) -> Iterator[tuple[str, str]]:
    """(module, module it imports) of one room, its `__init__` and its door left out."""
    for name, imported in IMPORTS.items():
        for other in imported:
            if name.startswith(f"{room}.") and other.startswith(f"{room}.") and part(name) != "__main__":
                yield name, other


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_it_may(room: str) -> None:
    mine = {name: imported for name, imported in IMPORTS.items() if name.split(".")[0] == room}
    rooms = {other.split(".")[0]: name for name, imported in mine.items() for other in imported}
    assert rooms.keys() <= ROOMS[room] | {room}, rooms


@pytest.mark.parametrize("room", ROOMS)
def test_a_part_imports_only_parts_below_it_and_in_no_circle(room: str) -> None:
    parts = {part(name) for name in MODULES if name.startswith(f"{room}.")} - {"__main__"}
    floor = {name: height for height, names in enumerate(FLOORS[room]) for name in names}
    assert sorted(parts) == sorted(name for names in FLOORS[room] for name in names)
    assert [pair for pair in inside(room) if floor[part(pair[1])] > floor[part(pair[0])]] == []
    graph: dict[str, set[str]] = {}
    for name, other in inside(room):
        if part(name) != part(other):
            graph.setdefault(part(name), set()).add(part(other))
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_there_is_no_circle_of_files() -> None:
    TopologicalSorter(IMPORTS).prepare()  # raises CycleError


def test_no_file_is_a_heap() -> None:
    """No file above 300 lines, in the rooms and in the tests."""
    files = [*MODULES.values(), *(ROOT / "tests").rglob("*.py")]
    long = {str(path): count for path in files if (count := len(path.read_text().splitlines())) > 300}
    assert long == {}

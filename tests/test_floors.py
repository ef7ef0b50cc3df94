"""The house: rooms import only the rooms they may, and inside a room each part only parts below it.

A part is a file or a folder directly inside a room. The floors are listed from the ground up: a part may
import parts of lower floors, and parts of its own floor that import nothing back. A room's `__init__.py`
hands on public names of any floor and is left out, as is `__main__.py`, the door.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
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
        ["visible", "frontier", "normal"],
        ["commandline", "aligned"],
        ["tables"],
        ["votes", "saturating"],
        ["paper_fits", "paired"],
        ["library"],
        ["figures"],
        ["report"],
        ["cli"],
    ],
    "prompts": [["fewshot"]],
    "predict": [
        ["protocol"],
        ["groups"],
        ["curves"],
        ["length"],
        ["questions"],
        ["survival"],
        ["predictors", "capped"],
        ["split"],
        ["forecasting", "backtest"],
        ["planning", "library"],
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
        ["experiment", "grader"],
        ["questions", "server"],
        ["engines"],
        ["run"],
        ["gpu_check", "imports", "tiny", "view"],
        ["cli"],
    ],
}


def modules(room: str) -> dict[str, Path]:
    """Dotted name → file of every module of a room; a package goes by its own name."""
    found = {}
    for path in (ROOT / room).rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


MODULES = {name: path for room in ROOMS for name, path in modules(room).items()}


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
    seen = {
        (name, other)
        for name, imported in IMPORTS.items()
        for other in imported
        if name.split(".")[0] == room and other.split(".")[0] not in ROOMS[room] | {room}
    }
    assert seen == set()


@pytest.mark.parametrize("room", ROOMS)
def test_every_part_has_a_floor(room: str) -> None:
    parts = {part(name) for name in MODULES if name.startswith(f"{room}.")} - {"__main__"}
    listed = [name for floor in FLOORS[room] for name in floor]
    assert sorted(listed) == sorted(parts)


@pytest.mark.parametrize("room", ROOMS)
def test_a_part_imports_only_parts_below_it(room: str) -> None:
    floor = {name: height for height, names in enumerate(FLOORS[room]) for name in names}
    above = {(name, other) for name, other in inside(room) if floor[part(other)] > floor[part(name)]}
    assert above == set()


@pytest.mark.parametrize("room", ROOMS)
def test_there_is_no_circle_of_parts(room: str) -> None:
    graph: dict[str, set[str]] = {}
    for name, other in inside(room):
        if part(name) != part(other):
            graph.setdefault(part(name), set()).add(part(other))
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_there_is_no_circle_of_files() -> None:
    try:
        TopologicalSorter({name: IMPORTS[name] for name in MODULES}).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_no_file_is_a_heap() -> None:
    """No file above 300 lines, in the rooms and in the tests."""
    files = [*MODULES.values(), *(ROOT / "tests").rglob("*.py")]
    long = {str(path): count for path in files if (count := len(path.read_text().splitlines())) > 300}
    assert long == {}

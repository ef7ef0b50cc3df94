"""Packages import only the packages they may, none the studies, and each part only parts below it.

A part is a file or a folder directly inside a package. The layers are listed from the lowest up: a part may
import parts of lower layers, and parts of its own layer that import nothing back. A package's `__init__.py`
hands on public names of any layer and is left out, as is `__main__.py`, which starts it. A name is one thing.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = {
    "results": set[str](),
    "prompts": set[str](),
    "predict": {"results"},
    "synthetic": {"results"},
    "harness": {"results", "prompts"},
}

LAYERS = {
    "results": [
        ["terminal", "canonical", "normal", "methods"],
        ["commandline", "command_help", "read_options"],
        ["arguments"],
        ["tables"],
        ["votes", "saturating"],
        ["low_cost_to_high", "paper_fits", "paired"],
        ["library", "stopping"],
        ["summary"],
        ["words"],
        ["figures"],
        ["pictures", "report"],
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
        ["forecast_table", "splits"],
        ["planning"],
        ["library"],
        ["cli"],
    ],
    "synthetic": [
        ["model"],
        ["binary", "continuous"],
        ["panels"],
        ["theory", "library"],
        ["cli"],
    ],
    "harness": [
        ["grading", "fields", "errors"],
        ["experiment", "grader", "http"],
        ["questions", "server"],
        ["engines"],
        ["tally"],
        ["store"],
        ["run"],
        ["gpu_check", "imports", "judge", "view"],
        ["inspect_ai"],
        ["exports"],
        ["cli"],
    ],
}


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in (*PACKAGES, "studies")
    for path in (ROOT / package).rglob("*.py")
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


def inside(package: str) -> Iterator[tuple[str, str]]:
    """(module, module it imports) of one package, its `__init__` and its `__main__` left out."""
    for name, imported in IMPORTS.items():
        for other in imported:
            if (
                name.startswith(f"{package}.")
                and other.startswith(f"{package}.")
                and part(name) != "__main__"
            ):
                yield name, other


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_the_packages_it_may(package: str) -> None:
    mine = {name: imported for name, imported in IMPORTS.items() if name.split(".")[0] == package}
    packages = {other.split(".")[0]: name for name, imported in mine.items() for other in imported}
    assert packages.keys() <= PACKAGES[package] | {package}, packages


@pytest.mark.parametrize("package", PACKAGES)
def test_a_part_imports_only_parts_below_it_and_in_no_circle(package: str) -> None:
    parts = {part(name) for name in MODULES if name.startswith(f"{package}.")} - {"__main__"}
    layer = {name: height for height, names in enumerate(LAYERS[package]) for name in names}
    assert sorted(parts) == sorted(name for names in LAYERS[package] for name in names)
    assert [pair for pair in inside(package) if layer[part(pair[1])] > layer[part(pair[0])]] == []
    graph: dict[str, set[str]] = {}
    for name, other in inside(package):
        if part(name) != part(other):
            graph.setdefault(part(name), set()).add(part(other))
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_predict_draws_through_results_and_imports_no_figure() -> None:
    drawn = {name: imported for name, imported in IMPORTS.items() if name.split(".")[0] == "predict"}
    figures = [(name, one) for name, imported in drawn.items() for one in imported if ".figures" in one]
    assert figures == []


def test_there_is_no_circle_of_files() -> None:
    TopologicalSorter(IMPORTS).prepare()  # raises CycleError


APART = (".cli.", ".library", ".__main__", "studies.", "results.words.", "results.figures.")
"""Commands, what users call, studies, and a subject's words and picture, which are called as its numbers."""


def test_no_two_classes_and_no_two_modules_have_one_name() -> None:
    """But what users of the harness and of the twin each call their experiment."""
    trees = [ast.parse(path.read_text()) for name, path in MODULES.items() if not name.startswith("studies")]
    classes = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, times in classes.items() if times > 1] == ["Experiment"]
    files = [name for name, path in MODULES.items() if path.name != "__init__.py"]
    compared = [name for name in files if not any(apart in name for apart in APART)]
    named = Counter(name.rpartition(".")[2] for name in compared)
    assert [name for name, times in named.items() if times > 1] == []

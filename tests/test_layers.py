"""Packages import only the packages they may, never the studies, and each part only parts below it.

A part is a file or a folder directly inside a package. The layers are listed from the lowest up: a part may
import parts of lower layers, and parts of its own layer that import nothing back. A package's `__init__.py`
re-exports names of any layer and is left out, as is `__main__.py`. Names of classes and modules are unique.
Third-party packages are declared in pyproject.toml by name, even if another dependency brings them.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from results import commandline
from tests.conftest import ROOT
from tests.installed import EXTRAS, asked, plain

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
    "synthetic": [["model"], ["binary", "continuous"], ["panels"], ["theory", "library"], ["cli"]],
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


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> list[str]:
    """The dotted names that a file imports, anywhere in it."""
    names = list[str]()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            names.extend(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def own(path: Path) -> Iterator[str]:
    """The project's own modules that a file imports."""
    for name in imported(path):
        while name and name not in MODULES:
            name = name.rpartition(".")[0]
        if name:
            yield name


@cache
def imports() -> dict[str, set[str]]:
    """Module → the project's own modules that it imports; made on demand, as each worker imports this."""
    return {name: set(own(path)) - {name} for name, path in MODULES.items()}


def part(name: str) -> str:
    return name.split(".")[1]


def inside(package: str) -> Iterator[tuple[str, str]]:
    """(module, module it imports) within one package, without its `__init__` and `__main__`."""
    for name, others in imports().items():
        for other in others:
            if (
                name.startswith(f"{package}.")
                and other.startswith(f"{package}.")
                and part(name) != "__main__"
            ):
                yield name, other


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_the_packages_it_may(package: str) -> None:
    mine = {name: others for name, others in imports().items() if name.split(".")[0] == package}
    packages = {other.split(".")[0]: name for name, others in mine.items() for other in others}
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
    drawn = {one for name in imports() if name.split(".")[0] == "predict" for one in imports()[name]}
    assert [one for one in drawn if ".figures" in one] == []


def test_there_is_no_circle_of_files() -> None:
    TopologicalSorter(imports()).prepare()  # raises CycleError


APART = (".cli.", ".library", ".__main__", "studies.", "results.words.", "results.figures.")
"""Exempt: commands, public modules, studies, and words and figures, named like the numbers they show."""


def test_no_two_classes_and_no_two_modules_have_one_name() -> None:
    """Except `Experiment`, which the harness and the twin each have for their users."""
    nodes = [
        node for name, path in MODULES.items() if not name.startswith("studies") for node in tree(path).body
    ]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, times in classes.items() if times > 1] == ["Experiment"]
    files = [name for name, path in MODULES.items() if path.name != "__init__.py"]
    compared = [name for name in files if not any(apart in name for apart in APART)]
    named = Counter(name.rpartition(".")[2] for name in compared)
    assert [name for name, times in named.items() if times > 1] == []


SERVER = ROOT / "harness" / "server" / "cpu"
BY_NAME = {"import_module", "find_spec", "importorskip"}
"""Functions that import a package, or look for one, by a quoted name."""
BESIDE = {ROOT / "tests" / "studies", ROOT / "tests" / "docs"}
"""Tests of scripts that need further packages; they skip where those are missing."""


@cache
def owners() -> Mapping[str, list[str]]:
    """Module → the installed packages that provide it."""
    return packages_distributions()


def declared(*extras: str) -> set[str]:
    return {plain(need.name) for need in asked(extras)}


def users() -> set[str]:
    """All declared packages except the tools of `dev`, which a user does not have."""
    return declared(*(EXTRAS.keys() - {"dev"}))


def packages(module: str) -> set[str]:
    """The packages that provide a module; the module's own name where none is installed here."""
    return {plain(owner) for owner in owners().get(module, [module])}


def outside(file: Path) -> set[str]:
    """The third-party modules that a file imports, or asks for by name."""
    names = {*imported(file)}
    for call in ast.walk(tree(file)):
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            called = getattr(call.func, "id", getattr(call.func, "attr", ""))
            names.update([str(call.args[0].value)] if called in BY_NAME else [])
    ours = {*PACKAGES, "studies", "tests", "tts"}
    return {name.partition(".")[0] for name in names} - ours - sys.stdlib_module_names


def undeclared(files: list[Path], known: set[str]) -> set[tuple[str, str]]:
    """(module, file that imports it) for each module that none of the `known` packages provides."""
    return {
        (module, str(file.relative_to(ROOT)))
        for file in files
        for module in outside(file)
        if not packages(module) & known
    }


@pytest.mark.parametrize("package", [*PACKAGES, "studies"])
def test_what_a_package_imports_is_declared(package: str) -> None:
    files = [file for file in (ROOT / package).rglob("*.py") if file.parent != SERVER]
    optional = {"lm-eval"}  # its own filters are used where it is installed
    if package == "studies":
        # which these scripts say they need
        optional |= {"cosmic-ray", "psutil", "safetensors", "scorio"}
    assert undeclared([*files, ROOT / "tts.py"], users() | optional) == set()


def test_what_sglang_on_a_cpu_imports_is_in_the_lists_that_it_is_installed_from() -> None:
    lists = [file.read_text(encoding="utf-8") for file in SERVER.glob("requirements*.txt")]
    names = re.findall(r"^([\w.-]+)==", "\n".join(lists), re.MULTILINE)
    assert undeclared(list(SERVER.glob("*.py")), users() | set(map(plain, names))) == set()


def test_what_the_tests_import_is_declared() -> None:
    files = [file for file in (ROOT / "tests").rglob("*.py") if not BESIDE & set(file.parents)]
    assert undeclared(files, declared(*EXTRAS)) == set()


def test_who_lacks_a_package_is_told_an_extra_that_brings_it() -> None:
    for module, extra in commandline.EXTRAS.items():
        assert packages(module) & declared(extra), module


def test_who_only_talks_to_a_url_gets_no_model_and_no_pytorch() -> None:
    assert not declared("url") & {"torch", "transformers", "ctranslate2", "sglang", "inspect-ai"}
    assert declared("url") < declared("lm")

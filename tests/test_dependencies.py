"""What the code imports is declared in pyproject.toml, and not only there as another package needs it."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from results import commandline
from tests.conftest import ROOT
from tests.installed import EXTRAS, asked, plain

OWN = {"harness", "predict", "prompts", "results", "studies", "synthetic", "tests", "tts"}
SERVER = ROOT / "harness" / "server" / "cpu"
BY_NAME = {"import_module", "find_spec", "importorskip"}
"""What imports a package, or looks for one, by a name in quotes."""
BESIDE = {ROOT / "tests" / "studies", ROOT / "tests" / "docs"}
"""Tests of scripts with packages of their own, which skip where those are missing."""
OWNERS = packages_distributions()


def declared(*extras: str) -> set[str]:
    return {plain(need.name) for need in asked(extras)}


def users() -> set[str]:
    """All that is declared but for the tools of tests, which a user does not have."""
    return declared(*(EXTRAS.keys() - {"dev"}))


def packages(module: str) -> set[str]:
    """What a module comes with, by its own name where it is not installed here."""
    return {plain(owner) for owner in OWNERS.get(module, [module])}


def imported(file: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it, but for those of Python and of the project."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            names = [str(node.args[0].value)] if called in BY_NAME else []
        for name in names:
            module = name.partition(".")[0]
            if module not in OWN | sys.stdlib_module_names:
                yield module


def undeclared(files: list[Path], known: set[str]) -> set[tuple[str, str]]:
    """(module, file that imports it) of those that come with none of the `known` packages."""
    return {
        (module, str(file.relative_to(ROOT)))
        for file in files
        for module in imported(file)
        if not packages(module) & known
    }


@pytest.mark.parametrize("package", sorted(OWN - {"tests", "tts"}))
def test_what_a_package_imports_is_declared(package: str) -> None:
    files = [file for file in (ROOT / package).rglob("*.py") if file.parent != SERVER]
    optional = {"lm-eval"}  # whose own filters are used where it is installed
    if package == "studies":
        # what these scripts say that they need
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

"""What `pip install '.[EXTRA]'` installs, and commands run as if nothing else were installed."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

from packaging.requirements import Requirement

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# Hides packages from `python -m`, as if they were not installed.
HIDING = """
import runpy, sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"{name} is not part of the installation", name=name)
HIDDEN = set(sys.argv[1].split(","))
sys.meta_path.insert(0, Hidden())
sys.argv[:2] = []
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def plain(name: str) -> str:
    """The normalized name of a package, the same for all its spellings."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked(extras: Sequence[str]) -> list[Requirement]:
    """What pyproject.toml requires with these `extras`, including the extras that they name in turn."""
    found, ahead = [Requirement(line) for line in PROJECT["dependencies"]], list(extras)
    while ahead:
        for need in map(Requirement, EXTRAS[ahead.pop()]):
            if need.name == PROJECT["name"]:
                ahead += need.extras
            else:
                found.append(need)
    return found


def installation(*extras: str) -> set[str]:
    """The packages that these `extras` install, with the dependencies of those installed here."""
    found, seen = {plain(PROJECT["name"])}, set[tuple[str, frozenset[str]]]()
    ahead = asked(extras)
    while ahead:
        need = ahead.pop()
        entry = need.name, frozenset(need.extras)
        if entry in seen:
            continue
        seen.add(entry)
        found.add(plain(need.name))
        try:
            lines = requires(need.name) or []
        except PackageNotFoundError:  # not meant for this kind of machine
            continue
        wanted = ("", *need.extras)
        for line in map(Requirement, lines):
            if not line.marker or any(line.marker.evaluate({"extra": extra}) for extra in wanted):
                ahead.append(line)
    return found


def hidden(*extras: str) -> list[str]:
    """The modules installed here that do not come with `extras`."""
    there = installation(*extras)
    return [
        module
        for module, owners in packages_distributions().items()
        if not any(plain(owner) in there for owner in owners) and module.isidentifier()
    ]


def command(extras: Sequence[str], *arguments: object) -> list[str]:
    """The command for `python -m ARGUMENTS` where only these `extras` are installed."""
    return [sys.executable, "-c", HIDING, ",".join(hidden(*extras)), *map(str, arguments)]


def run(extras: Sequence[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    """`python -m ARGUMENTS` where only these `extras` are installed."""
    return subprocess.run(
        command(extras, *arguments),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

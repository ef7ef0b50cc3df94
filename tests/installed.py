"""What `pip install '.[EXTRA]'` installs, and commands run as if nothing else were installed."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# Runs `python -m` for each command of a list, with packages hidden as if they were not installed.
HIDING = """
import json, runpy, sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"{name} is not part of the installation", name=name)
HIDDEN, code = set(sys.argv[1].split(",")), 0
sys.meta_path.insert(0, Hidden())
for sys.argv in json.loads(sys.argv[2]):
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
        print(f"<{code}>")
sys.exit(code)
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


def without(
    modules: Sequence[str], *commands: Sequence[str], folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """`python -m COMMAND` for each command, in one process without `modules`; exit statuses as <0>."""
    return subprocess.run(
        [sys.executable, "-uc", HIDING, ",".join(modules), json.dumps(commands)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def run(extras: Sequence[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    """`python -m ARGUMENTS` where only these `extras` are installed."""
    return without(hidden(*extras), [*map(str, arguments)])

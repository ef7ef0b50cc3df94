"""Resolves the pins for machines other than this one, and prints a table: yes, or why not.

    python .ci/resolve.py

Each cell is two calls of `uv pip compile`, for a Python and a platform that need not be here: does what a
target installs resolve under its pins, and is there a wheel of every package? Packages are looked up in the
index that pip is configured with. Exits with 1 if a cell is red.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PYTHONS = ("3.11.2", "3.12", "3.13", "3.14")
ANYWHERE = {
    "Linux x86_64": "x86_64-manylinux_2_28",
    "Linux aarch64": "aarch64-manylinux_2_28",
    "macOS arm64": "aarch64-apple-darwin",
}
SERVERS = {"Linux x86_64": "x86_64-manylinux_2_35", "Linux aarch64": "aarch64-manylinux_2_35"}
GPU_HOST = {"Linux x86_64": "x86_64-manylinux_2_35"}


@dataclass(frozen=True)
class Target:
    """What a target installs, under which pins, and where it is meant to."""

    what: tuple[str, ...]
    pins: str
    platforms: dict[str, str]
    pythons: tuple[str, ...]
    alone: str | None = None  # a file of packages installed without what they ask for


# SGLang 0.5.23 comes for Python 3.11 to 3.13 on Linux with glibc 2.34 or later. On a GPU host it asks for a
# package (outlines-core) that has no wheel for 3.13.
TARGETS = {
    "make demo": Target(
        ("pyproject.toml", "--extra=lm", "--extra=plots"), "constraints.txt", ANYWHERE, PYTHONS
    ),
    "make test": Target(
        ("pyproject.toml", "--extra=dev", "--extra=torch"), "constraints.txt", ANYWHERE, PYTHONS
    ),
    "SGLang on a CPU": Target(
        ("harness/server/cpu/requirements.txt",),
        "constraints.txt",
        SERVERS,
        PYTHONS[:3],
        alone="harness/server/cpu/requirements-no-deps.txt",
    ),
    "GPU host": Target(
        ("pyproject.toml", "--extra=lm", "--extra=math", "--extra=plots", "--extra=sglang"),
        "constraints-gpu.txt",
        GPU_HOST,
        PYTHONS[:2],
    ),
}

NO_WHEELS = {"rouge-score", "sqlitedict", "word2number"}
"""Packages that come as source everywhere: a few Python files, which need no compiler."""


def index_of_pip() -> list[str]:
    """The option that gives uv the index that pip is configured with; none if pip has its default."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL", configured)
    return [f"--default-index={index}"] if index else []


def resolve(
    what: Sequence[str], python: str, platform: str, *options: str
) -> subprocess.CompletedProcess[str]:
    """What `uv pip compile` says of `what` for that Python and platform."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate"),
            *(f"--python-version={python}", f"--python-platform={platform}"),
            *(*index_of_pip(), *options, *what),
        ],
        cwd=ROOT,
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0", "UV_PYTHON_DOWNLOADS": "never"},
        capture_output=True,
        text=True,
        check=False,
    )


def problem(target: Target, python: str, platform: str) -> str | None:
    """Why the target cannot be installed there, or None if it can."""
    resolved = resolve(target.what, python, platform, f"--constraint={target.pins}")
    if resolved.returncode:
        return resolved.stderr
    needed = resolved.stdout.splitlines()
    if target.alone:
        needed += (ROOT / target.alone).read_text().splitlines()
    with_wheels = [line for line in needed if line.partition("==")[0] not in NO_WHEELS]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(dict.fromkeys(with_wheels)))
        file.flush()
        wheels = resolve([file.name], python, platform, "--no-deps", "--no-build")
    return wheels.stderr if wheels.returncode else None


def main() -> int:
    """Print the table, then the reasons of its red cells; the exit status."""
    cells = [
        (name, python, place)
        for name, target in TARGETS.items()
        for python in target.pythons
        for place in target.platforms
    ]

    def tried(cell: tuple[str, str, str]) -> str | None:
        name, python, place = cell
        return problem(TARGETS[name], python, TARGETS[name].platforms[place])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(cells, pool.map(tried, cells), strict=True))
    print(f"{'':20}", *(f"{python:>8}" for python in PYTHONS))
    for name, target in TARGETS.items():
        print(name)
        for place in target.platforms:
            states = ["NO" if found[name, python, place] else "yes" for python in target.pythons]
            print(f"    {place:16}", *(f"{state:>8}" for state in states))
    red = {cell: why for cell, why in found.items() if why}
    for cell, why in red.items():
        print(f"\n{', '.join(cell)}\n{why}", file=sys.stderr)
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main())

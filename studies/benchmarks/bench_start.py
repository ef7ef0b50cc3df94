"""The cost of starting: `python -m ROOM --help`, a bare `import`, and the core in an empty environment.

    $ python -m studies.benchmarks.bench_start
    | command | wall s | processor s | modules |

The best of five. Wall seconds include other load on the machine; processor seconds hardly do.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

import click

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("harness", "predict", "results", "synthetic")


def seconds(*command: str) -> tuple[float, float]:
    """Wall and processor time of one start."""
    before, start = getrusage(RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    wall, after = perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts() -> None:
    click.echo("| command | wall s | processor s | modules |\n|---|---:|---:|---:|")
    commands = {f"python -m {room} --help": ["-m", room, "--help"] for room in ROOMS}
    commands["tts forecast --help"] = ["-m", "predict", "forecast", "--help"]
    commands |= {f"import {room}": ["-c", f"import {room}"] for room in ROOMS}
    commands |= {"from results import vote_curve": ["-c", "from results import vote_curve"]}
    for name, start in commands.items():
        wall, processor = map(min, zip(*(seconds(sys.executable, *start) for _ in range(5)), strict=True))
        listing = [sys.executable, "-X", "importtime", *start]
        said = subprocess.run(listing, capture_output=True, check=True, cwd=ROOT).stderr
        click.echo(f"| `{name}` | {wall:.2f} | {processor:.2f} | {said.count(b'import time') - 1} |")


def installation() -> None:
    """The size and the time of `pip install .` into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        empty = size(folder)
        python = str(Path(folder) / "bin" / "python")
        try:
            wall, _ = seconds(python, "-m", "pip", "install", "--quiet", str(ROOT))
        except subprocess.CalledProcessError:
            click.echo("`pip install .` did not end well: is the package index within reach?", err=True)
            return
        bare = [python, "-c", "import importlib.metadata as m; print(len(list(m.distributions())) - 2)"]
        packages = subprocess.run(bare, capture_output=True, text=True, check=True, cwd=folder).stdout.strip()
        megabytes = size(folder) - empty
    click.echo(f"\n`pip install .`, the core: {packages} packages, {megabytes:.0f} MB in {wall:.0f} s")


def size(folder: str) -> float:
    """The total size of all files in MB."""
    return sum(path.lstat().st_size for path in Path(folder).rglob("*")) / 1e6


if __name__ == "__main__":
    starts()
    installation()

"""How long `python -m ROOM --help` takes, the best of five, and how many modules it imports.

$ python tests/bench/bench_start.py
| command | seconds | modules |
"""

import subprocess
import sys
from time import perf_counter


def seconds(*command: str) -> float:
    """Wall time of one start."""
    start = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - start


print("| command | seconds | modules |\n|---|---:|---:|")  # noqa: T201
for room in ("harness", "predict", "results", "synthetic"):
    start = ["-m", room, "--help"]
    best = min(seconds(sys.executable, *start) for _ in range(5))
    said = subprocess.run(
        [sys.executable, "-X", "importtime", *start], capture_output=True, check=True
    ).stderr
    print(f"| `python -m {room} --help` | {best:.2f} | {said.count(b'import time') - 1} |")  # noqa: T201

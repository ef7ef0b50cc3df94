"""What `python -m ROOM --help` takes, the best of five, and how many modules it imports.

$ python tests/bench/bench_start.py
| command | processor s | modules |
"""

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage


def seconds(*command: str) -> float:
    """Processor time of one start, which what else the machine does changes little."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


print("| command | processor s | modules |\n|---|---:|---:|")  # noqa: T201
for room in ("harness", "predict", "results", "synthetic"):
    start = ["-m", room, "--help"]
    best = min(seconds(sys.executable, *start) for _ in range(5))
    said = subprocess.run(
        [sys.executable, "-X", "importtime", *start], capture_output=True, check=True
    ).stderr
    print(f"| `python -m {room} --help` | {best:.2f} | {said.count(b'import time') - 1} |")  # noqa: T201

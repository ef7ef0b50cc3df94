"""A majority vote at every N: ours, 1,000 permutations in NumPy, lm-eval's filters and scorio.

    $ python -m studies.benchmarks.bench_peers
    | vote at N = 1, 2, 4 … 64 of 1,319 × 64 answers | processor s | × ours | points off, N = 2 | … |

The peers are installed from the package index into `.venv/peers` when they are first needed. All ways get the
same lists of answers in one run on one core; the ratios are what to compare. "Points off" is the difference
from the exact mean over all subsets of N answers, ties sharing the credit.
"""

import json
import os
import subprocess
import venv
from pathlib import Path
from time import process_time

import click
import numpy as np

from results import vote_curve
from studies.benchmarks.bench_votes import drawn_samples

ROOT = Path(__file__).resolve().parents[2]
PEERS = ["lm-eval==0.4.13", "scorio==0.2.3"]
HOME = ROOT / ".venv" / "peers"
QUESTIONS, ANSWERS, PERMUTATIONS = 1319, 64, 1000
NS = [1, 2, 4, 8, 16, 32, 64]

Answers = list[list[str | None]]


def peers_python() -> Path | None:
    """The Python of the peers' environment, or None if they cannot be installed."""
    python = HOME / "bin" / "python"
    if not (HOME / "done").exists():
        venv.create(HOME, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*pip, *PEERS], check=False).returncode:
            return None
        (HOME / "done").touch()
    return python


def numpy_permutations(answers: Answers, gold: list[str], ns: list[int]) -> list[float]:
    """The mean vote of the first N over random orders, ties shared: an obvious NumPy implementation."""
    rng = np.random.default_rng(0)
    total = np.zeros(len(ns))
    for row, right in zip(answers, gold, strict=True):
        kinds = [right, *sorted({one for one in row if one is not None} - {right})]
        votes = np.array([kinds.index(one) if one is not None else len(kinds) for one in row])
        width = len(kinds) + 1  # the last place counts the nulls
        places = width * np.arange(PERMUTATIONS)[:, None]
        orders = rng.permuted(np.tile(votes, (PERMUTATIONS, 1)), axis=1)
        for k, n in enumerate(ns):
            cells = (orders[:, :n] + places).ravel()
            counts = np.bincount(cells, minlength=places.size * width).reshape(-1, width)[:, :-1]
            leaders = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
            total[k] += np.mean(leaders[:, 0] / np.maximum(leaders.sum(axis=1), 1))
    return [float(share) for share in total / len(gold)]


def main() -> None:
    """Print the table."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = drawn_samples(QUESTIONS, 1, ANSWERS)
    rows = table.groupby("question_id", sort=False)
    answers = [[one if isinstance(one, str) else None for one in row] for row in rows["answer"].agg(list)]
    asked = {"answers": answers, "gold": rows["gold"].first().tolist(), "ns": NS}

    found = {}
    ours = {"ours, exact": lambda *given: vote_curve(*given)["accuracy"].tolist()}
    for name, way in {**ours, f"NumPy, {PERMUTATIONS:,} permutations": numpy_permutations}.items():
        for _ in range(2 if name in ours else 1):  # the first run compiles
            start = process_time()
            accuracy = way(*asked.values())
            found[name] = process_time() - start, accuracy
    python = peers_python()
    if python:
        peers = [python, Path(__file__).with_name("peer_votes.py")]
        said = subprocess.run(peers, input=json.dumps(asked), capture_output=True, text=True, check=True)
        found |= json.loads(said.stdout.splitlines()[-1])
    else:
        click.echo(f"no {' and '.join(PEERS)}: the package index was not reached", err=True)

    what = f"vote at N = 1, 2, 4 … {ANSWERS} of {QUESTIONS:,} × {ANSWERS} answers"
    click.echo(f"| {what} | processor s | × ours | points off, N = 2 | N = 8 | N = {ANSWERS} |")
    click.echo("|---|---:|---:|---:|---:|---:|")
    seconds, exact = found["ours, exact"]
    for name, (taken, accuracy) in found.items():
        off = " | ".join(
            f"{100 * (accuracy[NS.index(n)] - exact[NS.index(n)]):+.2f}" for n in (2, 8, ANSWERS)
        )
        click.echo(f"| {name} | {taken:.2f} | {taken / seconds:.1f} | {off} |")


if __name__ == "__main__":
    main()

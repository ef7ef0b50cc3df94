"""Processor time of `tts curves` on one core, from a samples file to the curves table.

    $ python -m studies.benchmarks.bench_votes
    | questions | settings | answers each | rows | canonical | load .parquet | load .jsonl | load .csv | …

Then how that grows with each size, p in seconds ∝ size^p fitted in log-log. The answers are drawn:
difficulties from a U-shaped Beta, wrong answers from a long tail, 4 % unreadable.
"""

import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import cast

import click
import numpy as np
import pandas as pd

from results import majority_curve, read_samples, write_curves, write_samples
from results.canonical import canonical_texts
from results.votes.curves import curves_and_votes

ROOT = Path(__file__).resolve().parents[2]
Size = tuple[int, int, int]
"""(questions, settings, answers per question)."""

CASES: list[Size] = [(1319, 8, 64), (1319, 1, 256)]
"""All of GSM8K as in the paper's two figures."""

BASE = (660, 2, 64)
GROWTH = {"questions": (330, 660, 1319, 2638), "settings": (1, 2, 4, 8), "answers": (32, 64, 128, 256)}
"""The sizes to vary one at a time, with the others from BASE."""


def drawn_samples(questions: int, settings: int, answers: int, seed: int = 0) -> pd.DataFrame:
    """A samples table of questions × settings × answers rows, as a run of the harness would leave it.

    Dearer settings are right more often.
    """
    rng = np.random.default_rng(seed)
    shape = (questions, settings, answers)
    power = 1 / (1 + np.arange(settings) / 4)[:, None]
    right = rng.random(shape) < rng.beta(0.9, 0.6, (questions, 1, 1)) ** power
    gold = rng.integers(0, 900, (questions, 1, 1))
    answer = np.where(right, 0, np.minimum(rng.zipf(1.7, shape), 10_000)) + gold
    texts = np.array([str(value) for value in range(answer.max() + 1)], dtype=object)
    question, setting, sample = (axis.ravel() for axis in np.indices(shape))
    return pd.DataFrame(
        {
            "dataset": "gsm8k",
            "model": "drawn",
            "setting": pd.Series(setting * 25 + 25).astype("str"),
            "question_id": pd.Series(question).map("gsm8k-test-{:04d}".format),
            "sample": sample,
            "answer": pd.Series(texts[answer.ravel()]).mask(rng.random(answer.size) < 0.04),
            "gold": gold.astype(str).ravel()[question],
            "correct": right.ravel(),
            "tokens": rng.integers(20, 300, answer.size) + 25 * setting,
            "finish_reason": "stop",
        }
    ).assign(correct=lambda frame: frame["correct"] & frame["answer"].notna())


def measure(size: Size, folder: Path) -> list[float]:
    """Seconds to put answers into canonical form, which loading includes; to load and check the table from
    each kind of file; and to compute and write the curves.
    """
    table, taken = drawn_samples(*size), []
    start = time.process_time()
    canonical_texts(table["answer"])
    taken.append(time.process_time() - start)
    for suffix in (".parquet", ".jsonl", ".csv"):
        write_samples(table, folder / f"samples{suffix}")
        start = time.process_time()
        samples = read_samples(folder / f"samples{suffix}")
        taken.append(time.process_time() - start)
    start = time.process_time()
    write_curves(curves_and_votes(samples, most=True)[0], folder / "curves.csv")
    return [*taken, time.process_time() - start]


def memory(folder: Path) -> float:
    """The peak memory of the whole command from the .parquet file, in MB, including all runs before it."""
    command = [sys.executable, "-m", "results", "curves", str(folder / "samples.parquet")]
    subprocess.run([*command, "--out", str(folder / "again.csv")], cwd=ROOT, check=True, capture_output=True)
    return getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024


def growth(folder: Path) -> None:
    """Print the seconds and the exponent of each size."""
    click.echo("\n| varied | load .parquet, s | p | curves, s | p |\n|---|---|---:|---|---:|")
    for place, (size, values) in enumerate(GROWTH.items()):
        cases = [cast(Size, (*BASE[:place], value, *BASE[place + 1 :])) for value in values]
        taken = np.array([measure(case, folder) for case in cases])[:, [1, -1]].T
        cells = []
        for seconds in taken:
            p = np.polyfit(np.log(values), np.log(np.maximum(seconds, 1e-3)), 1)[0]
            cells += [", ".join(f"{one:.2f}" for one in seconds), f"{p:.2f}"]
        click.echo(f"| {size} {', '.join(f'{value:,}' for value in values)} | {' | '.join(cells)} |")


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    majority_curve(3, [2, 1], 1)  # compiled loops are ready from here on
    loads = " | ".join(f"load {suffix}" for suffix in (".parquet", ".jsonl", ".csv"))
    click.echo(f"| questions | settings | answers each | rows | canonical | {loads} | curves | most memory |")
    click.echo("|" + "---:|" * 10)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in sorted(CASES, key=math.prod):
            sizes = [f"{size:,}" for size in (*case, math.prod(case))]
            seconds = [f"{one:.1f}" for one in measure(case, folder)]
            click.echo(f"| {' | '.join(sizes + seconds)} | {memory(folder):.0f} MB |")
        growth(folder)


if __name__ == "__main__":
    main()

"""Processor time of `python -m results curves` on one core, from a samples file to the curves table.

    $ python tests/bench/bench_votes.py
    | questions | settings | answers each | rows | load .parquet | load .jsonl | load .csv | curves |

The answers are drawn: difficulties from a U-shaped Beta, wrong answers from a long tail, 4 % unreadable.
"""

import math
import os
import sys
import tempfile
import time
from pathlib import Path

import click
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from results import build_curves, majority_curve, read_samples, write_curves, write_samples

CASES = [(1319, 8, 64), (1319, 1, 256)]
"""(questions, settings, answers a question): all of GSM8K as in the paper's two figures."""


def drawn_samples(questions: int, settings: int, answers: int, seed: int = 0) -> pd.DataFrame:
    """A samples table of questions × settings × answers rows, as a run of the harness would leave it."""
    rng = np.random.default_rng(seed)
    shape = (questions, settings, answers)
    right = rng.random(shape) < rng.beta(0.9, 0.6, (questions, 1, 1))
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
            "tokens": rng.integers(20, 300, answer.size),
            "finish_reason": "stop",
        }
    ).assign(correct=lambda frame: frame["correct"] & frame["answer"].notna())


def measure(questions: int, settings: int, answers: int, folder: Path) -> list[float]:
    """Seconds to load and check the table from each kind of file, and to compute and write the curves."""
    table, taken = drawn_samples(questions, settings, answers), []
    for suffix in (".parquet", ".jsonl", ".csv"):
        write_samples(table, folder / f"samples{suffix}")
        start = time.process_time()
        samples = read_samples(folder / f"samples{suffix}")
        taken.append(time.process_time() - start)
    start = time.process_time()
    write_curves(build_curves(samples, checked=True), folder / "curves.csv")
    return [*taken, time.process_time() - start]


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    majority_curve(3, [2, 1], 1)  # compiled loops are ready from here on
    click.echo(
        "| questions | settings | answers each | rows | load .parquet | load .jsonl | load .csv | curves |"
    )
    click.echo("|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            sizes = [f"{size:,}" for size in (*case, math.prod(case))]
            seconds = [f"{one:.1f}" for one in measure(*case, Path(folder))]
            click.echo(f"| {' | '.join(sizes + seconds)} |")


if __name__ == "__main__":
    main()

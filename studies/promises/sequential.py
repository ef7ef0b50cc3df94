"""Sequential comparisons: how often they decide, after how many questions, and how often wrongly.

Each pair of runs on the same questions (samples tables in DATA_DIR, and shipped settings) is resampled 300
times: all its questions, with replacement, in random order. It is decided if b is called better or worse. For
equal runs, the sign of each question's difference is randomised.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from results.normal import LEVEL
from results.paired.runs import pairs_looked_at
from results.paired.sequential import Open, Planned, Way
from results.tables.contract import read_samples
from results.votes.exact import Floats
from studies.promises.rows import Row, at_most, mean, share

DRAWS = 300
AIME = [f"boinf-{name}-aime2425-80" for name in ("qwen3-4b", "datarus-r1-14b", "nemotron-9b-v2", "qwen3-14b")]
BIGGSM = [f"gpt-3.5-turbo_biggsm_t{t}" for t in ("0.1", "0.5", "0.8")]
SHIPPED = Path("results/cached/qwen-gsm8k.parquet")
SAID = ("better", "worse")


def ways(questions: int) -> dict[str, Way]:
    """The ways to look at a number of questions."""
    return {
        "once, at the end": Planned(questions, looks=1),
        "planned, ten looks": Planned(questions),
        "open, after every question": Open(),
    }


def pairs() -> Iterator[Floats]:
    """Yield the differences of each pair by question."""
    folder = Path(os.environ["DATA_DIR"]) / "samples"
    for group in (AIME, BIGGSM):
        for names in itertools.combinations(group, 2):
            tables = {name: read_samples(folder / f"{name}.csv", texts=False) for name in names}
            for pair in pairs_looked_at(tables, at=4, methods="majority"):
                yield (pair.other - pair.one)[:, 0]
    shipped = {"qwen": read_samples(SHIPPED, texts=False)}
    for pair in pairs_looked_at(shipped, at=4, methods="majority"):
        yield (pair.other - pair.one)[:, 0]


def measured(times: float) -> Iterator[Row]:
    """Measure every way to look; `times` multiplies the DRAWS of each pair."""
    rng = np.random.default_rng(0)
    rows = []
    for differences in pairs():
        size = len(differences)
        for _ in range(max(10, round(times * DRAWS))):
            drawn = rng.choice(differences, size)
            tossed = drawn * rng.choice([-1, 1], size)
            for name, way in ways(size).items():
                (used, word), (_, of_equal) = way.end(drawn), way.end(tossed)
                rows.append((name, word in SAID, used / size, of_equal in SAID))
    table = "real pairs, looked at"
    found = pd.DataFrame(rows, columns=["way", "decided", "used", "equal"])
    for name in found["way"].unique():
        of = found[found["way"] == name]
        yield Row(table, name, "decided, %", *share(of["decided"]))
        yield Row(table, name, "questions used, %", *mean(of["used"], 100))
        yield Row(table, name, "decided of equal ones, %", *share(of["equal"]), at_most(1 - LEVEL))

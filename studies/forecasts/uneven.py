"""How uneven is the coverage of exact intervals: in how many cases is it below 3/4 by chance alone?

    intervals that hold, mean over cases            91%
    held in the worst case: median of the tables    50%

$ DATA_DIR=../shared/data python -m studies.forecasts.uneven

Run run.py first: it imports the sets. Simulates the table of the evidence `--tables` times, with the sets,
settings, questions, answers and splits of the real one. The truth of a setting is a beta law drawn from the
forecaster's own prior, so its 90 % intervals are exact: over all tables they cover nine times in ten. A case
is a set and a number of answers seen; its forecasts share one truth, and tend to hold or miss together. Uses
best-of-N, whose exact forecaster is easy to compute. Writes the table of README.md.
"""

from pathlib import Path

import click
import numpy as np
import pandas as pd
from scipy.special import betaln
from tqdm import tqdm

from predict.estimate import middle
from predict.evidence.request import read_asked
from results.normal import FORECAST_LEVEL
from results.votes.exact import Floats, Ints, best_of_n
from studies.forecasts.along_n import REPLICATES, at_n, jobs
from studies.forecasts.page import insert
from studies.options import DATA, SPLITS
from studies.pages import markdown

SIDE = np.geomspace(0.1, 5, 24)
A, B = (axis.ravel() for axis in np.meshgrid(SIDE, SIDE))
"""The laws Beta(A, B) of the questions' probabilities, equally likely a priori."""

UNEVEN = 0.75
"""A case with lower coverage than this stands out."""


@click.command()
@DATA
@SPLITS
@click.option("--tables", default=100, show_default=True, type=click.IntRange(2), help="Tables drawn.")
def main(data: Path, splits: int, tables: int) -> None:
    """Draw tables of the evidence and count the cases that stand out."""
    settings = sizes(data, splits)
    seeds = tqdm(range(tables), unit="table")
    drawn = [table(settings, splits, np.random.default_rng(seed)) for seed in seeds]
    insert("uneven", uneven_table(pd.concat(drawn, keys=range(tables), names=["table"])))


def sizes(data: Path, splits: int) -> list[tuple[str, int, int]]:
    """Set, questions and answers to each, for every setting of the evidence on best-of-N."""
    return [
        (job.name, len(pool.answers.sizes), int(pool.answers.sizes.min()))
        for job in jobs(data, splits)
        if job.method == "best_of_n"
        for group in read_asked([job.path], job.method)
        for pool in group.pools
    ]


def table(settings: list[tuple[str, int, int]], splits: int, rng: np.random.Generator) -> "pd.Series[float]":
    """The coverage of the intervals, by set and answers seen."""
    rows = []
    for name, questions, answers in settings:
        law = rng.integers(len(A))
        right = rng.random((questions, answers)) < rng.beta(A[law], B[law], questions)[:, None]
        for seen, ns in at_n(name).items():
            N = np.array([n for n in ns if n <= answers])
            truth = best_of_n(np.full((questions, 1), answers), right.sum(axis=1)[:, None], N).mean(axis=0)
            for _ in range(splits):
                order = rng.random(right.shape).argsort(axis=1)[:, :seen]
                among = np.take_along_axis(right, order, axis=1).sum(axis=1)
                low, high = interval(among, seen, answers, N, rng)
                rows += [(name, seen, held) for held in (low - 1e-12 <= truth) & (truth <= high + 1e-12)]
    return pd.DataFrame(rows, columns=["set", "seen", "held"]).groupby(["set", "seen"])["held"].mean()


def interval(among: Ints, seen: int, answers: int, N: Ints, rng: np.random.Generator) -> Floats:
    """The central 90 % interval of best-of-N in the whole pool, given the number of right answers seen."""
    questions = np.bincount(among, minlength=seen + 1)
    s = np.arange(seen + 1)[:, None]
    likelihood = questions @ (betaln(A + s, B + seen - s) - betaln(A, B))
    weight = np.exp(likelihood - likelihood.max())
    law = rng.choice(len(A), REPLICATES, p=weight / weight.sum())
    chance = rng.beta(A[law][:, None] + among, B[law][:, None] + seen - among)
    right = among + rng.binomial(answers - seen, chance)
    of_pool = best_of_n(answers, np.arange(answers + 1)[:, None], N)
    return middle(of_pool[right].mean(axis=1), FORECAST_LEVEL)


def uneven_table(held: "pd.Series[float]") -> str:
    """The table that summarises the simulated tables."""
    cases = held.groupby("table")
    uneven, half = (held < UNEVEN).groupby("table").sum(), (held <= 0.5).groupby("table").sum()
    rows = {
        "cases": f"{cases.size().iloc[0]}",
        "intervals that hold, mean over cases": f"{held.mean():.0%}",
        "held in the worst case: median of the tables": f"{cases.min().median():.0%}",
        "cases that hold in fewer than 75 %": f"{uneven.mean():.1f} ({uneven.min()} … {uneven.max()})",
        "cases that hold in 50 % or fewer": f"{half.mean():.1f} ({half.min()} … {half.max()})",
        "tables in which every case holds in 75 % or more": f"{(uneven == 0).mean():.0%}",
    }
    return markdown(["", ""], rows.items())


if __name__ == "__main__":
    main()

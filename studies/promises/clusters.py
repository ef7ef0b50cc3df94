"""Questions in clusters: how often equal runs are called different, and the accuracy of standard errors.

A question's difference is −1, 0 or 1: that of its cluster, or an independent one, in proportions given by the
correlation within clusters.
"""

from collections.abc import Iterator

import numpy as np

from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.votes.clusters import Clusters, standard_error
from results.votes.exact import Floats
from studies.promises.rows import Row, at_most, mean, share

RUNS = 12_000
"""The number of pairs of equal runs for each design."""

DESIGNS = {
    "40 clusters of 5, correlation .1": (np.full(40, 5), 0.1),
    "40 clusters of 5, correlation .3": (np.full(40, 5), 0.3),
    "40 clusters of 5, correlation .7": (np.full(40, 5), 0.7),
    "12 clusters of 10, correlation .3": (np.full(12, 10), 0.3),
    "100 questions, each twice, correlation .5": (np.full(100, 2), 0.5),
    "clusters of 1 to 30, correlation .3": (np.arange(1, 31), 0.3),
    "clusters of 1 to 12, correlation .7": (np.arange(1, 13), 0.7),
    "150 questions, each for itself": (np.full(150, 1), 0.0),
}
"""The sizes of the clusters, and the correlation within a cluster."""

VALUES, CHANCES = np.array([-1.0, 0.0, 1.0]), [0.2, 0.6, 0.2]

UNDERSTOOD, PASSAGES, LONG, ANSWERS = 0.81, 30, 10, 2
"""Half of the passages are understood, with this accuracy; on the others it is the error rate."""


def measured(times: float) -> Iterator[Row]:
    """Measure every design, then the standard error; `times` multiplies RUNS."""
    runs = max(200, round(times * RUNS))
    for design in DESIGNS:
        differences, names = equal_runs(design, runs, np.random.default_rng(1))
        for measure, clusters in (("called different, %", names), ("without the column, %", None)):
            interval = mean_differences(differences, clusters=clusters).interval
            different = share((interval.low > 0) | (interval.high < 0))
            promised = at_most(1 - LEVEL) if clusters else ""
            yield Row("two equal runs are called different", design, measure, *different, promised)
    yield from passages(runs)


def equal_runs(design: str, runs: int, rng: np.random.Generator) -> tuple[Floats, list[str]]:
    """The differences (Q, runs) of pairs of equal runs, and the cluster of each question."""
    sizes, correlation = DESIGNS[design]
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.choice(VALUES, (len(sizes), runs), p=CHANCES)[clusters]
    own = rng.choice(VALUES, (len(clusters), runs), p=CHANCES)
    alike = rng.random(own.shape) < np.sqrt(correlation)
    return np.where(alike, shared, own), [f"c{cluster}" for cluster in clusters]


def passages(runs: int) -> Iterator[Row]:
    """Accuracy with passages understood as a whole or not: its true spread and the reported errors."""
    rng = np.random.default_rng(2)
    place = np.repeat(np.arange(PASSAGES), LONG)
    chance = np.where(rng.random((PASSAGES, runs)) < 0.5, UNDERSTOOD, 1 - UNDERSTOOD)[place]
    right = rng.binomial(ANSWERS, chance) / ANSWERS
    true = right.mean(axis=0).std()
    error = 100 * true / np.sqrt(2 * runs)
    table, case = "the standard error of an accuracy, in points", f"{PASSAGES} passages of {LONG} questions"
    yield Row(table, case, "true", 100 * true, error, runs)
    columns: dict[str, Clusters] = {"told": [f"c{one}" for one in place], "without the column": None}
    for measure, clusters in columns.items():
        told_error, own, _ = mean(standard_error(right, clusters), 100)
        promised = f"= {100 * true:.2f}" if clusters else ""
        yield Row(table, case, measure, told_error, float(np.hypot(own, error)), runs, promised)

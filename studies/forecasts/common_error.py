"""The basis of the mixture's `COMMON_ERROR`: coverage with other values, leaving families out.

    left out        method    value  held  without it
    boinf-nemotron  majority  0.04   0.86  0.86

$ DATA_DIR=../shared/data python -m studies.forecasts.common_error --jobs 2

Run run.py first: it imports the sets. For each family of models, the value with 90 % coverage on the *other*
families' sets is chosen, and evaluated on the family's own sets. Sets have equal weight, except in the last
row, where forecasts do; more than a quarter of these are of two sets with many settings (jhu). Writes
common_error.csv and the table of README.md.
"""

from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.answers import mixture
from predict.estimate import Options, middle
from predict.evidence.capped import observe
from predict.evidence.request import read_asked
from results.normal import FORECAST_LEVEL, z_of
from results.tables.files import write_raw
from studies.forecasts.along_n import REPLICATES, Job, at_n, jobs
from studies.forecasts.page import HERE, METHODS, insert
from studies.options import DATA, PROCESSES, SPLITS, pool_of
from studies.pages import markdown

FAMILIES = ("boinf-am", "boinf-datarus", "boinf-nemotron", "boinf-qwen3", "jhu", "epoch-gpt", "rgeval")
VALUES = np.arange(0, 0.205, 0.005)
Row = dict[str, str | float]


@click.command()
@PROCESSES
@SPLITS
@DATA
def main(processes: int, splits: int, data: Path) -> None:
    """Measure the value again."""
    with pool_of(processes) as pool:
        rows = pd.concat(pool.map(forecasts, jobs(data, splits)), ignore_index=True)
    parts = [left_out(of_method, str(name)) for name, of_method in rows.groupby("method", sort=False)]
    found = pd.concat(parts, ignore_index=True)
    write_raw(found, HERE / "common_error.csv")
    insert("common-error", common_error_table(found))


def forecasts(job: Job) -> pd.DataFrame:
    """Forecasts of a set without the common error, their truths, and the spread of which it is a share."""
    mixture.COMMON_ERROR = 0.0
    family = next((name for name in FAMILIES if job.name.startswith(name)), job.name)
    rows = []
    for group in read_asked([job.path], job.method):
        names = [pool.setting for pool in group.pools]
        for seen, ns in at_n(job.name).items():
            for split in range(job.splits):
                observed = observe(group, names, seen, split, split)
                options = Options(replicates=REPLICATES, seed=split)
                populations = mixture.populations(observed)
                for pool, population in zip(observed.pools, populations, strict=True):
                    here = (group.points.setting == pool.setting) & np.isin(group.points.N, ns)
                    N = group.points.N[here]
                    found = mixture.accuracies(pool, population, N, pool.sizes, job.method, options)
                    low, high = middle(found.draws[0], FORECAST_LEVEL)
                    columns = {"mean": found.mean, "low": low, "high": high, "scatter": found.scatter}
                    forecast = pd.DataFrame(columns | {"truth": group.accuracy[here]})
                    case = forecast.assign(family=family, set=job.name, method=job.method, seen=seen)
                    rows.append(case)
    return pd.concat(rows)


def held(rows: pd.DataFrame, value: float, *, sets_alike: bool = True) -> float:
    """The coverage of intervals with this common error."""
    common = z_of(FORECAST_LEVEL) * value * np.sqrt(rows["scatter"])
    below = np.hypot(rows["mean"] - rows["low"], common)
    above = np.hypot(rows["high"] - rows["mean"], common)
    off = rows["truth"] - rows["mean"]
    holds = (off >= -below - 1e-9) & (off <= above + 1e-9)
    if sets_alike:
        holds = holds.groupby([rows["set"], rows["seen"]]).mean()
    return float(holds.mean())


def left_out(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """Coverage on each family with the value fitted to the others, and on all with that fitted to all."""
    table = []
    for family in rows["family"].unique():
        others, own = rows[rows["family"] != family], rows[rows["family"] == family]
        table.append(_judged(family, others, own))
    table.append(_judged("none", rows, rows))
    table.append(_judged("none, forecasts alike", rows, rows, sets_alike=False))
    return pd.DataFrame(table).assign(method=method)


def _judged(name: str, learnt: pd.DataFrame, judged: pd.DataFrame, *, sets_alike: bool = True) -> Row:
    """The value with 90 % coverage on `learnt`, and the coverage it gives on `judged`."""
    values = [float(value) for value in VALUES]
    off = [abs(held(learnt, value, sets_alike=sets_alike) - FORECAST_LEVEL) for value in values]
    value = values[int(np.argmin(off))]
    return {
        "left out": name,
        "value": round(value, 3),
        "held": round(held(judged, value, sets_alike=sets_alike), 2),
        "without it": round(held(judged, 0.0, sets_alike=sets_alike), 2),
    }


def common_error_table(found: pd.DataFrame) -> str:
    """A row for each family, with both methods side by side; coverage should be 90 %."""
    lines = []
    for family, rows in found.groupby("left out", sort=False):
        by = rows.set_index("method")
        value, inside, without = (by[column].astype(float) for column in ("value", "held", "without it"))
        cells = [
            f"{value[name]:.3f}, {inside[name]:.0%}, {without[name]:.0%}" if name in by.index else "–"
            for name in METHODS
        ]
        lines.append([str(family), *cells])
    return markdown(["left out", *(f"{label}: value, held, without it" for label in METHODS.values())], lines)


if __name__ == "__main__":
    main()

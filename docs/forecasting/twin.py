"""Forecasts of the twin, whose truth is exact: from sampled answers, and from a part of its curve.

kind    set               predictor  split  setting  T   N   accuracy  predicted  low    high   role
twin-N  twin, 8 → 16 …    mixture    0      12       12  64  0.742     0.739      0.717  0.760  held_out
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from predict.groups import Group, read_groups
from predict.predictors import PREDICTORS, able
from predict.protocol import Observed, Options, Points
from predict.split import Request, fitted, observe
from results import read_curves

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "results" / "runs" / "forecasting"

MANY = 1_000_000
"""The pool whose vote is forecast: with so many answers it is the exact vote."""

REPLICATES = 200


@dataclass(frozen=True)
class Job:
    """Something to forecast: kind (twin-N, twin-T, twin-curve-…), label, and the random splits."""

    kind: str
    label: str
    splits: tuple[int, ...] = (0,)


TWIN_JOBS = [
    *(Job("twin-N", "twin, answers: 8 → 16, 64, 256", (i,)) for i in range(4)),
    *(Job("twin-T", "twin, answers: T ≤ 8 → 12 … 50", (i,)) for i in range(4)),
    Job("twin-curve-N", "twin, curve: N ≤ 8 → 16 … 256"),
    Job("twin-curve-T", "twin, curve: T ≤ 8 → 12 … 50"),
]
SEEN, LONGEST = 8, 8
STEPS = "linear-attention step=1/5"
"""The variant of Figure 2h whose accuracy rises with T."""


def rows_of(job: Job) -> pd.DataFrame:
    """All forecasts of a job."""
    return from_answers(job) if job.kind in ("twin-N", "twin-T") else from_curves(job)


def from_answers(job: Job) -> pd.DataFrame:
    """The twin's sampled answers cut to 8 a task; truth: the exact vote on these tasks."""
    exact = _exact()
    group = _twin(read_groups([WORK / "sampled" / "fig2h.samples.parquet"], "majority"))
    if job.kind == "twin-T":
        group = replace(group, pools=tuple(pool for pool in group.pools if pool.T <= LONGEST))
    names = [pool.setting for pool in group.pools]
    at_n = [1, 2, 4, 8, 16, 64, 256] if job.kind == "twin-N" else [1, 8, 64]
    targets = exact[exact["N"].isin(at_n)]
    parts = []
    for split in job.splits:
        options = Options(replicates=REPLICATES, seed=split, pool=MANY)
        observed = observe(group, names, SEEN, options, split)
        known = targets["N"] <= SEEN if job.kind == "twin-N" else targets["T"] <= LONGEST
        parts.append(_forecast(job, observed, targets, known, options, split, samples=True))
    return pd.concat(parts)


def from_curves(job: Job) -> pd.DataFrame:
    """A cut of the twin's exact curve; truth: the rest of it."""
    exact = _exact()
    column = "N" if job.kind == "twin-curve-N" else "T"
    group = _twin(read_groups([WORK / "exact" / "fig2h.csv"], "majority"))
    at = group.points.N <= SEEN if column == "N" else group.points.T <= LONGEST
    settings = () if column == "N" else tuple(np.unique(group.points.setting[at]))
    request = Request(fit_max_n=SEEN) if column == "N" else Request(fit_settings=settings)
    observed = observe(group, *fitted(group, request), Options(replicates=REPLICATES))
    known = exact[column] <= (SEEN if column == "N" else LONGEST)
    return _forecast(job, observed, exact, known, Options(replicates=REPLICATES), 0, samples=False)


def _forecast(
    job: Job, observed: Observed, targets: pd.DataFrame, known: pd.Series, options: Options, split: int,
    samples: bool,
) -> pd.DataFrame:  # fmt: skip
    points = Points(
        targets["setting"].to_numpy(str), targets["T"].to_numpy(np.float64), targets["N"].to_numpy(np.int64)
    )
    parts = []
    for name in able("majority", samples):
        found = PREDICTORS[name](observed, points, options)
        parts.append(
            targets[["setting", "T", "N", "accuracy"]].assign(
                kind=job.kind, set=job.label, method="majority", predictor=name, split=split,
                predicted=found.mean, low=found.low, high=found.high, status=found.status.astype(str),
                role=np.where(known, "used", "held_out"),
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def _exact() -> pd.DataFrame:
    table = read_curves(WORK / "exact" / "fig2h.csv")
    rows = table[
        (table["model"] == STEPS) & (table["method"] == "majority") & (table["permutation"] == "exact")
    ]
    return rows[["setting", "T", "N", "accuracy"]].reset_index(drop=True)


def _twin(groups: list[Group]) -> Group:
    return next(group for group in groups if group.model == STEPS)

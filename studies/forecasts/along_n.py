"""Evaluation of forecasts along N: every set, every predictor, and the rivals from the literature.

set     method    seen  predictor  forecasts  mean_error  coverage  width  interval_score  ok   ok_coverage
biggsm  majority  4     mixture    24         0.0054      1.00      0.031  0.031           1.0  1.00

Each split keeps a few random answers to every question at every setting and forecasts larger N; the truth is
the exact vote over all answers. "mixture, curve" sees only the curve of these answers.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from predict.estimate import Estimate, Estimator, Options
from predict.estimators import able, estimate
from predict.evidence.capped import observe
from predict.evidence.points import Evidence, Points
from predict.evidence.request import read_asked
from results.normal import held, interval_score
from results.tables.files import write_raw
from studies.forecasts.page import CURVE, HERE, METHODS
from studies.forecasts.rivals import RIVALS
from studies.forecasts.simulated_sets import SETS, made

WORK = HERE.parents[1] / "runs" / "forecasting"
REPLICATES = 200

AT_N: dict[str, dict[int, tuple[int, ...]]] = {
    "biggsm": {4: (8, 16), 8: (16,)},
    "otis": {4: (8,)},
    "game24": dict.fromkeys((4, 8, 16), (32, 64, 100)),
    "choices": dict.fromkeys((4, 8), (16, 64, 100)),
    "steps": dict.fromkeys((4, 8), (16, 64)),
    "budgets": dict.fromkeys((4, 8), (16, 48)),
    "close calls": dict.fromkeys((4, 8), (16, 64)),
    "boinf": dict.fromkeys((4, 8), (16, 32, 64)),
    "rgeval": dict.fromkeys((4, 8), (16, 40)),
    "jhu": {4: (8, 10)},
    "epoch-gpt": {4: (8,)},
    "qwen-gsm8k": {4: (8, 16, 32), 8: (16, 32), 16: (32,)},
    "qwen-math": {4: (8, 16), 8: (16,)},
}
"""Answers seen and N to forecast, by the prefix of a set's name; qwen is used only by ablation.py."""


def at_n(name: str) -> dict[int, tuple[int, ...]]:
    """Answers seen and N to forecast of a set."""
    return next(ns for start, ns in AT_N.items() if name.startswith(start))


@dataclass(frozen=True)
class Job:
    """One set, evaluated by one method on a number of random splits."""

    name: str
    path: Path
    method: str
    splits: int


def jobs(data: Path, splits: int) -> list[Job]:
    """Every set: those that run.py has imported, simulated ones, and tables of `data`."""
    paths = {name: WORK / name for name in ("biggsm", "otis", "game24")}
    for name in SETS:
        paths[name] = WORK / f"simulated-{name.replace(' ', '-')}.csv"
        if not paths[name].exists():
            write_raw(made(name), paths[name])
    for path in sorted((data / "samples").glob("*.csv")):
        if path.stem.startswith(("boinf", "rgeval", "jhu", "epoch-gpt")):
            paths[path.stem] = path
    # answers of the game of 24 are expressions, known only to be right or wrong
    methods = {name: list(METHODS) if name != "game24" else ["best_of_n"] for name in paths}
    return [Job(name, paths[name], method, splits) for name in paths for method in methods[name]]


def contestants(method: str) -> dict[str, Estimator]:
    """Every predictor by name, the rivals from the literature, and the mixture from curves."""
    ours = {name: partial(estimate, name) for name in able(samples=True)}
    return {**ours, **RIVALS[method], CURVE: from_curve}


def from_curve(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """The forecast that sees only the curve of the answers."""
    return estimate("question-law", replace(observed, pools=()), targets, options)


def judged(job: Job, predictors: Mapping[str, Estimator]) -> pd.DataFrame:
    """The scores of a set by the number of answers seen and predictor."""
    groups, tables = read_asked([job.path], job.method), []
    for seen, ns in at_n(job.name).items():
        parts = []
        for group in groups:
            wanted = np.isin(group.points.N, ns)
            for split in range(job.splits):
                options = Options(replicates=REPLICATES, seed=split)
                observed = observe(group, [one.setting for one in group.pools], seen, split, split)
                for name, predict in predictors.items():
                    found = predict(observed, group.points[wanted], options)
                    columns = {
                        "predicted": found.mean,
                        "low": found.these.low,
                        "high": found.these.high,
                        "status": found.status,
                    }
                    parts.append(
                        pd.DataFrame(columns).assign(accuracy=group.accuracy[wanted], predictor=name)
                    )
        every = pd.concat(parts)
        trusted = every[every["status"] == "ok"]
        of = summary(every).drop(columns="unseen_error")
        of["ok"] = (every["status"] == "ok").groupby(every["predictor"], sort=False).mean()
        of["ok_coverage"] = summary(trusted)["coverage"]
        tables.append(of.reset_index().assign(set=job.name, method=job.method, seen=seen))
    table = pd.concat(tables, ignore_index=True)
    return table[["set", "method", "seen", *table.columns.drop(["set", "method", "seen"])]]


def scores_of(job: Job, names: Collection[str] = ()) -> pd.DataFrame:
    """The scores of all contestants on a set, or of those named; cached in runs."""
    kept = WORK / "-".join(["scores", job.name, job.method, str(job.splits), *sorted(names)])
    kept = kept.with_name(f"{kept.name}.csv")
    if not kept.exists():
        every = contestants(job.method)
        chosen = {name: predict for name, predict in every.items() if not names or name in names}
        write_raw(judged(job, chosen), kept)
    return pd.read_csv(kept)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """The errors of each predictor's forecasts, and the quality of its 90 % intervals.

    Columns: `forecasts` made and `missing`; mean_error (absolute), the same against the answers not seen
    (unseen_error), bias, worst_error; coverage, mean width, and mean interval_score.
    """
    error = table["predicted"] - table["accuracy"]
    unseen = table.get("unseen", np.nan)
    width = table["high"] - table["low"]
    parts = pd.DataFrame(
        {
            "forecasts": error.notna(),
            "missing": error.isna(),
            "mean_error": error.abs(),
            "unseen_error": (table["predicted"] - unseen).abs(),
            "bias": error,
            "worst_error": error.abs(),
            "coverage": held(table).where(width.notna()).astype(float),
            "width": width,
            "interval_score": interval_score(table),
        }
    )
    how = dict.fromkeys(parts, "mean") | {"forecasts": "sum", "missing": "sum", "worst_error": "max"}
    return parts.groupby(table["predictor"], sort=False).agg(how)

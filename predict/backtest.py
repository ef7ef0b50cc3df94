"""Hide answers or settings, forecast them, and compare: how good is each predictor on these data?

    predictor  split  setting  N   accuracy  predicted  low    high   status
    mixture    0      100      16  0.646     0.641      0.628  0.655  ok

Of samples each split keeps `fit_max_n` random answers of every question at the fitted settings; the truth
is the exact vote over all answers. A curves table has no answers to hide: its points at the fitted settings
up to `fit_max_n` are observed, once, and the truth is its other points.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from predict.groups import Group
from predict.predictors import PREDICTORS
from predict.protocol import Floats, Options, Points
from predict.split import Request, fitted, observe
from results import BadInput


def backtest(
    group: Group,
    predictors: Sequence[str],
    request: Request,
    splits: int,
    options: Options,
    tick: Callable[[], object] = lambda: None,
    jobs: int = 1,
) -> pd.DataFrame:
    """One row per predictor, split, setting and N; `tick` is called after each split.

    Without `at_settings` the targets are the settings that are not fitted, or all where all are; without
    `at_n` every N of the table. Where nothing depends on the split there is only one. `jobs` splits run at a
    time. Raises BadInput where nothing would be hidden, or there is no truth.
    """
    names, max_n = fitted(group, replace(request, fit_max_n=request.fit_max_n or int(group.points.N.max())))
    targets, truth = _held_out(group, request, names, max_n)
    smallest = min((int(pool.answers.sizes.min()) for pool in group.pools), default=0)
    options = replace(options, pool=smallest or None)

    def one(split: int) -> pd.DataFrame:
        observed = observe(group, names, max_n, options, split)
        seeded = replace(options, seed=options.seed + split)
        parts = []
        for name in predictors:
            found = PREDICTORS[name](observed, targets, seeded)
            columns = {
                "predictor": name, "split": split,
                "dataset": group.dataset, "model": group.model, "method": group.method,
                "setting": targets.setting, "N": targets.N, "accuracy": truth,
                "predicted": found.mean, "low": found.low, "high": found.high,
                "status": found.status.astype(str),
            }  # fmt: skip
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)

    wanted = range(splits if max_n < smallest else 1)
    found: Iterable[pd.DataFrame] = map(one, wanted)
    if jobs > 1:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]

        found = Parallel(n_jobs=jobs, return_as="generator")(delayed(one)(split) for split in wanted)
    tables = []
    for table in found:
        tables.append(table)
        tick()
    return pd.concat(tables, ignore_index=True)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """By predictor: forecasts made and missing, mean error, bias, worst error, coverage of the intervals.

    Errors are absolute differences of accuracies; `missing` counts forecasts that were not made.
    """
    error = table["predicted"] - table["accuracy"]
    bounded = table["low"].notna() & table["high"].notna()
    held = table["accuracy"].between(table["low"] - 1e-9, table["high"] + 1e-9).where(bounded)
    parts = pd.DataFrame({"predictor": table["predictor"], "error": error, "size": error.abs(), "held": held})
    by = parts.groupby("predictor", sort=False)
    return pd.DataFrame(
        {
            "forecasts": by["error"].count(),
            "missing": by["error"].size() - by["error"].count(),
            "mean_error": by["size"].mean(),
            "bias": by["error"].mean(),
            "worst_error": by["size"].max(),
            "coverage": by["held"].mean(),
        }
    )


def _held_out(group: Group, request: Request, names: Sequence[str], max_n: int) -> tuple[Points, Floats]:
    """The points asked for, less those that are observed, with their accuracies in the table."""
    points = group.points
    known = [name for name, _ in points.settings()]
    for name in request.at_settings:
        if name not in known:
            raise BadInput(
                f"{group.name}: --at-settings {name} has no truth; the table has settings {', '.join(known)}"
            )
    others = [name for name in known if name not in names]
    wanted = list(request.at_settings) or others or known
    there = np.isin(points.setting, wanted)
    ns = sorted(set(request.at_n)) or np.unique(points.N[there]).tolist()
    for n in set(ns) - set(points.N[there].tolist()):
        raise BadInput(
            f"{group.name}: --at-n {n} has no truth; the table has N up to {points.N[there].max()}"
        )
    seen = np.isin(points.setting, names)
    if group.pools:
        seen &= max_n >= min(int(pool.answers.sizes.min()) for pool in group.pools if pool.setting in names)
    else:
        seen &= np.less_equal(points.N, max_n)
    at = there & np.isin(points.N, ns) & ~seen
    if not at.any():
        raise BadInput(
            f"{group.name}: --fit-max-n {max_n} hides nothing; fit fewer answers, or leave settings out of "
            "--fit-settings"
        )
    return points[at], group.accuracy[at]

"""Hide answers that are there, forecast them, and compare: how good is each predictor on your own data?

    predictor  split  setting  N   accuracy  predicted  low    high   status
    mixture    0      100      16  0.646     0.641      0.628  0.655  ok

Each split keeps `fit_max_n` random answers of every question; the truth is the exact vote over all answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from predict.data import Group, chosen_answers, group_of_pools, question_accuracy
from predict.intervals import replicate_samples
from predict.predictors import PREDICTORS
from predict.protocol import Observed, Options, Points
from results import BadInput


def backtest(
    group: Group,
    predictors: Sequence[str],
    fit_max_n: int,
    at_n: Sequence[int],
    splits: int,
    options: Options,
    tick: Callable[[], object] = lambda: None,
) -> pd.DataFrame:
    """One row a predictor, split, setting and N; `tick` is called after each split.

    Raises BadInput where the group has no samples, or a pool is too small for `fit_max_n` or for some N.
    """
    if not group.pools:
        raise BadInput(f"{group.name}: a backtest hides answers, so it needs samples, not curves")
    smallest = min(int(pool.answers.sizes.min()) for pool in group.pools)
    if fit_max_n >= smallest:
        raise BadInput(f"{group.name}: --fit-max-n {fit_max_n} hides nothing, expected less than {smallest}")
    if max(at_n) > smallest:
        raise BadInput(
            f"{group.name}: --at-n {max(at_n)} has no truth, expected at most {smallest}, the smallest pool"
        )
    targets, truth = _truth(group, np.unique(np.asarray(at_n, dtype=np.int64)))
    rows = []
    for split in range(splits):
        observed = hide(group, fit_max_n, options, split)
        seeded = replace(options, seed=options.seed + split, pool=smallest)
        for name in predictors:
            found = PREDICTORS[name](observed, targets, seeded)
            rows.append(
                pd.DataFrame(
                    {
                        "predictor": name,
                        "split": split,
                        "dataset": group.dataset,
                        "model": group.model,
                        "method": group.method,
                        "setting": targets.setting,
                        "N": targets.N,
                        "accuracy": truth,
                        "predicted": found.mean,
                        "low": found.low,
                        "high": found.high,
                        "status": found.status.astype(str),
                    }
                )
            )
        tick()
    return pd.concat(rows, ignore_index=True)


def hide(group: Group, n: int, options: Options, split: int) -> Observed:
    """What is left to see when every question keeps `n` random answers."""
    rng = np.random.default_rng([options.seed, split])
    kept = [chosen_answers(pool, rng.permutation(len(pool.answers.votes)), n) for pool in group.pools]
    cut = group_of_pools(group.source, group.dataset, group.model, group.method, kept)
    copies = replicate_samples(cut.points, cut.pools, group.method, options.replicates, options.seed + split)
    return Observed(cut.points, cut.accuracy, cut.stderr, copies, cut.pools, group.method)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """By predictor: number of forecasts made, mean error, bias, worst error, and coverage of the intervals.

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


def _truth(group: Group, N: np.ndarray) -> tuple[Points, np.ndarray]:
    targets = Points(
        np.repeat([pool.setting for pool in group.pools], len(N)),
        np.repeat([pool.T for pool in group.pools], len(N)),
        np.tile(N, len(group.pools)),
    )
    exact = [question_accuracy(pool.answers, N, group.method).mean(axis=0) for pool in group.pools]
    return targets, np.concatenate(exact)

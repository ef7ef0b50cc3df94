"""The value of each part of the mixture: its scores on many sets without it, or with another choice.

$ DATA_DIR=../shared/data python -m studies.forecasts.ablation            (after run.py; 6 min)
set     method     seen  predictor      forecasts  mean_error  coverage  width
game24  best_of_n  4     without p = 0  6          0.0313      1.00      0.410

Writes ablation.csv and a table of studies/forecasts/README.md.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np
import pandas as pd

from predict.answers.best_of_n import BETA, BETA_OR_ZERO, FAMILIES, SCALED_BETA, Family, fit_rates
from predict.answers.mixture import mixture
from predict.answers.prior import features
from predict.estimate import Estimate, Estimator, Options
from predict.evidence.groups import group_of_pools
from predict.evidence.points import Evidence, Points, chosen_answers
from results.normal import Z90
from results.tables.files import write_raw
from results.tables.key import Key
from studies.forecasts.along_n import Job, jobs, judged
from studies.forecasts.page import HERE, METHODS, geometric_mean, insert
from studies.forecasts.rivals import beta_binomial
from studies.options import DATA, PROCESSES, SPLITS, pool_of
from studies.pages import markdown


def changed(target: str, value: object) -> Estimator:
    """The mixture with `target` replaced by `value` during each call."""

    def predict(observed: Evidence, targets: Points, options: Options) -> Estimate:
        with patch(f"predict.answers.{target}", value):
            return mixture(observed, targets, options)

    return predict


def rates_from(*families: Family) -> Estimator:
    """The mixture with these families of laws of p."""
    return changed("mixture.fit_rates", partial(fit_rates, families=families))


def rolling_origin(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """The mixture with intervals widened by its errors when it sees half of the answers.

    From that half the accuracy of all answers seen is forecast; errors are in standard deviations, and one
    further error of one standard deviation is assumed.
    """
    found = mixture(observed, targets, options)
    n = int(observed.points.N.max())
    first = [chosen_answers(one, np.arange(len(one.answers.votes)), n // 2) for one in observed.pools]
    half = group_of_pools(Key("", "", "", method=observed.method), first)
    last = np.equal(observed.points.N, n)
    seen = replace(observed, points=half.points, accuracy=half.accuracy, stderr=half.stderr, pools=half.pools)
    early = mixture(seen, observed.points[last], options)
    width = np.maximum(early.these.high - early.these.low, 1e-6)
    misses = Z90 * (early.mean - observed.accuracy[last]) * 2 / width
    wider = max(1.0, float(np.sqrt((1 + (misses**2).sum()) / (1 + len(misses)))))
    low, high = (found.mean + wider * (end - found.mean) for end in (found.these.low, found.these.high))
    return replace(found, these=replace(found.these, low=np.maximum(low, 0.0), high=np.minimum(high, 1.0)))


VARIANTS: dict[str, dict[str, Estimator]] = {
    "majority": {
        "as it is": mixture,
        "the flexible law alone": changed("population.softmax", lambda _: np.array([1.0, 0.0])),
        "the plain law alone": changed("population.softmax", lambda _: np.array([0.0, 1.0])),
        "both, equal shares": changed("population.TEMPER", 0.0),
        "both, by their whole evidence": changed("population.TEMPER", 1.0),
        "ridge × 4": changed("population.RIDGE", 16.0),
        "ridge ÷ 4": changed("population.RIDGE", 1.0),
        "without the fit of questions alike": changed("population.shape_features", features),
        "intervals by rolling origin": rolling_origin,
    },
    "best_of_n": {
        "as it is": mixture,
        "p = Beta(a, b) alone": beta_binomial,
        "p = c · Beta(a, b) alone": rates_from(SCALED_BETA),
        "p = Beta(a, b) or 0 alone": rates_from(BETA_OR_ZERO),
        "without p = 0": rates_from(BETA, SCALED_BETA),
        "the three alike": rates_from(*(replace(family, prior=1 / 3) for family in FAMILIES)),
        "prior twice as wide": changed("best_of_n.SPREAD", 4.0),
        "prior half as wide": changed("best_of_n.SPREAD", 1.0),
        "intervals by rolling origin": rolling_origin,
    },
    "several settings": {
        "as it is": mixture,
        "each setting by itself": changed("mixture.share_between", lambda found, *_: found),
    },
}
LABELS = METHODS | {"several settings": "Majority vote, several settings"}

SETS = ("boinf", "rgeval", "game24")
"""Prefixes of the names of real sets with more than 40 answers per question."""

SHARING = ("biggsm", "otis", "steps", "budgets", "jhu", "qwen")
"""Sets with two or more settings of the same questions."""


def scores_of(job: Job, kind: str) -> pd.DataFrame:
    """The scores of the mixture and its variants on a set."""
    return judged(job, VARIANTS[kind]).assign(method=kind)


@click.command()
@DATA
@SPLITS
@PROCESSES
def main(data: Path, splits: int, processes: int) -> None:
    """Judge the mixture and its variants on `SETS` and `SHARING`."""
    cached = (HERE.parents[1] / "results" / "cached").glob("qwen-*.parquet")
    every = [*jobs(data, splits), *(Job(path.stem, path, "majority", splits) for path in cached)]
    chosen = [(job, job.method) for job in every if job.name.startswith(SETS)]
    votes = [job for job in every if job.method == "majority"]
    chosen += [(job, "several settings") for job in votes if job.name.startswith(SHARING)]
    with pool_of(processes) as pool:
        found = pd.concat(pool.map(scores_of, *zip(*chosen, strict=True)), ignore_index=True)
    write_raw(found, HERE / "ablation.csv")
    insert("ablation", ablation_table(found))


def ablation_table(found: pd.DataFrame) -> str:
    """A row for each variant: its errors and scores as shares of the mixture's, geometric means over sets."""
    lines = []
    for method, label in LABELS.items():
        rows = found[found["method"] == method].set_index(["set", "seen"])
        ours = rows[rows["predictor"] == "as it is"]
        for name, part in rows.groupby("predictor", sort=False):
            error, score = (
                geometric_mean(part[column] / ours[column]) for column in ("mean_error", "interval_score")
            )
            held, width = 100 * part[["coverage", "width"]].mean()
            told = f"{error:.2f}", f"{score:.2f}", f"{held:.0f} %", f"{width:.1f}"
            lines.append([str(name), label, *told])
    return markdown(["variant", "method", "error", "interval score", "held by 90 %", "width"], lines)


if __name__ == "__main__":
    main()

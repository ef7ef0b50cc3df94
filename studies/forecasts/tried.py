"""Two changes of the mixture that were tried: a prior learnt from other models, and a second opinion.

set      seen  error   learnt  mean of both  score  learnt  mean of both
biggsm   4     0.0058  0.0064  …             0.043  0.040   …

$ DATA_DIR=../shared/data python -m studies.forecasts.tried --jobs 2            (run.py first: it imports)

Learnt: the flexible law's weights are softmax(base + F α), α around 0. Here α is fitted to all answers of
every real set, and 0 is replaced by the mean over model families of all sets that share neither family nor
benchmark with the set in question. Mean of both: the forecasts of the mixture and of `question-law`, which
sees only the curve, are averaged, and so are the ends of their intervals. Nothing else is chosen.
Writes tried.csv and a table of README.md.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pandas as pd

from predict.answers.atoms import log_likelihood, patterns, relative
from predict.answers.mixture import mixture
from predict.answers.population import learning_set
from predict.answers.prior import RIDGE, base, features
from predict.answers.weights import PenalisedLikelihood
from predict.estimate import Estimate, Options
from predict.evidence.points import Evidence, Floats, Points
from predict.evidence.request import read_asked
from results.tables.files import write_raw
from results.votes.exact import VoteCounts
from studies.forecasts.ablation import changed
from studies.forecasts.along_n import Job, from_curve, jobs, judged
from studies.forecasts.page import HERE, geometric_mean, insert
from studies.options import DATA, PROCESSES, SPLITS, pool_of
from studies.pages import markdown


class Origin(NamedTuple):
    """The origin of a set: sets of the same origin are left out together."""

    family: str
    benchmark: str


ORIGINS = {
    "biggsm": Origin("gpt-3.5", "biggsm"),
    "otis": Origin("several", "aime"),
    "boinf-am": Origin("qwen", "aime"),
    "boinf-datarus": Origin("qwen", "aime"),
    "boinf-nemotron-9b-v2-aime": Origin("nemotron", "aime"),
    "boinf-nemotron-9b-v2-gpqa": Origin("nemotron", "gpqa"),
    "boinf-nemotron-9b-v2-math": Origin("nemotron", "math"),
    "boinf-qwen3": Origin("qwen", "aime"),
    "epoch-gpt": Origin("gpt-5", "gpqa"),
    "jhu-gpt35": Origin("gpt-3.5", "mcqa"),
    "jhu-llama2": Origin("llama", "mcqa"),
    "rgeval-llama32": Origin("llama", "amc"),
}
"""By the prefix of a set's name. A fine-tuned model belongs to the family of its base model."""

NAMES = {"mean_error": "error, points", "coverage": "held, %", "interval_score": "score, points"}
_DIGITS = {"mean_error": ".2f", "coverage": ".0f", "interval_score": ".1f"}
AS_IT_IS, LEARNT, MEAN = "as it is", "learnt", "mean of both"


@click.command()
@PROCESSES
@SPLITS
@DATA
def main(processes: int, splits: int, data: Path) -> None:
    """Judge both changes on every real set."""
    real = [job for job in jobs(data, splits) if job.method == "majority" and origin(job.name)]
    with pool_of(processes) as pool:
        fitted = dict(zip((job.name for job in real), pool.map(fitted_alpha, real), strict=True))
        others = [learnt(job.name, fitted) for job in real]
        found = pd.concat(pool.map(scores, real, others), ignore_index=True)
    write_raw(found, HERE / "tried.csv")
    insert("tried", tried_table(found))


def origin(name: str) -> Origin | None:
    """The origin of a set; None for a simulated one."""
    return next((of for start, of in ORIGINS.items() if name.startswith(start)), None)


def fitted_alpha(job: Job) -> Floats:
    """α of all answers to a set, (features,): the mean over its settings."""
    groups = read_asked([job.path], job.method)
    fits = [_alpha(pool.answers.counts()) for group in groups for pool in group.pools]
    return np.asarray(np.mean(fits, axis=0))


def _alpha(counts: VoteCounts) -> Floats:
    seen = patterns(counts)
    rows, times = learning_set(seen.pattern)
    likelihood = relative(log_likelihood(seen))[rows]
    return PenalisedLikelihood(likelihood, times, base(), features(), RIDGE).maximum()


def learnt(name: str, fitted: dict[str, Floats]) -> Floats:
    """The mean α of other families' sets on other benchmarks, with equal weight for each family."""
    own = origin(name)
    by_family: dict[str, list[Floats]] = {}
    for other, alpha in fitted.items():
        of = origin(other)
        if own and of and of.family != own.family and of.benchmark != own.benchmark:
            by_family.setdefault(of.family, []).append(alpha)
    return np.asarray(np.mean([np.mean(alphas, axis=0) for alphas in by_family.values()], axis=0))


def _moved(alpha: Floats) -> Floats:
    return np.asarray(base() + features() @ alpha)


def mean_of_both(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """The mean of the mixture and `question-law`, or the mixture where the latter gives no forecast."""
    ours = mixture(observed, targets, options)
    curve = from_curve(observed, targets, options)
    given = np.isfinite(curve.mean)

    def mean(one: Floats, other: Floats) -> Floats:
        return np.where(given, (one + other) / 2, one)

    low, high = mean(ours.these.low, curve.these.low), mean(ours.these.high, curve.these.high)
    return replace(ours, mean=mean(ours.mean, curve.mean), these=replace(ours.these, low=low, high=high))


def scores(job: Job, alpha: Floats) -> pd.DataFrame:
    """The scores of the mixture and of both changes."""
    moved = changed("population.base", partial(_moved, alpha))
    return judged(job, {AS_IT_IS: mixture, LEARNT: moved, MEAN: mean_of_both})


def tried_table(found: pd.DataFrame) -> str:
    """A row for each set and number of answers seen, and the ratios of all."""
    ways = [AS_IT_IS, LEARNT, MEAN]
    wide = found.pivot_table(index=["set", "seen"], columns="predictor", values=[*NAMES], sort=False)
    head = [
        "set, answers seen",
        *(way if way != AS_IT_IS else title for title in NAMES.values() for way in ways),
    ]
    rows = []
    cases = [f"{name}, {seen}" for name, seen in wide.index]
    for case, (_, row) in zip(cases, wide.iterrows(), strict=True):
        cells = [f"{100 * row[column, way]:{_DIGITS[column]}}" for column in NAMES for way in ways]
        rows.append([case, *cells])
    bias = 100 * found.groupby("predictor")["bias"].mean()
    lines = [markdown(head, rows), "", f"The bias of the mixture is {bias[AS_IT_IS]:+.2f} points."]
    for way in (LEARNT, MEAN):
        error, score = (wide[name][way] / wide[name][AS_IT_IS] for name in ("mean_error", "interval_score"))
        lines += [
            f"*{way.capitalize()}*: error {geometric_mean(error):.2f} times as large (geometric mean; "
            f"smaller in {(error < 1).sum()} of {len(wide)} cases), score {geometric_mean(score):.2f} times "
            f"(smaller in {(score < 1).sum()}), bias {bias[way]:+.2f} points."
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

"""Would a prior that has seen other models forecast votes better than the one that has seen none?

set                                seen  error   with  score   with
biggsm                             4     0.0058  …     0.032   …

$ DATA_DIR=../shared/data python -m studies.forecasts.learnt_prior --jobs 2     (run.py first: it imports)

The flexible law's weights are softmax(base + F α), α around 0. Here α is fitted to all answers of every real
set, and the mean over the families of models of all sets that share neither family nor benchmark with the
set in question stands in the place of 0. Nothing else is chosen. Writes learnt_prior.csv and a table of
README.md.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pandas as pd

from predict.answers.atoms import log_likelihood, patterns
from predict.answers.mixture import mixture
from predict.answers.population import learning_set
from predict.answers.prior import RIDGE, base, features
from predict.answers.weights import PenalisedLikelihood
from predict.evidence.groups import read_groups
from predict.evidence.points import Floats
from results.tables.files import write_raw
from results.votes.exact import VoteCounts
from studies.forecasts.ablation import changed
from studies.forecasts.along_n import Job, jobs, judged
from studies.forecasts.page import HERE, insert


class Origin(NamedTuple):
    """Where a set comes from: what is left out together with it."""

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
"""By the beginning of a set's name. Fine-tuned models are of the family that they were made of."""

AS_IT_IS, LEARNT = "as it is", "learnt"


@click.command()
@click.option("--jobs", "processes", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--splits", default=2, show_default=True, type=click.IntRange(1), help="Splits of a set.")
@click.option("--data", envvar="DATA_DIR", required=True, type=click.Path(path_type=Path))
def main(processes: int, splits: int, data: Path) -> None:
    """Judge both priors on every real set."""
    os.environ["OMP_NUM_THREADS"] = "1"  # for the processes started below
    real = [job for job in jobs(data, splits) if job.method == "majority" and origin(job.name)]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        fitted = dict(zip((job.name for job in real), pool.map(fitted_alpha, real), strict=True))
        others = [learnt(job.name, fitted) for job in real]
        found = pd.concat(pool.map(both, real, others), ignore_index=True)
    write_raw(found, HERE / "learnt_prior.csv")
    insert("learnt-prior", markdown(found))


def origin(name: str) -> Origin | None:
    """Where a set comes from; None for a simulated one."""
    return next((of for start, of in ORIGINS.items() if name.startswith(start)), None)


def fitted_alpha(job: Job) -> Floats:
    """α of all answers to a set, (features,): the mean over its settings."""
    (path, method) = job.path, job.method
    groups = read_groups([path], method)
    fits = [_alpha(pool.answers.counts()) for group in groups for pool in group.pools]
    return np.asarray(np.mean(fits, axis=0))


def _alpha(counts: VoteCounts) -> Floats:
    wrong = [counts.wrong[a:b] for a, b in zip(counts.starts[:-1], counts.starts[1:], strict=True)]
    seen = patterns(counts.correct, wrong)
    logs = log_likelihood(seen)
    rows, times = learning_set(seen.pattern)
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))[rows]
    return PenalisedLikelihood(likelihood, times, base(), features(), RIDGE).maximum()


def learnt(name: str, fitted: dict[str, Floats]) -> Floats:
    """The mean α of the other families' sets of other benchmarks, families counting alike."""
    own = origin(name)
    by_family: dict[str, list[Floats]] = {}
    for other, alpha in fitted.items():
        of = origin(other)
        if own and of and of.family != own.family and of.benchmark != own.benchmark:
            by_family.setdefault(of.family, []).append(alpha)
    return np.asarray(np.mean([np.mean(alphas, axis=0) for alphas in by_family.values()], axis=0))


def _moved(alpha: Floats) -> Floats:
    return np.asarray(base() + features() @ alpha)


def both(job: Job, alpha: Floats) -> pd.DataFrame:
    """The scores of the mixture with its own prior and with the learnt one."""
    moved = changed("population.base", partial(_moved, alpha))
    return judged(job, {AS_IT_IS: mixture, LEARNT: moved})


def markdown(found: pd.DataFrame) -> str:
    """A row for each set and number of answers seen, and the ratios of all."""
    names = ["mean_error", "interval_score", "coverage"]
    wide = found.pivot_table(index=["set", "seen"], columns="predictor", values=names, sort=False)
    head = "| set, answers seen | error, points | learnt | held, % | learnt | score, points | learnt |"
    lines = [head, "| --- | --- | --- | --- | --- | --- | --- |"]
    for (name, seen), row in wide.iterrows():
        error, score, held = ([row[column, way] for way in (AS_IT_IS, LEARNT)] for column in names)
        cells = [*_cells(error, 100, 2), *_cells(held, 100, 0), *_cells(score, 100, 1)]
        lines.append(f"| {name}, {seen} | {' | '.join(cells)} |")
    ratio = {name: wide[name][LEARNT] / wide[name][AS_IT_IS] for name in names[:2]}
    better = {name: int((of < 1).sum()) for name, of in ratio.items()}
    means = {name: float(np.exp(np.log(of).mean())) for name, of in ratio.items()}
    bias = 100 * found.groupby("predictor")["bias"].mean()
    lines += [
        "",
        f"The learnt prior’s error is {means['mean_error']:.2f} times as large (geometric mean; smaller in "
        f"{better['mean_error']} of {len(wide)} cases), its score {means['interval_score']:.2f} times "
        f"(smaller in {better['interval_score']}). Bias, in points: {bias[AS_IT_IS]:+.2f} without it, "
        f"{bias[LEARNT]:+.2f} with it.",
    ]
    return "\n".join(lines)


def _cells(values: Sequence[float], times: float, digits: int) -> list[str]:
    return [f"{times * value:.{digits}f}" for value in values]


if __name__ == "__main__":
    main()

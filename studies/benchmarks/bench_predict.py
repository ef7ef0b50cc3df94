"""Time of a forecast with intervals: 1,319 questions × 8 settings × 64 answers, N = 16, 64 and 128.

    $ python -m studies.benchmarks.bench_predict
    | predictor | from 8 answers, processor s | from 64 |

Processor seconds do not depend on the load of the machine. Target: 20 s, with 1,000 replicates.
"""

import os
import time
from collections.abc import Callable
from dataclasses import replace

import click
import numpy as np

from predict.estimate import Options
from predict.estimators import ESTIMATORS, able
from predict.evidence.capped import pools_at
from predict.evidence.groups import Group, group_of_pools, groups_of_samples
from predict.evidence.points import Run
from predict.evidence.request import Request
from predict.evidence.targets import split
from predict.forecast_table import forecast as forecast_group
from results import AnswerPools, as_samples
from results.tables.key import Key
from studies.benchmarks.bench_votes import drawn_samples
from tests.predict.stopped.simulated import answers, questions

QUESTIONS, SETTINGS, ANSWERS = 1319, 8, 64


def forecast(group: Group, name: str, fit_max_n: int) -> None:
    """Forecast a group in memory at N = 16, 64 and 128."""
    options = Options(replicates=1000)
    task = split(group, Request(fit_max_n=fit_max_n, at_n=(16, 64, 128)))
    ESTIMATORS[name](task.observed, task.targets, options)


def beyond_a_cap(pools: AnswerPools) -> None:
    """Forecast a run of the survival model's own law, stopped where half have ended, at four larger caps."""
    cap = int(np.median(pools.tokens))
    caps = (cap, cap * 4 // 3, cap * 2, cap * 3, cap * 5)
    run = Run("default", pools, cap, {str(one): one for one in caps}, pools.sizes)
    group = group_of_pools(
        Key("llm", "bench", "bench", method="majority"), pools_at(pools, run.caps.items()), (1, 8, 64)
    )
    request = Request(at_n=(1, 8, 64))
    forecast_group(replace(group, run=run), request, ["survival"], Options(replicates=1000))


def seconds(job: Callable[..., None], *given: object) -> str:
    """The processor seconds of a job's second run, when compiled loops and tables of votes are ready."""
    job(*given)
    start = time.process_time()
    job(*given)
    return f"{time.process_time() - start:.1f}"


def main() -> None:
    """Print one row a predictor, on one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    (group,) = groups_of_samples(as_samples(drawn_samples(QUESTIONS, SETTINGS, ANSWERS)), "majority")
    click.echo(f"| predictor | from 8 answers, processor s | from {ANSWERS} |\n|---|---:|---:|")
    for name in able(samples=True):
        click.echo(
            f"| {name} | {seconds(forecast, group, name, 8)} | {seconds(forecast, group, name, ANSWERS)} |"
        )
    rng = np.random.default_rng(0)
    stopped = answers(questions(QUESTIONS, rng), ANSWERS, rng)
    click.echo(f"| survival, four caps beyond the one seen | – | {seconds(beyond_a_cap, stopped)} |")


if __name__ == "__main__":
    main()

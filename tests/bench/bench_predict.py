"""How long a forecast takes: 1,319 questions × 8 settings × 64 answers, at N = 16, 64 and 128.

$ python tests/bench/bench_predict.py
| what | target | processor s | wall s |
|---|---|---|---|
| mixture from 8 answers, 1,000 replicates | ≤ 20 s | 2.3 | 2.3 |

Processor seconds do not change with what else the machine does; wall seconds do.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from predict.capped import CapRequest, Run, forecast_run
from predict.groups import Group, group_of_pools, renumbered
from predict.predictors import PREDICTORS, able
from predict.protocol import Options, Pool
from predict.split import Request, split
from results.votes.exact import AnswerPools

QUESTIONS, SETTINGS, ANSWERS = 1319, 8, 64


def simulated() -> Group:
    """Difficulties shared by the settings, accuracy rising with T, six wrong answers a question."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(0, 2, QUESTIONS)
    starts = np.arange(0, (QUESTIONS + 1) * ANSWERS, ANSWERS)
    names = [f"q{i:04d}" for i in range(QUESTIONS)]
    pools = []
    for i in range(SETTINGS):
        p = 1 / (1 + np.exp(-(difficulty - 1 + 2.5 * (1 - np.exp(-0.5 * i)))))
        wrong = rng.dirichlet(np.full(6, 0.6), QUESTIONS)
        chance = np.column_stack([p, (1 - p)[:, None] * wrong]).cumsum(axis=1)
        draws = (rng.random((QUESTIONS, ANSWERS))[:, :, None] > chance[:, None, :]).sum(axis=2)
        rows = [np.unique(row, return_inverse=True)[1] + int(0 not in row) for row in draws]
        votes = np.concatenate(rows).astype(np.int64)
        answers = AnswerPools(names, starts, votes, np.full(len(votes), 20.0 * (i + 1)))
        pools.append(Pool(f"{20 * (i + 1)}", 20.0 * (i + 1), answers))
    return group_of_pools("llm", "bench", "bench", "majority", pools)


def forecast(group: Group, name: str, fit_max_n: int, replicates: int) -> None:
    """From a group in memory to its forecasts at N = 16, 64 and 128."""
    options = Options(replicates=replicates)
    task = split(group, Request(fit_max_n=fit_max_n, at_n=(16, 64, 128)), options)
    PREDICTORS[name](task.observed, task.targets, options)


def beyond_a_cap() -> None:
    """A run of log-normal lengths stopped where half have ended, forecast at four dearer caps and three N."""
    rng = np.random.default_rng(0)
    u = rng.normal(0, 1, (QUESTIONS, 1))
    tokens = np.exp(8 + 0.6 * u + 0.3 * rng.normal(0, 1, (QUESTIONS, ANSWERS)))
    right = rng.random(tokens.shape) < 1 / (1 + np.exp(1.5 * u - 1.5))
    starts = np.arange(0, (QUESTIONS + 1) * ANSWERS, ANSWERS)
    votes = np.where(right, 0, rng.integers(1, 6, tokens.shape)).ravel()
    names = [f"q{i:04d}" for i in range(QUESTIONS)]
    answers = AnswerPools(names, starts, renumbered(np.repeat(np.arange(QUESTIONS), ANSWERS), votes),
                          np.ceil(tokens).ravel())  # fmt: skip
    run = Run("llm", "bench", "bench", "default", False, answers, np.array([]))
    request = CapRequest(3000, (4000, 6000, 8000, 16000), None, (1, 8, 64))
    forecast_run(run, request, ["survival"], "majority", Options(replicates=1000))


def told(what: str, target: str, job: Callable[[], object]) -> None:
    """Run `job` and print its row."""
    wall, processor = time.perf_counter(), time.process_time()
    job()
    seconds = time.process_time() - processor, time.perf_counter() - wall
    click.echo(f"| {what} | {target} | {seconds[0]:.1f} | {seconds[1]:.1f} |")


def main() -> None:
    """Print one row a job, on one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    group = simulated()
    forecast(group, "mixture", 8, 20)  # compiled loops and tables of votes are ready from here on
    click.echo("| what | target | processor s | wall s |\n|---|---|---|---|")
    for fit_max_n in (8, ANSWERS):
        for name in able("majority", samples=True):
            for replicates, target in ((0, "≤ 1 s"), (1000, "≤ 20 s")):
                words = "1,000 replicates" if replicates else "no intervals"
                told(
                    f"{name} from {fit_max_n} answers, {words}",
                    target,
                    lambda name=name, n=fit_max_n, R=replicates: forecast(group, name, n, R),
                )
    told(f"four caps beyond the one seen, {ANSWERS} answers, 1,000 replicates", "≤ 20 s", beyond_a_cap)


if __name__ == "__main__":
    main()

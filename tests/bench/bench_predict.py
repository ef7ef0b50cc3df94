"""How long a forecast takes: 1,319 questions × 8 settings × 64 answers, at N = 16, 64 and 128.

$ OMP_NUM_THREADS=1 python tests/bench/bench_predict.py
fitted to  predictor           no intervals   1,000 replicates
    64 N  mixture                   1.48 s             2.30 s
"""

# ruff: noqa: T201
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from predict import PREDICTORS, Options, Pool, Request
from predict.data import Group, group_of_pools
from predict.predictors import able
from predict.split import ask
from results.votes import AnswerPools

QUESTIONS, SETTINGS, ANSWERS = 1319, 8, 64


def simulated() -> Group:
    """Difficulties shared by the settings, accuracy rising with T, six wrong answers a question."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(0, 2, QUESTIONS)
    starts = np.arange(0, (QUESTIONS + 1) * ANSWERS, ANSWERS)
    names = [f"q{i}" for i in range(QUESTIONS)]
    pools = []
    for i in range(SETTINGS):
        p = 1 / (1 + np.exp(-(difficulty - 1 + 2.5 * (1 - np.exp(-0.5 * i)))))
        wrong = rng.dirichlet(np.full(6, 0.6), QUESTIONS)
        chance = np.column_stack([p, (1 - p)[:, None] * wrong]).cumsum(axis=1)
        draws = (rng.random((QUESTIONS, ANSWERS))[:, :, None] > chance[:, None, :]).sum(axis=2)
        votes = np.concatenate(
            [
                np.unique(row, return_inverse=True)[1]
                if 0 in row
                else np.unique(row, return_inverse=True)[1] + 1
                for row in draws
            ]
        )
        answers = AnswerPools(names, starts, votes.astype(np.int64), np.full(len(votes), 20.0 * (i + 1)))
        pools.append(Pool(f"{20 * (i + 1)}", 20.0 * (i + 1) * QUESTIONS / 1e5, answers))
    return group_of_pools("llm", "bench", "bench", "majority", pools)


def main() -> None:
    """Print one line a predictor."""
    started = time.perf_counter()
    group = simulated()
    print(f"exact curves of all answers: {time.perf_counter() - started:.2f} s")
    print(f"{'fitted to':>10}  {'predictor':17} {'no intervals':>14} {'1,000 replicates':>18}")
    for fit_max_n in (8, 64):
        for name in able("majority", samples=True):
            seconds = [timed(group, name, fit_max_n, replicates) for replicates in (0, 1000)]
            print(f"{fit_max_n:8} N  {name:17} {seconds[0]:12.2f} s {seconds[1]:16.2f} s")


def timed(group: Group, name: str, fit_max_n: int, replicates: int) -> float:
    """Seconds from a group in memory to its forecasts at N = 16, 64 and 128."""
    started = time.perf_counter()
    question = ask(group, Request(fit_max_n=fit_max_n, at_n=(16, 64, 128), replicates=replicates))
    PREDICTORS[name](question.observed, question.targets, Options(replicates=replicates))
    return time.perf_counter() - started


if __name__ == "__main__":
    main()

"""Best-of-N without an oracle: the claims of studies/twin/rewards.md, measured. These claims are ours.

    a-self-check-beats-the-vote  judges n=4 d=48  best of 1,024 by context − vote of 1,024  0.26 [0.18, 0.34]

$ python -m studies.twin.reward_claims      writes reward-claims.csv beside this file

The paper's Definition 2 allows any reward, and its conclusion leaves all but the oracle open. Every value is
exact given the task; the intervals are over tasks.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from results.tables.files import write_raw
from studies.twin.binary_rewards import FALSE_YES, LINES, NAME, REWARDS, TRUE_YES, Answers, best_by_reward
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array
from synthetic.theory.claim import Claim, ClaimRow, extreme_row, mean_row
from synthetic.theory.claims.claims_table import evaluate
from synthetic.theory.claims.own_setting import MARGIN, law_of_line, tasks_of

SHIPPED = Path(__file__).with_name("reward-claims.csv")
STEPS = (16,)
TASKS = 60
"""Tasks in each of five repeats."""

FEW, MANY, LIMIT = 4, 1024, 4096
"""Values of N: a few answers, many, and close to the limit."""

Curves = dict[tuple[str, int], Array]
"""Accuracy (tasks,) by way of choosing and N."""


@lru_cache(maxsize=1)
def _curves(seed: int) -> dict[str, Curves]:
    """The curves by line; "path" at N = 1 is one answer."""
    found, votes = {}, (FEW, MANY, LIMIT)
    for line in LINES:
        name, setting = f"{NAME} {line.label}", line.setting
        assert isinstance(setting, BinarySetting)
        law = law_of_line(setting, STEPS, seed, TASKS)
        answers = Answers(tasks_of(setting, seed, TASKS), setting, STEPS, law)
        vote = law.vote((MANY,))
        curves: Curves = {("path", 1): law.correct[:, 0], ("vote", MANY): vote[:, 0, 0]}
        for reward in ("context", "verdict", "biased", "oracle"):
            best = best_by_reward(answers, REWARDS[reward], votes)[:, 0]
            curves |= {(reward, N): best[:, place] for place, N in enumerate(votes)}
        found[name] = curves
    return found


def _beats_the_vote(seed: int) -> Iterator[ClaimRow]:
    quantity = f"best of {MANY:,} by context − vote of {MANY:,} (ours: > 0)"
    for name, curves in _curves(seed).items():
        yield mean_row(name, quantity, curves["context", MANY] - curves["vote", MANY], above=0.0)


def _below_the_oracle(seed: int) -> Iterator[ClaimRow]:
    quantity = f"best of {LIMIT:,}: oracle − context (ours: > {MARGIN})"
    for name, curves in _curves(seed).items():
        yield mean_row(name, quantity, curves["oracle", LIMIT] - curves["context", LIMIT], above=MARGIN)


def _saturates(seed: int) -> Iterator[ClaimRow]:
    quantity = f"best of {LIMIT:,} by verdict, distance from p·a / (p·a + (1 − p)·b), largest (ours: < 0.001)"
    for name, curves in _curves(seed).items():
        right = curves["path", 1]
        limit = right * TRUE_YES / (right * TRUE_YES + (1 - right) * FALSE_YES)
        worst = round(float(np.abs(curves["verdict", LIMIT] - limit).max()), 12)  # no rounding error
        yield extreme_row(name, quantity, worst, worst < 0.001)


def _turns_over(seed: int) -> Iterator[ClaimRow]:
    quantity = f"best of {FEW} − best of {LIMIT:,} by the biased reward (ours: > 0)"
    for name, curves in _curves(seed).items():
        yield mean_row(name, quantity, curves["biased", FEW] - curves["biased", LIMIT], above=0.0)


REWARD_CLAIMS = [
    Claim("a-self-check-beats-the-vote", "ours, Definition 2", _beats_the_vote),
    Claim("a-self-check-saturates-below-the-oracle", "ours, Definition 2", _below_the_oracle),
    Claim("a-judge-saturates-at-its-precision", "ours, Definition 2", _saturates),
    Claim("a-liking-for-a-wrong-answer-turns-best-of-n-over", "ours, Definition 2", _turns_over),
]


if __name__ == "__main__":
    write_raw(evaluate(REWARD_CLAIMS, seed=0), SHIPPED)

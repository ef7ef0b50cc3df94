"""Answers drawn from the law of `predict.stopped.answer_law`, implemented here independently.

simulated(300, 8, theta)  ->  AnswerPools of 300 questions × 8 answers, and each question's own law
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from predict.evidence.points import renumbered
from results.votes.exact import AnswerPools

THETA = {
    "centre": 0.2,
    "tilt": 0.1,
    "log_ratio": 1.3,
    "level": 1.8,
    "log_level_spread": 1.1,
    "correlation": -0.9,
    "log_scale": -1.7,
    "log_scale_spread": -1.2,
    "skew": 0.3,
    "slope": -0.2,
    "bend": -0.3,
    "never_ends": -3.5,
    "never_ends_rise": 0.8,
    "never_right": -3.0,
    "slow": -2.0,
    "delay": 1.0,
}
ORIGIN = np.log(8000.0)


@dataclass(frozen=True)
class Questions:
    """The m, scale, level (with whether it is ever right) and share that never ends, by question (Q,)."""

    m: np.ndarray
    scale: np.ndarray
    level: np.ndarray
    never: np.ndarray


def questions(Q: int, rng: np.random.Generator, at: dict[str, float] = THETA) -> Questions:
    u, v, w = rng.standard_normal((3, Q))
    m = (
        ORIGIN
        + at["centre"]
        + np.exp(at["log_ratio"] + at["log_scale"]) * np.expm1(at["tilt"] * u) / at["tilt"]
    )
    r = np.tanh(at["correlation"])
    level = at["level"] + np.exp(at["log_level_spread"]) * (r * u + np.sqrt(1 - r**2) * v)
    level = np.where(rng.random(Q) < expit(at["never_right"] + u), -np.inf, level)
    scale = np.exp(at["log_scale"] + np.exp(at["log_scale_spread"]) * w)
    (kinds,) = rng.spawn(1)
    m = m + at["delay"] * (kinds.random(Q) < expit(at["slow"]))
    return Questions(m, scale, level, expit(at["never_ends"] + at["never_ends_rise"] * u))


def answers(of: Questions, n: int, rng: np.random.Generator, at: dict[str, float] = THETA) -> AnswerPools:
    """n answers to each question; wrong ones are one of three with probabilities .6, .3, .1."""
    Q = len(of.m)
    left, right = of.scale * np.exp(-at["skew"] / 2), of.scale * np.exp(at["skew"] / 2)
    half = np.abs(rng.logistic(size=(Q, n)))
    later = rng.random((Q, n)) < (right / (left + right))[:, None]
    x = of.m[:, None] + np.where(later, right[:, None], -left[:, None]) * half
    y = 8 * np.tanh((x - of.m[:, None]) / np.exp(at["log_scale"]) / 8)
    chance = expit(of.level[:, None] + at["slope"] * y + at["bend"] * np.log1p(np.exp(y)))
    votes = np.where(rng.random((Q, n)) < chance, 0, rng.choice([1, 2, 3], (Q, n), p=[0.6, 0.3, 0.1]))
    endless = rng.random((Q, n)) < of.never[:, None]
    tokens = np.where(endless, 1e7, np.maximum(np.round(np.exp(x)), 1.0))
    question = np.repeat(np.arange(Q), n)
    names = [f"q{i:04d}" for i in range(Q)]
    return AnswerPools(names, np.arange(Q + 1) * n, renumbered(question, votes.ravel()), tokens.ravel())


def samples(n: int = 16, Q: int = 24, settings: tuple[str, ...] = ("default",)) -> pd.DataFrame:
    """The samples table of such a run, with independent draws for each of `settings`."""
    rng = np.random.default_rng(4)
    tables = []
    for setting in settings:
        pools = answers(questions(Q, rng), n, rng)
        tables.append(table_of(pools, n).assign(setting=setting))
    return pd.concat(tables, ignore_index=True)


def table_of(pools: AnswerPools, n: int) -> pd.DataFrame:
    """The samples table of pools of `n` answers."""
    Q = len(pools.question_ids)
    return pd.DataFrame(
        {
            "question_id": np.repeat(pools.question_ids, n),
            "sample": np.tile(np.arange(n), Q),
            "answer": [f"a{vote}" for vote in pools.votes],
            "correct": pools.votes == 0,
            "tokens": pools.tokens.astype(int),
            "setting": "default",
            "dataset": "d",
            "model": "m",
            "decoding": "sample",
        }
    )

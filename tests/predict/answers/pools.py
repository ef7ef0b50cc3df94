"""Simulated answers for the tests of forecasts."""

import numpy as np

from predict.evidence.groups import Group, group_of_pools
from predict.evidence.points import Evidence, Points, Pool, chosen_answers
from results.tables.key import Key
from results.votes.exact import AnswerPools


def pool_of(raw: np.ndarray, setting: str = "s", T: float = 1.0) -> Pool:
    """A pool of the answers `raw` (questions, answers): 0 right, −1 unreadable, others wrong."""
    votes = []
    for row in raw.tolist():
        kinds = {kind: i + 1 for i, kind in enumerate(sorted({k for k in row if k > 0}))}
        votes += [kinds.get(kind, kind) for kind in row]
    questions, answers = raw.shape
    starts = np.arange(0, (questions + 1) * answers, answers)
    names = [f"q{i:04}" for i in range(questions)]
    return Pool(setting, T, AnswerPools(names, starts, np.array(votes), np.full(len(votes), 100.0)))


def drawn_pool(questions: int, answers: int, rng: np.random.Generator, blank: float = 0.0) -> Pool:
    """Answers of a bimodal population: easy questions, and hard ones with a strong wrong answer."""
    wrong = np.array([0.5, 0.2, 0.1, 0.1, 0.1])
    raw = np.empty((questions, answers), dtype=np.int64)
    for q in range(questions):
        p = rng.beta(8, 2) if rng.random() < 0.6 else rng.beta(1.5, 4)
        raw[q] = rng.choice(6, answers, p=[p, *(1 - p) * wrong])
        raw[q, rng.random(answers) < blank] = -1
    return pool_of(raw)


def asked(laws: np.ndarray, answers: int, rng: np.random.Generator) -> AnswerPools:
    """Answers drawn from laws (questions, kinds) over right and wrong ones; kind 6 is unreadable."""
    ladder = laws.cumsum(axis=1)[:, None, :-1]
    drawn = (rng.random((len(laws), answers, 1)) > ladder).sum(axis=2)
    return pool_of(np.where(drawn == 6, -1, drawn)).answers


def observed(pool: Pool, n: int, method: str = "majority") -> tuple[Evidence, Group]:
    """The first n answers of a pool as evidence, and the whole pool, whose vote is asked for, as a group."""
    key = Key("llm", "d", "m", method=method)
    cut = group_of_pools(key, [chosen_answers(pool, np.arange(len(pool.answers.votes)), n)])
    whole = group_of_pools(key, [pool], at_n=(20, 40))
    return Evidence(cut.points, cut.accuracy, cut.stderr, cut.pools, method), whole


def targets(N: list[int], setting: str = "s", T: float = 1.0) -> Points:
    """The points of every `N` at one setting."""
    return Points(np.full(len(N), setting), np.full(len(N), T), np.array(N, dtype=np.int64))

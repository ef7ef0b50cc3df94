"""Alarms from a table on disk to the status in the forecast file and the sentence on stderr.

samples.csv, vote falling with N   ->   power-law: falling, "warning: … the observed accuracy falls …"
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from predict.answers.best_of_n import fit_rates
from predict.answers.mixture import fit_status, mixture, populations
from predict.answers.population import fit_population
from predict.estimate import Options, Status
from predict.evidence.capped import observe
from predict.evidence.groups import groups_of_samples
from results import read_forecast
from results.votes.exact import VoteCounts
from tests.predict.answers.pools import drawn_pool, observed, pool_of, targets
from tests.predict.commands import forecast
from tests.predict.conftest import samples_of

N = np.array([1, 2, 3, 4, 6, 8, 12, 16])


def alike(right: float, leader: float = 0.0) -> NDArray[np.float64]:
    """60 questions all of one kind: `right`, one wrong answer of chance `leader`, else a new one."""
    return np.tile([right, leader, 1 - right - leader], (60, 1))


def varied(rng: np.random.Generator) -> NDArray[np.float64]:
    """40 questions from hard to easy, with a wrong answer of any weight."""
    right = rng.beta(1.3, 1.0, 40)
    leader = (1 - right) * rng.beta(1.0, 1.5, 40)
    return np.stack([right, leader, 1 - right - leader], axis=1)


def curves(accuracy: Mapping[str, NDArray[np.float64]], stderr: float) -> pd.DataFrame:
    """Curves over N of 1,000 questions, T doubling from each setting to the next."""
    return pd.DataFrame(
        {
            "method": "majority",
            "setting": name,
            "T": 1e5 * 2**i,
            "N": n,
            "accuracy": y,
            "stderr": stderr,
            "questions": 1000,
        }
        for i, (name, row) in enumerate(accuracy.items())
        for n, y in zip(N.tolist(), row.tolist(), strict=True)
    )


def told(table: pd.DataFrame, folder: Path, *options: str) -> tuple["pd.Series[str]", list[str]]:
    """Statuses by predictor and setting in the file that the command writes, joined, and the warnings with a
    status on stderr."""
    done = forecast(table, folder, "--predictor", "all", *options)
    assert done.exit_code == 0, done.output
    found = read_forecast(folder / "f.csv").groupby(["predictor", "setting"])["status"]
    said = [line for line in done.stderr.splitlines() if any(f": {one}: " in line for one in Status)]
    return found.agg(lambda part: " ".join(sorted(set(part)))), said


def test_the_mixture_follows_a_falling_vote_and_does_not_call_it_falling(tmp_path: Path) -> None:
    """Half of the answers seen; at N = 16 the vote has come down from 32 % to about 10 %."""
    table = samples_of({"a": alike(0.35, 0.6)}, answers=16, seed=0)
    options = ("--predictor", "mixture", "--bootstrap", "100")
    status, _ = told(table, tmp_path, "--fit-max-n", "8", "--at-n", "1,16", *options)
    assert set(status["mixture", "a"].split()) <= {"ok", "bound_hit"}
    found = read_forecast(tmp_path / "f.csv").set_index("N")
    assert found.loc[16, "accuracy"] < 0.15
    assert found.loc[16, "low"] <= found.loc[16, "accuracy"] <= found.loc[16, "high"]


def test_answers_that_are_not_drawn_independently_fit_the_mixture_poorly(tmp_path: Path) -> None:
    """Of 9 answers to each question just 4 are right and 5 wrong in the same way: never a lucky majority."""
    table = samples_of({"a": alike(0.4, 0.6)}, answers=9, seed=0)
    right = table["sample"] < 4
    table = table.assign(answer=np.where(right, "0", "1"), correct=right)
    options = ("--predictor", "mixture", "--at-n", "32", "--fit-max-n", "9")
    assert told(table, tmp_path, *options)[0].tolist() == ["poor_fit"]


def test_independent_answers_do_not_fit_the_mixture_poorly() -> None:
    """Questions of many kinds, 40 × 8 answers: at most 3 of 30 tables may raise it."""
    poor = 0
    for seed in range(30):
        answers = samples_of({"a": varied(np.random.default_rng(seed))}, 8, seed)
        (group,) = groups_of_samples(answers, "majority")
        seen = observe(group, ["a"], 8)
        poor += fit_status(seen, seen.pools[0], populations(seen)[0]) is Status.POOR_FIT
    assert poor <= 3


def test_one_answer_a_question_pins_no_vote_down() -> None:
    seen, _ = observed(drawn_pool(60, 4, np.random.default_rng(0)), 1)
    assert mixture(seen, targets([16]), Options()).status[0] == Status.BOUND_HIT
    two, _ = observed(drawn_pool(60, 4, np.random.default_rng(0)), 2)
    assert fit_status(two, two.pools[0], populations(two)[0]) is Status.OK
    rare, _ = observed(drawn_pool(60, 8, np.random.default_rng(0), 0.85), 8)
    assert mixture(rare, targets([16]), Options()).status[0] == Status.BOUND_HIT


def test_a_population_that_is_far_from_the_observed_accuracy_is_a_poor_fit() -> None:
    seen, _ = observed(drawn_pool(100, 8, np.random.default_rng(1)), 8)
    (pool,) = seen.pools
    counts = pool.answers.counts()
    wrong = VoteCounts(np.full(200, 0), np.full(200, 4), np.arange(201), np.zeros(200, dtype=np.int64))
    assert fit_status(seen, pool, fit_population(wrong)) is Status.POOR_FIT
    assert fit_status(seen, pool, fit_population(counts)) is Status.OK
    best, _ = observed(pool, 8, "best_of_n")
    assert fit_status(best, pool, fit_rates(wrong)) is Status.POOR_FIT
    assert fit_status(best, pool, fit_rates(counts)) is Status.OK


ALIKE = {
    "clear": (0.6, 0.14, 0.13, 0.13),
    "followed": (0.5, 0.3, 0.2),
    "behind": (0.35, 0.6, 0.05),
    "even": (0.55, 0.45),
}


@pytest.mark.parametrize("unreadable", [0, 1, 240])
@pytest.mark.parametrize("kind", ALIKE)
def test_questions_that_are_all_alike_are_followed_or_not_called_ok(kind: str, unreadable: int) -> None:
    """Of 2,400 answers some are unreadable; N = 16 is simulated. Within three points, or told."""
    rng, chances = np.random.default_rng(0), ALIKE[kind]
    raw = rng.choice(len(chances), (300, 8), p=chances)
    raw.ravel()[rng.permutation(raw.size)[:unreadable]] = -1
    seen, _ = observed(pool_of(raw), 8)
    found = mixture(seen, targets([16]), Options(replicates=100))
    cast = rng.binomial(16, 1 - unreadable / raw.size, 40_000)
    votes = rng.multinomial(cast, chances)
    top = votes.max(axis=1)
    truth = np.where(votes[:, 0] == top, 1 / (votes == top[:, None]).sum(axis=1), 0.0).mean()
    assert abs(found.mean[0] - truth) < 0.03 or found.status[0] != Status.OK
    assert found.mean[0] == pytest.approx(truth, abs=0.05)


def test_hard_questions_with_more_unreadable_answers_raise_none() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(0.8, 0.6, (400, 1))
    raw = np.where(rng.random((400, 8)) < p, 0, rng.integers(1, 6, (400, 8)))
    raw[rng.random((400, 8)) < 0.6 * (1 - p)] = -1
    seen, _ = observed(pool_of(raw), 8)
    assert mixture(seen, targets([16]), Options()).status[0] == Status.OK

"""Alarms from a table on disk to the status in the forecast file and the sentence on stderr.

samples.csv, vote falling with N   ->   power-law: falling, "warning: … the observed accuracy falls …"
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from predict.estimate import Status
from results import read_forecast
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


@pytest.mark.integration  # many seconds
def test_independent_answers_do_not_fit_the_mixture_poorly(tmp_path: Path) -> None:
    """Questions of many kinds, 40 × 8 answers: at most 3 of 30 tables may raise it."""
    tables = [
        samples_of({f"table {seed}": varied(np.random.default_rng(seed))}, 8, seed).assign(model=str(seed))
        for seed in range(30)
    ]
    options = ("--predictor", "mixture", "--fit-max-n", "8", "--at-n", "32", "--bootstrap", "0")
    status, _ = told(pd.concat(tables), tmp_path, *options)
    assert len(status) == 30
    assert sum("poor_fit" in found for found in status) <= 3

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
        {"method": "majority", "setting": name, "T": 1e5 * 2**i, "N": n, "accuracy": y, "stderr": stderr,
         "questions": 1000}
        for i, (name, row) in enumerate(accuracy.items())
        for n, y in zip(N.tolist(), row.tolist(), strict=True)
    )  # fmt: skip


def told(table: pd.DataFrame, folder: Path, *options: str) -> tuple["pd.Series[str]", list[str]]:
    """Statuses by predictor and setting in the file that the command writes, joined, and the warnings with a
    status on stderr."""
    done = forecast(table, folder, "--predictor", "all", *options)
    assert done.exit_code == 0, done.output
    found = read_forecast(folder / "f.csv").groupby(["predictor", "setting"])["status"]
    said = [line for line in done.stderr.splitlines() if any(f": {one}: " in line for one in Status)]
    return found.agg(lambda part: " ".join(sorted(set(part)))), said


ROUND = np.array([0.42, 0.42, 0.47, 0.48, 0.47, 0.45, 0.41, 0.38])
RISING = 0.6 - 0.2 * N**-0.5
FORMULAS = ["exponential", "power-law", "joint"]


def test_a_curve_that_rises_and_then_falls_is_told_of_its_setting_in_one_sentence(tmp_path: Path) -> None:
    table = curves({"up": RISING, "round": ROUND}, stderr=0.005)
    status, said = told(table, tmp_path, "--fit-max-n", "16", "--at-n", "64")
    for predictor in (*FORMULAS, "mixture"):
        assert status[predictor, "round"] == "falling"
        assert "falling" not in status[predictor, "up"]
        (line,) = (line for line in said if f" {predictor}, " in line and "falling" in line)
        assert f" {predictor}, setting round at N = 64: falling: " in line


def test_the_mixture_follows_a_falling_vote_and_does_not_call_it_falling(tmp_path: Path) -> None:
    """Half of the answers seen; at N = 16 the vote has come down from 32 % to about 10 %."""
    table = samples_of({"a": alike(0.35, 0.6)}, answers=16, seed=0)
    options = ("--predictor", "mixture", "--bootstrap", "100")
    status, _ = told(table, tmp_path, "--fit-max-n", "8", "--at-n", "1,16", *options)
    assert set(status["mixture", "a"].split()) <= {"ok", "bound_hit"}
    found = read_forecast(tmp_path / "f.csv").set_index("N")
    assert found.loc[16, "accuracy"] < 0.15
    assert found.loc[16, "low"] <= found.loc[16, "accuracy"] <= found.loc[16, "high"]


FALLING = {
    "samples": samples_of({"a": alike(0.6), "b": alike(0.45), "c": alike(0.3)}, answers=8, seed=1),
    "curves": curves({name: RISING - 0.08 * i for i, name in enumerate("abc")}, stderr=0.01),
}


@pytest.mark.parametrize("kind", FALLING)
def test_accuracy_that_falls_with_T_is_told_of_settings_beyond_and_the_mixture_follows(
    tmp_path: Path, kind: str
) -> None:
    options = ("--fit-settings", "a,b,c", "--at-n", "4", "--at-settings", "c,d=800")
    status, said = told(FALLING[kind], tmp_path, *options)
    for predictor in FORMULAS + ["low-cost-to-high"] * (kind == "samples"):
        assert status[predictor, "d"] == "falling"
        assert len([line for line in said if f" {predictor}, " in line]) == 1
    found = read_forecast(tmp_path / "f.csv").set_index(["predictor", "setting"]).loc["mixture"]
    assert found.loc["d", "status"] == "ok"
    assert found.loc["d", "predicted"] < found.loc["c", "predicted"]


def test_curves_that_no_formula_follows_are_a_poor_fit(tmp_path: Path) -> None:
    step, late = np.where(N >= 4, 0.6, 0.4), 0.4 + 0.25 / (1 + np.exp(-1.5 * (N - 9.0)))
    noise = 0.003 * np.random.default_rng(0).standard_normal(len(N))
    table = curves({"step": step + noise, "late": late + noise}, stderr=0.01)
    status, said = told(table, tmp_path, "--fit-max-n", "16", "--at-n", "32")
    for predictor in FORMULAS:
        assert set(status[predictor]) == {"poor_fit"}
        assert len([line for line in said if f" {predictor}, every forecast: poor_fit: " in line]) == 1


def test_answers_that_are_not_drawn_independently_fit_the_mixture_poorly(tmp_path: Path) -> None:
    """Of 9 answers to each question just 4 are right and 5 wrong in the same way: never a lucky majority."""
    table = samples_of({"a": alike(0.4, 0.6)}, answers=9, seed=0)
    right = table["sample"] < 4
    table = table.assign(answer=np.where(right, "0", "1"), correct=right)
    options = ("--predictor", "mixture", "--at-n", "32", "--fit-max-n", "9")
    assert told(table, tmp_path, *options)[0].tolist() == ["poor_fit"]


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

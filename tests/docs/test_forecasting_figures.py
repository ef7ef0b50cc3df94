"""Pictures of the backtests: the numbers they stand on."""

import numpy as np
import pandas as pd
import pytest

from results.figures.backtest import (
    calibration,
    calibration_figure,
    coverage_figure,
    errors_figure,
    relative_error,
    truth_figure,
)
from results.figures.theme import combined_spec


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "set": ["one", "one", "one", "two", "two"],
            "predictor": ["flat", "power-law", "mixture", "flat", "mixture"],
            "mean_error": [0.04, 0.02, 0.01, 0.03, 0.06],
            "coverage": [0.5, 0.8, 0.9, np.nan, 1.0],
            "forecasts": [10, 10, 10, 4, 4],
        }
    )


def test_errors_are_relative_to_the_best_simple_rival_of_their_set(table: pd.DataFrame) -> None:
    assert relative_error(table)["ratio"].tolist() == pytest.approx([2, 1, 0.5, 1, 2])


def test_normal_errors_with_true_intervals_are_calibrated() -> None:
    rng = np.random.default_rng(0)
    error = 0.02 * rng.standard_normal(20_000)
    rows = pd.DataFrame({"predictor": "mixture", "predicted": 0.5, "accuracy": 0.5 + error})
    rows = rows.assign(low=0.5 - 1.645 * 0.02, high=0.5 + 1.645 * 0.02)
    found = calibration(rows)
    assert found["held"].to_numpy() == pytest.approx(found["level"].to_numpy(), abs=0.015)
    narrow = calibration(rows.assign(low=0.5 - 0.02, high=0.5 + 0.02))
    assert (narrow["held"] < narrow["level"]).all()


def test_figures_can_be_drawn(table: pd.DataFrame) -> None:
    rows = pd.DataFrame(
        {
            "setting": ["1", "1", "2", "2"], "T": [1.0, 1.0, 2.0, 2.0], "N": [1, 8, 1, 8],
            "predictor": "mixture",
            "accuracy": [0.4, 0.5, 0.5, 0.6], "predicted": [0.4, 0.52, 0.5, 0.61],
            "low": [0.35, 0.45, 0.45, 0.55], "high": [0.45, 0.6, 0.55, 0.7],
        }
    )  # fmt: skip
    known = rows.assign(known=rows["N"] == 1)
    figures = [
        errors_figure(table, "errors", "Errors"),
        coverage_figure(table, "coverage", "Coverage"),
        calibration_figure(rows, "calibration", "Calibration"),
        truth_figure(rows, known, "N", "n", "Over N", ("Lines: exact.",)),
        truth_figure(rows, known, "T", "t", "Over T", ("Lines: exact.",)),
    ]
    spec = combined_spec([figures])
    assert len(spec["vconcat"][0]["hconcat"]) == 5

"""Tables for tests of the report, small enough to compute its numbers by hand.

method    setting  tokens_per_answer  N   accuracy  stderr  questions
majority  high     400                16  0.74      0.01    200
"""

import numpy as np
import pandas as pd

ACCURACY = {("low", 1): 0.50, ("low", 16): 0.62, ("high", 1): 0.70, ("high", 16): 0.74}
"""Accuracy of the vote by (setting, N); answers have 100 tokens at low and 400 at high."""


def curves(accuracy=ACCURACY, **columns):
    rows = [
        {
            "source": "llm",
            "dataset": "sums",
            "model": "m",
            "method": "majority",
            "setting": setting,
            "T": (100.0 if setting == "low" else 400.0) * 200,
            "tokens_per_answer": 100.0 if setting == "low" else 400.0,
            "N": n,
            "permutation": "exact",
            "accuracy": value,
            "stderr": 0.01,
            "questions": 200,
        }
        for (setting, n), value in accuracy.items()
    ]
    return pd.DataFrame(rows).assign(**columns)


def twin(**columns):
    return curves(**{"source": "synthetic", "dataset": "fig2b", "model": "linear", **columns})


def forecast_table(predictor, predicted, status="ok", low=None, high=None):
    """A forecast fitted to N = 1 and held out at N = 16 (measured: 0.62 at low, 0.74 at high)."""
    table = curves()
    held = (table["N"] == 16).to_numpy()
    values = np.full(4, np.nan)
    values[held] = predicted
    return table.assign(
        predictor=predictor,
        role=np.where(held, "held_out", "used"),
        predicted=values,
        low=values - 0.03 if low is None else low,
        high=values + 0.03 if high is None else high,
        status=np.where(held, status, "ok"),
    )


DIFFERENCE = {
    "dataset": "sums",
    "a": "small",
    "b": "large",
    "setting_a": "10",
    "setting_b": "10",
    "method": "majority",
    "N": 4,
    "questions": 50,
    "accuracy_a": 0.5,
    "accuracy_b": 0.58,
    "difference": 0.08,
    "low": 0.03,
    "high": 0.13,
    "stderr": 0.03,
    "p_value": 0.01,
    "cost": 40.0,
    "N_at_cost": 2.0,
    "difference_at_cost": -0.01,
    "low_at_cost": -0.05,
    "high_at_cost": 0.03,
    "gained": 6,
    "lost": 2,
    "flips": "q1",
    "questions_needed": 40.0,
    "answers_needed": None,
}
"""A row of a comparison: +8 points at N = 4 and −1 at equal cost."""

FIT = {
    "source": "llm",
    "dataset": "sums",
    "model": "m",
    "method": "majority",
    "fit": "along_n",
    "held": "10",
    "points": 5,
    "x_low": 1.0,
    "x_high": 16.0,
    "alpha": 0.7,
    "beta": -0.2,
    "rate": 0.1,
    "gap": 0.447,
    "rms": 0.003,
    "status": "falling",
    "reason": "the accuracy falls with N",
}
PLAN = [
    {
        "source": "llm",
        "dataset": "sums",
        "model": "m",
        "method": "majority",
        "predictor": "default",
        "estimator": "mixture",
        "setting": "10",
        "cost": cost,
        "N": n,
        "predicted": value,
        "low": value - 0.01,
        "high": value + 0.02,
        "new_low": value - 0.02 if n > 1 else None,
        "new_high": value + 0.03 if n > 1 else None,
        "known": "measured" if n < 4 else "forecast",
    }
    for cost, n, value in ((10.0, 1, 0.5), (20.0, 2, 0.5001), (40.0, 4, 0.7), (80.0, 8, 0.705))
]
BACKTEST = [
    {
        "predictor": name,
        "split": split,
        "dataset": "sums",
        "model": "m",
        "method": "majority",
        "setting": "10",
        "N": 8,
        "accuracy": 0.6,
        "predicted": value + more,
        "low": value - 0.02,
        "high": 0.85,
    }
    for split, more in (("0", 0), ("1", 0.02))
    for name, value in (("good", 0.61), ("bad", 0.8))
]

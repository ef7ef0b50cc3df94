"""The table of the appendix's fits: known parameters found, what cannot be fitted, the report's beside it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from predict.curves.appendix import appendix_fits
from predict.groups import Group, groups_of_curves
from results import kind_of, read_curves
from results.figures.length import fit_trends
from results.figures.panels import make_panels

CACHED = Path(__file__).parents[3] / "results" / "cached"
N = np.array([1, 2, 4, 8, 16, 32])
T = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0])
SINGLE = (0.7, 0.5, 0.6)
"""α_1, β_1, μ_1 of the curves made here."""
AT_N = {4: (0.85, 0.6, 3.0), 16: (0.92, 0.9, 5.0)}
"""N: α_N, β_N, μ_N."""


def saturating(parameters: tuple[float, float, float], x: np.ndarray) -> np.ndarray:
    alpha, beta, rate = parameters
    return np.asarray(alpha - beta * np.exp(-rate * np.asarray(x, dtype=float)))


def group(rows: dict[tuple[float, int], float], lengths: bool = True) -> Group:
    """The group of a curves table of a language model with accuracies by (T, N)."""
    frame = pd.DataFrame(
        [
            {"setting": f"{t:g}", "tokens_per_answer": t if lengths else np.nan, "N": n, "accuracy": value}
            for (t, n), value in rows.items()
        ]
    ).assign(source="llm", dataset="toy", model="m", method="majority", permutation="exact")
    (found,) = groups_of_curves(frame, "majority")
    return found


def row_of(table: pd.DataFrame, fit: str, held: str) -> dict[str, Any]:
    (row,) = table[(table["fit"] == fit) & (table["held"] == held)].to_dict("records")
    return {str(name): value for name, value in row.items()}


def parameters(row: dict[str, Any]) -> list[float]:
    return [row["alpha"], row["beta"], row["rate"]]


def test_along_t_and_along_gap_recover_what_exact_curves_were_made_of() -> None:
    single = saturating(SINGLE, T)
    rows = {(t, 1): value for t, value in zip(T, single, strict=True)}
    for n, at in AT_N.items():
        rows |= {(t, n): value for t, value in zip(T, saturating(at, single**2), strict=True)}
    table = appendix_fits(group(rows))
    assert parameters(row_of(table, "along_t", "1")) == pytest.approx(SINGLE, rel=1e-6)
    for n, at in AT_N.items():
        row = row_of(table, "along_gap", str(n))
        assert parameters(row) == pytest.approx(at, rel=1e-5)
        assert (row["x_low"], row["x_high"]) == pytest.approx((single[0] ** 2, single[-1] ** 2), rel=1e-8)
    found = table[table["fit"] != "along_n"]
    assert set(found["status"]) == {"ok"}
    assert set(found["reason"]) == {""}
    assert found["gap"].isna().all()
    assert (found["rms"] < 1e-9).all()


def test_along_n_recovers_each_setting_and_its_gap() -> None:
    delta = dict(zip(T, (0.2, 0.3, 0.45, 0.6, 0.8, 0.95), strict=True))
    made = {t: (0.6 + 0.05 * i, 0.3, delta[t] ** 2 / 2) for i, t in enumerate(T)}
    rows = {(t, int(n)): float(saturating(made[t], n)) for t in T for n in N}
    table = appendix_fits(group(rows)).query("fit == 'along_n'")
    assert list(table["held"]) == [f"{t:g}" for t in T]
    for t in T:
        row = row_of(table, "along_n", f"{t:g}")
        assert parameters(row) == pytest.approx(made[t], rel=1e-5)
        assert row["gap"] == pytest.approx(delta[t], rel=1e-5)
        assert (row["points"], row["x_low"], row["x_high"]) == (len(N), 1, 32)
    # a gap of 0.2 has done half of its work at N = 32: found from exact data, but not from any others
    assert list(table["status"]) == ["ill_conditioned"] + 5 * ["ok"]


def test_flat_and_scarce_data_have_no_parameters_and_say_why() -> None:
    scarce = appendix_fits(group({(0.8, 1): 0.4, (0.8, 2): 0.5, (1.2, 1): 0.5, (1.2, 2): 0.6}))
    assert kind_of(scarce) == "fits"
    assert set(scarce["status"]) == {"not_identifiable"}
    empty = ["alpha", "beta", "rate", "gap", "rms", "condition"]
    assert scarce[empty].isna().all(axis=None)
    assert scarce["reason"].tolist() == [
        "needs 3 different N, has 2",
        "needs 3 different N, has 2",
        "needs 3 different T, has 2",
        "there is no fit at N = 1 to read Δ_T from",
    ]
    flat = appendix_fits(group({(t, int(n)): 1.0 for t in T for n in N}))
    assert set(flat["status"]) == {"not_identifiable"}
    assert flat[empty].isna().all(axis=None)
    assert flat["reason"].iloc[0] == "all accuracies are equal, so there is no rise to fit"


def test_unknown_lengths_leave_the_fits_along_n() -> None:
    rows = {(t, int(n)): float(saturating((0.8, 0.3, 0.1), n)) for t in T for n in N}
    table = appendix_fits(group(rows, lengths=False))
    assert row_of(table, "along_t", "1")["reason"] == "needs 3 different T, has 0 (6 without a known T)"
    status = {str(fit): set(part) for fit, part in table.groupby("fit")["status"]}
    assert status["along_n"] == {"ok"}
    assert status["along_gap"] == {"not_identifiable"}


@pytest.mark.parametrize("table", ["tiny.csv", "fig2f.csv"])
def test_the_report_publishes_the_same_fits_in_the_same_units(table: str) -> None:
    frame = read_curves(CACHED / table)
    frame = frame[frame["method"] == "majority"]
    (panel,), (known,) = make_panels(frame), groups_of_curves(frame, "majority")
    fits = appendix_fits(known)
    trends = fit_trends(panel)
    assert len(trends) >= 7
    for n, fit in trends.items():
        row = row_of(fits, "along_t" if n == 1 else "along_gap", str(n))
        assert parameters(row) == pytest.approx([fit.curve.alpha, fit.curve.beta, fit.curve.rate], rel=1e-6)
        assert (row["status"], row["reason"]) == (fit.status, fit.reason)
    if table == "tiny.csv":  # T is in tokens per answer
        single = row_of(fits, "along_t", "1")
        assert (single["x_low"], single["x_high"]) == pytest.approx((8.87, 58.1), rel=1e-2)

"""Verdicts follow from the rows, intervals are right, and the quick claims come out as they should."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from synthetic.cli import cli
from synthetic.theory.claims import table as claims
from synthetic.theory.claims.table import evaluate
from synthetic.theory.verdict import Claim, Row, extreme_row, mean_row
from tests.conftest import ROOT

SHIPPED = pd.read_csv(ROOT / "results" / "cached" / "claims.csv")


def rows(*holds, value=0.0):
    return [extreme_row(f"d={i}", "slack", value, held) for i, held in enumerate(holds)]


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        ((True, True), "holds"),
        ((False, False), "fails"),
        ((False, True, True), "holds only if d=1 or d=2"),
    ],
)
def test_verdict_follows_from_the_rows(held, verdict):
    made = Claim("name", "where", lambda seed: rows(*held, value=seed))
    assert made.verdict(rows(*held)) == verdict
    table = evaluate([made], seed=7)
    assert (table["measured"] == 7).all()
    assert list(table.columns) == claims.COLUMNS
    assert (table["verdict"] == verdict).all()
    assert len(table) == len(held)


def test_interval_of_a_mean_is_its_standard_error():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    low, high = (pytest.approx(3 + sign * 1.96 * 1.080123) for sign in (-1, 1))
    assert mean_row("s", "q", values, above=0, below=6) == Row("s", "q", 3.0, low, high, True)


def test_interval_of_a_share_stays_within_zero_and_one():
    row = mean_row("s", "q", np.ones(20), above=0.8)
    assert (row.measured, row.high) == (1.0, pytest.approx(1.0))
    assert row.low == pytest.approx(20 / (20 + 1.959964**2))  # Wilson's lower end for 20 of 20
    assert row.holds


SLOW = {
    "best-of-n-beats-descent",
    "descent-overfits-and-linear-ensemble-does-not",
    "descent-risk-is-of-the-order-of-its-bound",
    "vote-and-greedy-perfect-with-many-examples",
    "vote-tends-to-one-with-one-example",
    "vote-beats-greedy-with-few-examples",
}


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.integration] if one.name in SLOW else [])
        for one in claims.CLAIMS
    ],
)
def test_claims_are_checked_to_the_rows_that_ship(one):
    again, shipped = evaluate([one], seed=0), SHIPPED[SHIPPED["claim"] == one.name].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, shipped, rtol=1e-6, atol=1e-9)


def test_a_second_implementation_found_the_same():
    """Its numbers, from other tasks, are within two standard errors of ours."""
    lead, recovery = "vote-beats-greedy-with-few-examples", "recovery-exponential-in-examples"
    known = SHIPPED.set_index(["claim", "setting"])
    for claim, setting, value, stderr in (
        (lead, "fig1-binary", 0.042, 0.007), (lead, "fig1-binary step=1/16", 0.129, 0.008),
        ("the-vote-gains-with-length", "fig1-binary", 0.0065, 0.0006), (recovery, "fig2e n=20 t=1", 0.25, 0),
        (recovery, "fig2e n=30 t=1", 0.069, 0), (recovery, "fig2e n=40 t=1", 0.018, 0),
    ):  # fmt: skip
        row = known.loc[claim, setting]
        assert abs(row["measured"] - value) < 2 * np.hypot((row["high"] - row["low"]) / (2 * 1.96), stderr)


def test_every_claim_ships():
    assert list(SHIPPED["claim"].unique()) == [one.name for one in claims.CLAIMS]


def test_claims_command_writes_the_table(tmp_path, monkeypatch):
    chosen = [one for one in claims.CLAIMS if one.name == "gap-above-its-lower-bound"]
    monkeypatch.setattr(claims, "CLAIMS", chosen)
    out = tmp_path / "claims.csv"
    result = CliRunner().invoke(cli, ["claims", "--out", str(out)], standalone_mode=False)
    assert result.exception is None
    assert "gap-above-its-lower-bound: holds" in result.output
    assert list(pd.read_csv(out).columns) == claims.COLUMNS

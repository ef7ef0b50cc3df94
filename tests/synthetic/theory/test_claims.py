"""Verdicts follow from the rows, intervals are right, and the quick claims come out as they should."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from synthetic.cli import cli
from synthetic.theory.claims import continuous as claims_continuous
from synthetic.theory.claims import table as claims
from synthetic.theory.claims.table import evaluate
from synthetic.theory.verdict import Claim, Row, extreme_row, mean_row


def rows(*holds):
    return [extreme_row(f"d={i}", "slack", 0.0, held) for i, held in enumerate(holds)]


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        ((True, True), "holds"),
        ((False, False), "fails"),
        ((False, True, True), "holds only if d=1 or d=2"),
    ],
)
def test_verdict_follows_from_the_rows(held, verdict):
    claim = Claim("name", "where", lambda _: rows(*held))
    assert claim.verdict(rows(*held)) == verdict
    table = evaluate([claim], seed=0)
    assert list(table.columns) == claims.COLUMNS
    assert (table["verdict"] == verdict).all()
    assert len(table) == len(held)


def test_interval_of_a_mean_is_its_standard_error():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    row = mean_row("s", "q", values, lambda low, high: low < 3 < high)
    assert row == Row(
        "s", "q", 3.0, pytest.approx(3 - 1.96 * 1.080123), pytest.approx(3 + 1.96 * 1.080123), True
    )


def test_interval_of_a_share_stays_within_zero_and_one():
    row = mean_row("s", "q", np.ones(20), lambda low, _: low > 0.8)
    assert (row.measured, row.high) == (1.0, pytest.approx(1.0))
    assert row.low == pytest.approx(20 / (20 + 1.96**2))  # Wilson's lower end for 20 of 20
    assert row.holds


def test_every_claim_has_its_own_name_and_a_place_in_the_paper():
    everything = claims.all_claims()
    assert len({claim.name for claim in everything}) == len(everything) >= 10
    assert all(claim.where for claim in everything)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("vote-above-its-exponential-bound", "holds"),
        ("gap-above-its-lower-bound", "holds"),
        ("ensemble-linear-noise-beats-descent", "holds only if sigma_eps ≥ 2 with step_rule=eta"),
        ("a-longer-path-is-more-often-right", "holds only if fig2e or fig2f or fig2g or fig2h step=1/5"),
    ],
)
def test_quick_claims_come_out_as_reported(name, verdict, monkeypatch):
    monkeypatch.setattr(claims_continuous, "TASKS", 8)
    chosen = [claim for claim in claims.all_claims() if claim.name == name]
    assert set(evaluate(chosen, seed=0)["verdict"]) == {verdict}


def test_claims_command_writes_the_table(tmp_path, monkeypatch):
    chosen = [claim for claim in claims.all_claims() if claim.name == "gap-above-its-lower-bound"]
    monkeypatch.setattr(claims, "all_claims", lambda: chosen)
    out = tmp_path / "claims.csv"
    result = CliRunner().invoke(cli, ["claims", "--out", str(out)], standalone_mode=False)
    assert result.exception is None
    assert "gap-above-its-lower-bound: holds" in result.output
    assert list(pd.read_csv(out).columns) == claims.COLUMNS

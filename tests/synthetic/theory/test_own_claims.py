"""Claims at settings of one's own: as in the paper's table where the settings are the same."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from results import BadInput
from results.tables.contract import kind_of
from synthetic.cli import cli
from synthetic.theory.claims.claims_table import CLAIMS, claims_at, evaluate
from tests.conftest import ROOT

SHIPPED = pd.read_csv(ROOT / "results" / "cached" / "claims.csv")
MEASURED = ["measured", "low", "high"]


def of(name, claims):
    return evaluate([claim for claim in claims if claim.name == name], seed=0)


def asked(*words, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what is left out
        return claims_at(*words, **options)


def test_ensembles_under_linear_noise_are_those_of_the_table_for_many_paths():
    """In the table N → ∞."""
    name = "ensemble-linear-noise-beats-descent"
    changes = ["sigma=2", "sigma_eps=2", "step_rule=eta"]
    table = of(name, asked("fig2b", changes, (950,), (100_000,), tasks=20)[:1])
    told = SHIPPED.query("claim == @name and setting == 'sigma_eps=2 step_rule=eta'")
    np.testing.assert_allclose(table[MEASURED].iloc[0], told[MEASURED].iloc[0], atol=1e-3)


def test_changes_reach_the_rows():
    claims = asked("fig2h", ["sigma_eps=0.1,2"], (1, 8), (1, 4, 16, 64), tasks=4)
    table = of("a-longer-path-is-more-often-right", claims)
    assert len(table) == 4
    assert table["quantity"].unique().tolist() == ["P(path right) at t=8 less t=1"]
    noisy = table["setting"].str.endswith("sigma_eps=2")
    assert noisy.sum() == 2
    assert table.loc[noisy, "measured"].max() < table.loc[~noisy, "measured"].min()


def test_a_bound_outside_of_its_theorem_is_left_out_and_inside_it_holds():
    with pytest.warns(UserWarning, match="gap-above-its-lower-bound.*n=4"):
        small = claims_at("fig1-binary", ["eta=0.25"], (2,), (4,), tasks=1)
    assert "gap-above-its-lower-bound" not in {claim.name for claim in small}
    inside = asked("fig2f", ["n=2000", "d=5", "eta=0.0005", "sigma_eps=0.1"], (1, 4, 16), (4,), tasks=1)
    (row,) = of("gap-above-its-lower-bound", inside).itertuples()
    assert row.verdict == "holds"


@pytest.mark.parametrize(
    ("claim", "panel", "options"),
    [
        ("the-vote-gains-with-length", "fig2h", {"steps": (8,)}),
        ("accuracy-exponential-in-votes", "fig2h", {"n": (1, 256)}),
        ("ensemble-linear-noise-beats-descent", "fig2a", {}),
        ("best-of-n-beats-descent", "fig2d", {"n": (1, 1024)}),
    ],
)
def test_what_cannot_be_asked_is_left_out_with_its_reason(claim, panel, options):
    with pytest.warns(UserWarning, match=claim):
        assert claim not in {one.name for one in claims_at(panel, **options)}


def test_names_are_those_of_the_table():
    names = {claim.name for panel in ("fig2f", "fig2b") for claim in asked(panel)}
    assert names <= {claim.name for claim in CLAIMS}


@pytest.mark.parametrize(
    ("words", "changes"), [(("nope",), []), (("fig2h",), ["d=zero"]), (("fig2a",), ["noise=dropout"])]
)
def test_what_is_unknown_is_refused(words, changes):
    with pytest.raises(BadInput, match="expected"):
        claims_at(*words, changes)


def test_the_command_writes_a_table_of_claims(tmp_path):
    out = tmp_path / "mine.csv"
    words = ["claims", "fig2h", "--set", "sigma_eps=1", "--steps", "1,4", "--n", "1,4", "--tasks", "2"]
    result = CliRunner().invoke(cli, [*words, "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert kind_of(out) == "claims"
    alone = CliRunner().invoke(cli, ["claims", "--set", "d=5", "--out", str(tmp_path / "no.csv")])
    assert alone.exit_code == 2
    assert "NAME" in alone.output
    assert not (tmp_path / "no.csv").exists()

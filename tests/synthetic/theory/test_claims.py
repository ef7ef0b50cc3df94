"""Verdicts and intervals of claims, the shipped table, claims at user-chosen settings, and Algorithm 3."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from predict.curves.algorithm_3 import low_cost_to_high
from predict.evidence.points import Points
from results import BadInput
from results.normal import Interval
from results.tables.contract import kind_of
from synthetic.cli import cli
from synthetic.panels.experiments import VOTES
from synthetic.theory.claim import Claim, ClaimRow, fitted_row, mean_row, outcome_of
from synthetic.theory.claims import claims_table as claims
from synthetic.theory.claims.claims_table import CLAIMS, claims_at, evaluate
from synthetic.theory.claims.low_cost import LENGTHS, LOW_COST_CLAIMS, STEPS, forecast_error
from tests.conftest import ROOT

SHIPPED = pd.read_csv(ROOT / "results" / "cached" / "claims.csv").fillna({"sentence": ""})
MEASURED = ["measured", "low", "high"]


def rows(*outcomes, value=0.0):
    return [ClaimRow(f"d={i}", "slack", value, value, value, outcome) for i, outcome in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        (("holds", "holds"), "holds"),
        (("fails", "fails"), "fails"),
        (("fails", "holds", "holds"), "holds only at d=1 and d=2"),
        (("undecided", "undecided"), "undecided"),
        (("holds", "undecided", "undecided"), "undecided at d=1 and d=2"),
        (("fails", "undecided"), "fails; undecided at d=1"),
        (("fails", "holds", "undecided"), "holds only at d=1; undecided at d=2"),
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
    assert table["outcome"].tolist() == list(held)
    assert table["holds"].tolist() == [one == "holds" for one in held]


def test_a_setting_is_as_good_as_the_worst_of_its_rows():
    for outcome, verdict in (("holds", "holds"), ("undecided", "undecided"), ("fails", "fails")):
        pair = [ClaimRow("d=1", "one", 0, 0, 0, "holds"), ClaimRow("d=1", "other", 0, 0, 0, outcome)]
        assert Claim.verdict(pair) == Claim.verdict(pair[::-1]) == verdict


@pytest.mark.parametrize(
    ("above", "below", "outcome"),
    [
        (0.0, np.inf, "holds"),
        (0.1, np.inf, "undecided"),
        (0.15, np.inf, "undecided"),
        (0.2, np.inf, "fails"),
        (0.3, np.inf, "fails"),
        (-np.inf, 0.3, "holds"),
        (-np.inf, 0.15, "undecided"),
        (-np.inf, 0.1, "fails"),
        (0.0, 0.15, "undecided"),
        (0.0, 0.05, "fails"),
    ],
)
def test_what_the_interval_holds_is_undecided(above, below, outcome):
    assert outcome_of(Interval(0.1, 0.2, 0.95), above, below) == outcome


def test_the_shipped_verdicts_follow_from_the_shipped_intervals():
    """A claim is decided only if its interval excludes doubt; every estimate lies in its interval."""
    assert ((SHIPPED["low"] <= SHIPPED["measured"]) & (SHIPPED["measured"] <= SHIPPED["high"])).all()
    zero = SHIPPED[
        SHIPPED["quantity"].isin(["vote of 256 at t=50 less t=3", "P(path right) at t=50 less t=1"])
    ]
    for row in zero.itertuples():
        said = "holds" if row.low > 0 else "fails" if row.high <= 0 else "undecided"
        assert row.outcome == said
    assert (SHIPPED["holds"] == (SHIPPED["outcome"] == "holds")).all()


def test_interval_of_a_mean_is_its_standard_error():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    low, high = stats.t.interval(0.95, 3, loc=3, scale=values.std(ddof=1) / 2)
    row = mean_row("s", "q", values, above=low - 0.1, below=high + 0.1)
    assert row == ClaimRow("s", "q", 3.0, pytest.approx(low), pytest.approx(high), "holds")


def test_the_interval_of_a_fitted_number_holds_it_as_often_as_it_says():
    """A ratio of two means, both 1, from skewed tasks; every interval contains its own estimate."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(1000):
        one, other = rng.exponential(size=(2, 100))
        row = fitted_row("s", "q", lambda below, above: above / below, one, (one + other) / 2)
        assert row.low <= row.measured <= row.high
        held += row.low <= 1 <= row.high
    assert 930 <= held <= 970


def test_fitted_to_a_mean_it_is_the_interval_of_the_mean():
    """With one task per group the jackknife equals Student's t."""
    values = np.random.default_rng(2).exponential(size=20)
    row = fitted_row("s", "q", lambda mean: mean, values, above=0)
    expected = mean_row("s", "q", values, above=0)
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))
    assert row.outcome == "holds"


def test_a_number_that_jumps_with_the_tasks_is_undecided_within_its_range():
    row = fitted_row("s", "q", lambda mean: float(mean > 0) / 2, np.eye(20)[0], below=0.6, most=1)
    assert (row.low, row.high) == (0, 1)
    assert row.outcome == "undecided"
    assert fitted_row("s", "q", lambda _: np.nan, np.ones(20), above=0).outcome == "undecided"


def test_interval_of_a_share_stays_within_zero_and_one():
    row = mean_row("s", "q", np.ones(20), above=0.8)
    assert (row.measured, row.high) == (1.0, pytest.approx(1.0))
    assert row.low == pytest.approx(20 / (20 + 1.959964**2))  # Wilson's lower end for 20 of 20
    assert row.outcome == "holds"


SLOW = {
    *(one.name for one in LOW_COST_CLAIMS),
    "accuracy-exponential-in-votes",
    "best-of-n-beats-descent",
    "best-of-n-is-an-upper-bound",
    "descent-overfits-and-linear-ensemble-does-not",
    "descent-risk-within-its-bound",
    "the-vote-gains-with-length",
    "vote-and-greedy-perfect-with-many-examples",
    "vote-tends-to-one-with-one-example",
    "vote-beats-greedy-with-few-examples",
}


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.release] if one.name in SLOW else [])
        for one in CLAIMS
    ],
)
def test_claims_are_checked_to_the_rows_that_ship(one):
    again, shipped = evaluate([one], seed=0), SHIPPED[SHIPPED["claim"] == one.name].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, shipped, rtol=1e-6, atol=1e-9)


def test_a_second_implementation_found_the_same():
    """Results of an independent implementation on other tasks are within two standard errors of ours."""
    lead, recovery = "vote-beats-greedy-with-few-examples", "recovery-exponential-in-examples"
    known = SHIPPED.set_index(["claim", "setting"])
    for claim, setting, value, stderr in (
        (lead, "fig1-binary", 0.042, 0.007),
        (lead, "fig1-binary step=1/16", 0.129, 0.008),
        ("the-vote-gains-with-length", "fig1-binary", 0.0065, 0.0006),
        (recovery, "fig2e n=20 t=1", 0.25, 0),
        (recovery, "fig2e n=30 t=1", 0.069, 0),
        (recovery, "fig2e n=40 t=1", 0.018, 0),
    ):
        row = known.loc[claim, setting]
        assert abs(row["measured"] - value) < 2 * np.hypot((row["high"] - row["low"]) / (2 * 1.96), stderr)


def test_every_claim_ships():
    assert list(SHIPPED["claim"].unique()) == [one.name for one in CLAIMS]


def of(name, claims):
    return evaluate([claim for claim in claims if claim.name == name], seed=0)


def asked(*words, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about what is left out
        return claims_at(*words, **options)


def test_ensembles_under_linear_noise_are_those_of_the_table_for_many_paths():
    """The table has N → ∞."""
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
    with pytest.warns(UserWarning, match=r"give --steps \(fig2h step=1, fig2h step=1/5\)"):
        claims_at("fig2h", steps=(8,))
    inside = asked("fig2f", ["n=2000", "d=5", "eta=0.0005", "sigma_eps=0.1"], (1, 4, 16), (4,), tasks=1)
    (row,) = of("gap-above-its-lower-bound", inside).itertuples()
    assert row.verdict == "holds"


@pytest.mark.parametrize(
    ("claim", "panel", "options"),
    [
        ("the-vote-gains-with-length", "fig2h", {"steps": (8,)}),
        ("a-longer-path-has-less-risk", "fig2a", {"steps": (8,)}),
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
    with pytest.raises(BadInput, match="tasks=0"):
        claims_at("fig2h", tasks=0)


@pytest.mark.parametrize(
    "words", [(), ("fig2h", "--set", "sigma_eps=1", "--steps", "1,4", "--n", "1,4", "--tasks", "2")]
)
def test_the_command_writes_a_table_of_claims(tmp_path, monkeypatch, words):
    if not words:
        quick = [one for one in CLAIMS if one.name == "gap-above-its-lower-bound"]
        monkeypatch.setattr(claims, "CLAIMS", quick)
    out = tmp_path / "claims.csv"
    result = CliRunner().invoke(cli, ["claims", *words, "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert words or "gap-above-its-lower-bound: holds" in result.output
    assert kind_of(out) == "claims"
    assert list(pd.read_csv(out).columns) == claims.COLUMNS


@pytest.mark.parametrize("option", ["--set=d=5", "--tasks=0"])
def test_the_command_changes_a_named_panel_alone(tmp_path, option):
    alone = CliRunner().invoke(cli, ["claims", option, "--out", str(tmp_path / "no.csv")])
    assert alone.exit_code == 2
    assert "NAME" in alone.output
    assert not (tmp_path / "no.csv").exists()


N = np.array(VOTES)


def votes(level):
    """Curves close to the paper's form, at STEPS and VOTES."""
    gap = 0.55 - 0.4 * np.exp(-0.3 * np.array(STEPS))[:, None]
    return level - 0.4 * np.exp(-(gap**2) * N / 2) - 0.02 * np.log2(N) / (1 + np.array(STEPS)[:, None])


@pytest.mark.parametrize("up_to", [16, 256])
@pytest.mark.parametrize("seen", [4, 6])
def test_the_error_of_algorithm_3_is_that_of_the_predictor(seen, up_to):
    curves = votes(0.95)
    steps, counts = (one.ravel() for one in np.meshgrid(LENGTHS, N, indexing="ij"))
    accuracy = curves[steps - 1, np.searchsorted(N, counts)]
    points = Points(steps.astype(str), steps.astype(float), counts)
    used, asked = (steps <= LENGTHS[seen - 1]) & (counts <= up_to), steps > LENGTHS[seen - 1]
    found = low_cost_to_high(points[used], accuracy[None, used], points[asked])
    expected = np.abs(found.mean[0] - accuracy[asked]).mean()
    assert forecast_error(curves, seen, up_to) == pytest.approx(expected, abs=1e-12)
    assert 0 < expected < 1


def test_a_forecast_beyond_all_bounds_counts_as_one():
    """Accuracy rises while observed, then falls. Without the bound, the mean error would be 1.28."""
    T = np.array(STEPS)[:, None]
    level = 0.3 + 0.1 * T * (T <= 4)
    curves = level - 0.2 * np.exp(-((0.2 + 0.001 * T) ** 2) * N / 2)
    assert 0.5 < forecast_error(curves, 4, 16) < 1

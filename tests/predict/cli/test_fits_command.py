"""`predict fits`: one row per fit, recovered parameters, and agreement with the report's fits."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.cli.fits import appendix_fits
from predict.evidence.groups import groups_of_curves
from results import kind_of, read_curves
from results.summary.panels import fit_trends, make_panels
from results.votes.curves import build_curves
from tests.predict.commands import predict
from tests.predict.conftest import simulated_samples

CACHED = Path(__file__).parents[3] / "results" / "cached"
T = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0])
MADE = {1: (0.7, 0.5, 0.6), 4: (0.85, 0.6, 3.0), 16: (0.92, 0.9, 5.0)}
"""N: α_N, β_N, μ_N."""
PARAMETERS = ["alpha", "beta", "rate"]


def curves(**columns: object) -> pd.DataFrame:
    """Curves along T at N = 1, and along the squared gap at N = 4 and 16."""
    rows, gap = [], np.zeros(0)
    for n, (alpha, beta, rate) in MADE.items():
        y = alpha - beta * np.exp(-rate * (T if n == 1 else gap**2))
        gap = y if n == 1 else gap
        rows += [(f"{t:g}", 1000 * t, n, a) for t, a in zip(T, y, strict=True)]
    frame = pd.DataFrame(rows, columns=["setting", "tokens_per_answer", "N", "accuracy"])
    frame = frame.assign(source="llm", dataset="toy", model="m", method="majority", permutation="exact")
    return frame.assign(**{"T": 100 * frame["tokens_per_answer"], "questions": 100, **columns})


def test_curves_give_back_what_they_were_made_of(tmp_path: Path) -> None:
    curves().to_csv(tmp_path / "c.csv", index=False)
    done = predict("fits", tmp_path / "c.csv", "--out", tmp_path / "fits.jsonl")
    assert done.exit_code == 0, done.output
    table = pd.read_json(tmp_path / "fits.jsonl", lines=True, dtype={"held": str})
    assert kind_of(table) == "fits"
    assert table["fit"].tolist() == 6 * ["along_n"] + ["along_t", "along_gap", "along_gap"]
    found = table[6:].set_index("held")
    per_token = np.array([1, 1, 1e-3])  # μ_1 is per token
    assert found.loc["1", PARAMETERS].tolist() == pytest.approx(MADE[1] * per_token, rel=1e-5)
    for n in (4, 16):
        assert found.loc[str(n), PARAMETERS].tolist() == pytest.approx(MADE[n], rel=1e-4)
    assert found.loc["1", ["points", "x_low", "x_high"]].tolist() == [6, 800, 4000]
    assert set(found["status"]) == {"ok"}
    assert found["reason"].fillna("").eq("").all()


@pytest.mark.parametrize(
    ("table", "kinds", "why"),
    [
        (curves().query("N < 16"), {"along_n"}, "different N"),
        (curves(tokens_per_answer=np.nan, T=np.nan), {"along_t", "along_gap"}, "T"),
        (curves(accuracy=1.0), {"along_n", "along_t", "along_gap"}, ""),
    ],
    ids=["two N", "no lengths", "all right"],
)
def test_what_cannot_be_fitted_has_no_parameters_and_a_reason(
    table: pd.DataFrame, kinds: set[str], why: str
) -> None:
    fits = appendix_fits(groups_of_curves(table, "majority")[0])
    none = fits["status"] == "not_identifiable"
    assert set(fits[none]["fit"]) == kinds
    assert fits.loc[none, [*PARAMETERS, "gap", "rms", "condition"]].isna().all(axis=None)
    assert fits[none]["reason"].str.contains(why).all()
    assert (fits[none]["reason"] != "").all()


@pytest.mark.parametrize(("method", "status"), [("majority", "bound_hit"), ("best_of_n", "ok")])
def test_only_a_vote_has_a_gap_that_cannot_be_above_1(method: str, status: str) -> None:
    """The rate along N is 0.8, and Δ = √(2 · 0.8) of a vote is above 1."""
    n = np.array([1, 2, 3, 4, 6, 8])
    rows = pd.DataFrame({"N": n, "accuracy": 0.95 - 0.5 * np.exp(-0.8 * n)})
    table = curves(method=method).iloc[[0] * 6].reset_index(drop=True).assign(**rows)
    (fit, *_) = appendix_fits(groups_of_curves(table, method)[0]).to_dict("records")
    assert (fit["fit"], fit["status"]) == ("along_n", status)


@pytest.mark.parametrize("table", ["tiny.csv", "fig2f.csv"])
def test_the_report_publishes_the_same_fits_in_the_same_units(table: str) -> None:
    frame = read_curves(CACHED / table)
    frame = frame[frame["method"] == "majority"]
    (panel,), (known,) = make_panels(frame), groups_of_curves(frame, "majority")
    fits = appendix_fits(known).set_index(["fit", "held"])
    trends = fit_trends(panel)
    assert len(trends) >= 7
    for n, fit in trends.items():
        row = fits.loc["along_t" if n == 1 else "along_gap", str(n)]
        assert [row[name] for name in PARAMETERS] == pytest.approx(
            [getattr(fit.curve, name) for name in PARAMETERS], rel=1e-6
        )
        assert (row["status"], row["reason"]) == (fit.status, fit.reason)
    if table == "tiny.csv":  # T is in tokens per answer
        assert fits.loc["along_t", "1"][["x_low", "x_high"]].tolist() == pytest.approx([8.87, 58.1], rel=1e-2)


@pytest.mark.parametrize(("asked", "method"), [((), "best_of_n"), (("--method", "majority"), "majority")])
@pytest.mark.parametrize("curves", [False, True])
def test_verdicts_do_not_vote_unless_that_is_asked_for(
    tmp_path: Path, curves: bool, asked: tuple[str, ...], method: str
) -> None:
    """Alongside answers that can be voted on, from samples and from their curves."""
    answers = simulated_samples(6, 4, ("40",)).assign(model="n")
    words = answers["correct"].map({True: "yes", False: "no"})
    verdicts = answers.assign(model="m", answer=words, gold=None)
    table = pd.concat([answers, verdicts])
    if curves:
        table = build_curves(table, ["majority", "best_of_n"] if asked else None, permutations=0)
    table.to_csv(tmp_path / "s.csv", index=False)
    done = predict("fits", tmp_path / "s.csv", *asked, "--out", tmp_path / "fits.csv")
    assert done.exit_code == 0, done.output
    found = pd.read_csv(tmp_path / "fits.csv")
    assert {*zip(found["model"], found["method"], strict=True)} == {("n", "majority"), ("m", method)}

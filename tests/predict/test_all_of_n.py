"""Forecasts of all-of-N (pass^k): with a known law, as the complement of best-of-N, and refusals."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaln

from predict.library import forecast, plan
from results import BadInput, build_curves
from tests.predict import commands


def samples(rates: np.ndarray, answers: int, seed: int) -> pd.DataFrame:
    """Answers to questions with these rates of right ones; a tenth of the others is unreadable."""
    rng = np.random.default_rng(seed)
    right = rng.random((len(rates), answers)) < rates[:, None]
    wrong = np.where(rng.random(right.shape) < 0.1, None, rng.integers(2, 5, right.shape).astype(str))
    rows = [
        (f"q{q}", i, "1" if right[q, i] else wrong[q, i], right[q, i])
        for q in range(len(rates))
        for i in range(answers)
    ]
    table = pd.DataFrame(rows, columns=["question_id", "sample", "answer", "correct"])
    return table.assign(dataset="d", model="m", setting="s", decoding="sample", source="llm", tokens=10.0)


def all_of(N: np.ndarray, a: float, b: float) -> np.ndarray:
    """E p^N for p ~ Beta(a, b)."""
    return np.exp(betaln(a + N, b) - betaln(a, b))


@pytest.mark.parametrize(("a", "b"), [(2.0, 1.0), (6.0, 2.0)])
def test_a_law_that_is_known(a: float, b: float) -> None:
    """Both from answers and from the curve alone; the mean over new questions is the beta law's."""
    rates = np.random.default_rng(0).beta(a, b, 300)
    ns = np.array([16, 32])
    found = forecast(
        samples(rates, 8, 1), at_n=ns.tolist(), method="all_of_n", predictor="default,question-law"
    )
    assert found["status"].eq("ok").all()
    for _, rows in found.groupby("predictor"):
        these = (rates[:, None] ** ns).mean(axis=0)
        assert rows["low"].le(these).all()
        assert rows["high"].ge(these).all()
        assert rows["new_low"].le(all_of(ns, a, b)).all()
        assert rows["new_high"].ge(all_of(ns, a, b)).all()
        assert np.abs(rows["predicted"] - these).max() < 0.03


@pytest.mark.parametrize("predictor", ["mixture", "question-law", "flat", "power-law"])
def test_it_is_what_best_of_n_of_the_others_leaves(predictor: str) -> None:
    """Two settings of different lengths and a third without answers, with some unreadable answers."""
    rng = np.random.default_rng(2)
    rates = rng.beta(2, 2, 40)
    short = samples(rates, 8, 3)
    long = samples(rates**0.5, 8, 4).assign(setting="t", tokens=30.0)
    given = pd.concat([short, long])
    turned = given.assign(
        correct=~given["correct"], answer=np.where(given["correct"], "x", given["answer"].fillna("none"))
    )
    asked = {"at_n": [4, 16], "at_settings": ["s", "t", "u=60"], "predictor": predictor, "replicates": 100}
    ours = forecast(given, method="all_of_n", **asked)
    others = forecast(turned, method="best_of_n", **asked)
    assert ours["setting"].tolist() == others["setting"].tolist()
    assert ours["status"].tolist() == others["status"].tolist()
    for column, other in (("predicted", "predicted"), ("low", "high"), ("new_high", "new_low")):
        np.testing.assert_allclose(ours[column], 1 - others[other], atol=1e-12)


def test_from_curves_and_where_there_is_none(tmp_path: Path) -> None:
    given = samples(np.linspace(0.1, 0.9, 30), 8, 5)
    curves = build_curves(given, ["all_of_n"], permutations=0)
    done = commands.forecast(curves, tmp_path, "--method", "all_of_n", "--at-n", "16")
    assert (done.exit_code, "\n1 row in " in done.output) == (0, True), done.output
    with pytest.raises(BadInput, match="fit-cap"):
        forecast(given, method="all_of_n", fit_cap=5, at_caps=[10])
    with pytest.raises(BadInput, match="all_of_n"):
        plan(given, token_budget=100, method="all_of_n")

"""The figure of the trained models shows what was measured: every point is a row of the curves table."""

import numpy as np
import pytest

from results import read_curves
from studies.trained.examination import BLIND, TUNED
from studies.trained.figure import page
from studies.trained.layer import Layer, gradient_layer
from studies.trained.lessons import BINARY, EXAMPLES, FEW_DIMENSIONS, LINEAR, SOFTMAX, TRAINED_LENGTH
from studies.trained.weights import SHIPPED, read_weights
from tests.conftest import ROOT

DIGITS = 6e-5
"""Numbers are drawn with four decimals."""
CURVES = read_curves(ROOT / "studies" / "twin" / "trained.parquet")


@pytest.fixture(scope="module")
def drawn():
    """The rows of every dataset in the figure."""
    return list(page(CURVES, read_weights(SHIPPED))["datasets"].values())


def test_each_panel_has_one_path_and_the_largest_vote_of_every_model(drawn):
    panels = [rows for rows in drawn if "accuracy" in rows[0]]
    assert len(panels) == len(BINARY)
    for dataset, rows in zip(BINARY, panels, strict=True):
        known = CURVES[(CURVES["dataset"] == dataset) & (CURVES["method"] == "majority")]
        known = known[known["N"].isin([1, 64])].set_index(["model", "T", "N"])["accuracy"]
        found = {(row["model"], row["T"], row["N"]): row["accuracy"] for row in rows}
        models = {model for model, _, _ in found}
        assert found == pytest.approx(known[known.index.isin(models, level="model")].to_dict(), abs=DIGITS)
        assert sum(LINEAR in model for model in models) == 2


def test_risks_are_those_of_the_looped_and_the_one_step_models(drawn):
    (rows,) = [rows for rows in drawn if "risk" in rows[0] and "n" in rows[0]]
    risk = CURVES.set_index(["dataset", "model", "T"])["risk"]
    for row in rows:
        n, kind = row["n"], row["line"]
        expected = {
            "one step, best possible": 5 * 6 / (n + 6),
            "one step, trained": risk[f"continuous d=5 n={n}", f"{LINEAR} one-step", 1],
            "chain of thought, trained": risk[f"continuous d=5 n={n}", f"{LINEAR} loop", TRAINED_LENGTH],
        }
        assert row["risk"] == pytest.approx(expected[kind], abs=DIGITS)
    assert {row["n"] for row in rows} == set(EXAMPLES)


def test_squares_are_the_learned_weights_beside_the_papers(drawn):
    """The 5 rows of w in V above W's columns of w and the flag, written as rows; 14 squares to the right."""
    (cells,) = [rows for rows in drawn if "value" in rows[0]]
    shown = {(cell["x"], cell["y"]): cell["value"] for cell in cells}
    learned = Layer(**read_weights(SHIPPED)[FEW_DIMENSIONS, f"{LINEAR} loop"]).normalised()
    for x, layer in ((0, learned), (14, gradient_layer(5, np.mean(learned.step_sizes())))):
        found = np.array(
            [[shown[x + column, y] for column in range(12)] for y in (*range(1, 6), *range(10, 16))]
        )
        np.testing.assert_allclose(found, np.vstack([layer.value, layer.key_query.T]), atol=DIGITS)
    assert len(cells) == 2 * 11 * 12


def test_risks_against_t_are_those_of_every_model_of_five_dimensions(drawn):
    (rows,) = [rows for rows in drawn if "risk" in rows[0] and "T" in rows[0]]
    known = CURVES[(CURVES["dataset"] == FEW_DIMENSIONS) & CURVES["risk"].between(1e-4, 20)]
    assert {(row["model"], row["T"]): row["risk"] for row in rows} == pytest.approx(
        known.set_index(["model", "T"])["risk"].to_dict(), abs=DIGITS
    )
    names = dict(sorted({(row["model"], row["line"]) for row in rows}))
    assert names[BLIND].endswith("blind to its own thoughts")
    assert names[f"{LINEAR} one-step"] == "trained for one step"
    assert "fixed step" in names[TUNED]
    assert "softmax" in names[f"{SOFTMAX} loop"]

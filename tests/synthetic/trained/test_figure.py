"""The picture of the trained models shows what was measured: every point is a row of the curves table."""

import numpy as np
import pytest

from results import read_curves
from synthetic.trained.figure import page
from synthetic.trained.layer import Layer
from synthetic.trained.lessons import BINARY, EXAMPLES, FEW_DIMENSIONS, LINEAR, TRAINED_LENGTH
from synthetic.trained.weights import SHIPPED, read_weights
from tests.conftest import ROOT

DIGITS = 6e-5
"""Numbers are drawn with four decimals."""
CURVES = read_curves(ROOT / "docs" / "twin" / "trained.parquet")


@pytest.fixture(scope="module")
def drawn():
    """The rows of every dataset of the picture."""
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


def test_squares_are_the_learned_weights(drawn):
    (cells,) = [rows for rows in drawn if "value" in rows[0]]
    layer = Layer(**read_weights(SHIPPED)[FEW_DIMENSIONS, f"{LINEAR} loop"]).normalised()
    shown = np.sort([cell["value"] for cell in cells if cell["x"] < 2 * layer.d + 2])
    np.testing.assert_allclose(shown, np.sort(np.append(layer.value, layer.key_query)), atol=DIGITS)

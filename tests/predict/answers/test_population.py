"""Which of the two fits describes a setting: the one under which its answers are likelier."""

import numpy as np
import pytest

from predict.answers.population import fit_population
from predict.answers.prior import (
    RIDGE,
    RIDGE_OF_ALIKE,
    RIDGE_OF_MORE,
    base,
    features,
    more_features,
    shape_features,
)
from predict.answers.weights import PenalisedLikelihood, fit_weights
from tests.predict.answers.pools import drawn_pool, pool_of

KINDS = {"mixed": RIDGE, "alike but for some": RIDGE_OF_MORE, "alike": RIDGE_OF_ALIKE}


@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_of_larger_evidence_is_taken(kind: str) -> None:
    """Questions that are alike bring the weights to a point; where a tenth of them is not, the features of
    "the right answer leads" do better; 40 mixed ones need neither."""
    rng = np.random.default_rng(1)
    raw = rng.choice(5, (200, 8), p=[0.45, 0.35, 0.1, 0.05, 0.05])
    if kind == "alike but for some":
        raw[:20] = 0
    counts = (drawn_pool(40, 8, rng) if kind == "mixed" else pool_of(raw)).answers.counts()
    found = fit_population(counts)
    ways = {RIDGE: features(), RIDGE_OF_MORE: more_features(), RIDGE_OF_ALIKE: shape_features()}
    evidence = {
        ridge: fit_weights(PenalisedLikelihood(found.likelihood, found.times, base(), F, ridge)).log_evidence
        for ridge, F in ways.items()
    }
    assert found.fit.log_evidence == pytest.approx(max(evidence.values()))
    assert found.fit.problem.ridge == KINDS[kind], evidence


@pytest.mark.parametrize("ridge", [0.5, 2.0])
def test_the_evidence_is_the_likelihood_averaged_over_the_prior(ridge: float) -> None:
    """One feature, so that ∫ P(answers | α) N(α; 0, 1/ridge) dα can be summed over a grid."""
    rng = np.random.default_rng(0)
    likelihood = rng.random((60, len(base()))) ** 8
    one = PenalisedLikelihood(likelihood, np.ones(60), base(), features()[:, :1], ridge)
    grid = np.linspace(-8, 8, 3201)
    logs = one.value(grid[:, None])  # the prior's exponent is in it, its factor √(ridge/2π) is not
    integral = np.exp(logs - logs.max()).sum() * (grid[1] - grid[0]) * np.sqrt(ridge / (2 * np.pi))
    assert fit_weights(one).log_evidence == pytest.approx(np.log(integral) + logs.max(), abs=0.05)

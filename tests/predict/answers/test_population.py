"""The laws that describe the questions of a setting, and their shares in the average."""

import numpy as np
import pytest
from scipy.stats import beta

from predict.answers.atoms import P_EDGES, P
from predict.answers.population import TEMPER, AveragedLaw, fit_population
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
    """Questions that are all alike concentrate the weights; if a tenth of them differ, the features of
    "the right answer leads" do better; 40 mixed ones need neither."""
    rng = np.random.default_rng(1)
    raw = rng.choice(5, (200, 8), p=[0.45, 0.35, 0.1, 0.05, 0.05])
    if kind == "alike but for some":
        raw[:20] = 0
    counts = (drawn_pool(40, 8, rng) if kind == "mixed" else pool_of(raw)).answers.counts()
    found = fit_population(counts)
    flexible, times = found.fit.laws[0], np.bincount(found.pattern)
    ways = {RIDGE: features(), RIDGE_OF_MORE: more_features(), RIDGE_OF_ALIKE: shape_features()}
    evidence = {
        ridge: fit_weights(PenalisedLikelihood(found.likelihood, times, base(), F, ridge)).log_evidence
        for ridge, F in ways.items()
    }
    assert flexible.log_evidence == pytest.approx(max(evidence.values()))
    assert flexible.problem.ridge == KINDS[kind], evidence


def beta_ewens(Q: int, n: int, a: float, b: float, theta: float, rng: np.random.Generator) -> list[list[int]]:
    """n answers to Q questions: 0 is right, with p ~ Beta(a, b); others by a Chinese restaurant process."""
    answers = []
    for p in rng.beta(a, b, Q):
        said: list[int] = []
        for _ in range(n):
            wrong = [one for one in said if one]
            if rng.random() < p:
                said.append(0)
            elif rng.random() * (theta + len(wrong)) < theta:
                said.append(1 + max(wrong, default=0))
            else:
                said.append(int(rng.choice(wrong)))
        answers.append(said)
    return answers


def test_the_plain_law_finds_a_beta_law_and_outweighs_the_flexible_one_there() -> None:
    """From 600 questions, the distribution of p is recovered to within 4 · √(¼/600), four standard errors of
    a sample in which p itself is visible."""
    raw = np.array(beta_ewens(600, 16, 0.8, 1.6, 5.0, np.random.default_rng(2)))
    fitted = fit_population(pool_of(raw).answers.counts())

    by_p = fitted.fit.laws[1].weights.reshape(len(P), -1).sum(axis=1)
    below = np.cumsum(by_p)[:-1]  # up to the upper edge of each cell
    assert below == pytest.approx(beta(0.8, 1.6).cdf(P_EDGES), abs=0.08)
    assert fitted.fit.shares[1] > 0.5


def test_where_questions_are_all_alike_the_plain_law_has_no_part() -> None:
    """It cannot represent that the same wrong answer leads everywhere."""
    raw = np.random.default_rng(3).choice(3, (100, 8), p=[0.35, 0.6, 0.05])
    assert fit_population(pool_of(raw).answers.counts()).fit.shares[1] < 1e-3


def test_shares_are_the_evidence_to_a_power() -> None:
    raw = np.array(beta_ewens(40, 8, 1.0, 1.0, 2.0, np.random.default_rng(4)))
    fit = fit_population(pool_of(raw).answers.counts()).fit

    one, other = (law.log_evidence for law in fit.laws)
    assert np.log(fit.shares[0] / fit.shares[1]) == pytest.approx(TEMPER * (one - other))
    assert fit.shares.sum() == pytest.approx(1)


class Always:
    """A known law, without uncertainty."""

    def __init__(self, weights: list[float]) -> None:
        self.weights = np.array(weights)

    def draw_weights(self, R: int, _rng: np.random.Generator) -> np.ndarray:
        return np.tile(self.weights, (R, 1))


def test_an_average_draws_each_law_as_often_as_its_share_says() -> None:
    law = AveragedLaw((Always([1, 0]), Always([0, 1])), np.array([0.7, 0.3]))

    assert law.weights == pytest.approx([0.7, 0.3])
    assert law.draw_weights(1000, np.random.default_rng(0)).mean(axis=0) == pytest.approx([0.7, 0.3])
    assert law.draw_weights(0, np.random.default_rng(0)).shape == (0, 2)

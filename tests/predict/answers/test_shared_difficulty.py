"""Settings share their questions' difficulty: laws preserved, posteriors exact, correlations found."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, norm

from predict.answers.atom_votes import vote_table
from predict.answers.atoms import P
from predict.answers.mixture import populations
from predict.answers.shared_difficulty import (
    CORRELATIONS,
    NODE_WEIGHTS,
    NODES,
    Marginal,
    law_given_difficulty,
    share_difficulty,
)
from predict.evidence.groups import group_of_pools
from predict.evidence.points import Evidence, Pool
from results.tables.key import Key
from tests.predict.answers.pools import pool_of

LAW = np.array([0.2, 0.5, 0.3])


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_given_the_difficulty_p_has_a_law_and_over_all_difficulties_its_own(correlation: float) -> None:
    given = law_given_difficulty(LAW, correlation)
    assert given.sum(axis=1) == pytest.approx(np.ones(len(NODES)))
    assert NODE_WEIGHTS @ given == pytest.approx(LAW, abs=1e-4)
    assert (np.diff(given[:, 0]) <= 1e-12).all()  # an easier question is less often in the lowest cell


def exact_leaning(likelihood: np.ndarray, there: float, here: float) -> np.ndarray:
    """P(cell here | answers there) / P(cell), by integration over u, without the strange questions."""
    edges = np.concatenate([[-np.inf], norm.ppf(LAW.cumsum()[:-1]), [np.inf]])

    def given(u: float, rho: float) -> np.ndarray:
        return np.diff(norm.cdf((edges - np.sqrt(rho) * u) / np.sqrt(1 - rho)))

    def integral(cell: int | None) -> float:
        def weight(u: float) -> float:
            own = 1.0 if cell is None else given(u, here)[cell]
            return float(norm.pdf(u) * (likelihood @ given(u, there)) * own)

        return float(quad(weight, -8, 8, limit=200)[0])

    return np.array([integral(cell) for cell in range(3)]) / integral(None) / LAW


@pytest.mark.parametrize("chosen", [(5, 4), (7, 7), (8, 8)])
def test_leaning_is_the_posterior_by_integration(
    chosen: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Correlations fixed up to 0.99; answers elsewhere favour the lowest, the middle or the highest cell, or
    none. One question in 1,000 is assumed to be strange, which moves the ratio by about that much."""
    monkeypatch.setattr("predict.answers.shared_difficulty._coordinate_ascent", lambda _: np.array(chosen))
    there, here = CORRELATIONS[list(chosen)]
    evidence = np.array([[1.0, 0.1, 0.01], [0.2, 1.0, 0.2], [0.0, 0.1, 1.0], [1.0, 1.0, 1.0]])
    names = [f"q{i}" for i in range(4)]
    _, second = share_difficulty([Marginal(names, LAW, evidence), Marginal(names, LAW, np.ones((4, 3)))])
    found = second.leaning(LAW)
    for row, likelihood in zip(found, evidence, strict=True):
        assert row == pytest.approx(exact_leaning(likelihood, there, here), abs=0.01)


def test_a_setting_without_correlation_leaves_the_other_one_alone() -> None:
    """All ρ of the second are then equally likely, and every machine takes the smallest."""
    rng = np.random.default_rng(0)
    names = [f"q{i}" for i in range(40)]
    same = Marginal(names, LAW, np.ones((40, 3)))
    first, second = share_difficulty([same, Marginal(names, LAW, rng.random((40, 3)))])
    assert (first.correlation, second.correlation) == (0.0, 0.0)


def copula_answers(
    correlations: list[float], n: int, questions: int, rng: np.random.Generator
) -> tuple[list[Pool], np.ndarray]:
    """Pools with rates that are Beta(1.2, 0.8) at each setting and share a factor; rates (settings, Q)."""
    u = rng.standard_normal(questions)
    pools, rates = [], []
    for i, rho in enumerate(correlations):
        z = np.sqrt(rho) * u + np.sqrt(1 - rho) * rng.standard_normal(questions)
        p = beta.ppf(norm.cdf(z), 1.2, 0.8)
        right = rng.random((questions, n)) < p[:, None]
        wrong = np.where(right, 0, np.arange(1, n + 1))  # wrong answers are all different
        pools.append(pool_of(wrong, f"s{i}", 1.0 + i))
        rates.append(p)
    return pools, np.array(rates)


def seen_together(pools: list[Pool], method: str = "majority") -> Evidence:
    cut = group_of_pools(Key("llm", "d", "m", method=method), pools)
    return Evidence(cut.points, cut.accuracy, cut.stderr, cut.pools, method)


def test_correlations_are_recovered() -> None:
    pools, _ = copula_answers([0.95, 0.95, 0.5], 8, 300, np.random.default_rng(1))
    found = [one.elsewhere.correlation for one in populations(seen_together(pools)) if one.elsewhere]
    assert found[:2] == pytest.approx([0.95, 0.95], abs=0.06)
    assert found[2] == pytest.approx(0.5, abs=0.21)


def test_rates_are_closer_to_the_truth_with_the_other_settings() -> None:
    pools, rates = copula_answers([0.95, 0.95, 0.95], 4, 300, np.random.default_rng(2))
    grid = np.repeat(P, len(vote_table(1)) // len(P))[:, None]
    errors = []
    for found in (
        populations(seen_together(pools)),
        [populations(seen_together([pool]))[0] for pool in pools],
    ):
        each = np.stack([(population.posterior() @ grid)[:, 0] for population in found])
        errors.append(float(((each - rates) ** 2).mean()))
    assert errors[0] < 0.75 * errors[1]


def test_questions_are_matched_by_name_and_one_of_a_single_setting_keeps_its_own_posterior() -> None:
    evidence = np.array([[1.0, 0.1, 0.0], [0.0, 0.1, 1.0]])
    one = Marginal(["a", "b"], LAW, evidence)
    other = Marginal(["b", "c"], LAW, evidence[::-1])
    first, second = share_difficulty([one, other])
    assert first.posterior[0] == pytest.approx(NODE_WEIGHTS)
    assert second.posterior[1] == pytest.approx(NODE_WEIGHTS)
    assert first.posterior[1] @ NODES > 0.3  # "b" is right elsewhere, so it is easy


@pytest.mark.parametrize("correlation", [0.98, 0.99])
def test_many_cells_do_not_show_the_spacing_of_the_nodes(correlation: float) -> None:
    """Uninformative answers elsewhere change none of 200 equally likely cells by 1 %."""
    law = np.full(200, 1 / 200)
    assert NODE_WEIGHTS @ law_given_difficulty(law, correlation) * 200 == pytest.approx(
        np.ones(200), abs=0.01
    )

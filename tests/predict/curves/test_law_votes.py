"""The tabulated vote against simulated votes, exact votes and closed formulas."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import expit

from predict.curves import law_votes as votes
from results.votes.multinomial import vote_accuracy

N = np.array([1, 2, 3, 8, 64, 256])


def simulated_vote(p: float, c: float, silent: float, n: int, runs: int) -> float:
    """The share of right votes among `runs` simulated votes of n answers, with ties sharing the credit."""
    rng = np.random.default_rng(11)
    wrong = (1 - p) * (1 - silent) * c * (1 - c) ** np.arange(votes.WRONG)
    law = np.append(np.append(p, wrong), 0.0)
    law[-1] = 1 - law.sum()
    counts = rng.multinomial(n, law, size=runs)[:, :-1]
    most = counts.max(axis=1)
    leaders = (counts == most[:, None]).sum(axis=1)
    return float(np.mean(np.where((counts[:, 0] == most) & (most > 0), 1 / leaders, 0.0)))


@pytest.mark.parametrize(("p", "c", "silent"), [(0.3, 0.5, 0.0), (0.45, 0.9, 0.1), (0.2, 0.1, 0.55)])
def test_the_table_holds_simulated_votes(p: float, c: float, silent: float) -> None:
    """40,000 votes have a standard error of at most 0.0025: four of them are allowed."""
    laws = votes.answer_laws(np.array(p), np.array(c), np.array(silent))
    for n in (2, 5, 20):
        exact = vote_accuracy(laws, 0, [n])[0]
        assert exact == pytest.approx(simulated_vote(p, c, silent, n, 40_000), abs=0.01)


def test_a_table_is_the_exact_vote_at_its_points() -> None:
    i, j, k = 20, 7, 2
    p, c, silent = expit(votes.LOGIT_P[i]), expit(votes.LOGIT_C[j]), votes.SILENT[k]
    wrong = (1 - p) * (1 - silent) * c * (1 - c) ** np.arange(votes.WRONG)
    assert votes.vote_table(16)[i, j, k] == pytest.approx(vote_accuracy([p, *wrong], 0, [16])[0], abs=1e-12)


@pytest.mark.parametrize(
    ("centre", "sigma", "c", "tau", "silent"),
    [
        *((0, 2, -0.5, 1, 0.05), (-2, 1, 0.5, 0.3, 0), (-1.5, 3, -1, 2, 0.4), (-0.5, 1.2, -0.3, 0.2, 0.02)),
        (-1, 1, -5, 2, 0),  # half of its mass is beyond the grid of c
    ],
)
def test_a_mean_over_questions_is_the_sum_over_exact_votes(
    centre: float, sigma: float, c: float, tau: float, silent: float
) -> None:
    """Within 0.4 points, the error of the grid, mostly where η is between the points of `SILENT`."""
    places, nodes = centre + sigma * votes.Z, np.linspace(-3.5, 3.5, 21)
    share = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    laws = votes.answer_laws(
        expit(places)[:, None], expit(np.clip(c + tau * nodes, -5.5, 4.4)), np.array(silent)
    )
    exact = np.einsum("zcn,z,c->n", vote_accuracy(laws, 0, N), votes.DENSITY, share)
    assert votes.majority(places[None], N, c, tau, silent)[0] == pytest.approx(exact, abs=0.004)


def test_weights_of_the_grid_are_those_of_the_spline_through_it() -> None:
    rng = np.random.default_rng(5)
    line, at = rng.random((len(votes.LOGIT_P), 3)), rng.normal(0, 5, (4, len(votes.Z)))
    inside = np.clip(at, votes.LOGIT_P[0], votes.LOGIT_P[-1])
    means = np.einsum("azn,z->an", CubicSpline(votes.LOGIT_P, line)(inside), votes.DENSITY)
    assert votes.grid_weights(at) @ line == pytest.approx(means, abs=1e-12)


def test_best_of_n_is_a_mean_of_one_minus_all_wrong() -> None:
    """Against a million questions drawn from the law, with standard errors below 0.0005."""
    rates = expit(-2 + 1.5 * np.random.default_rng(3).standard_normal(1_000_000))
    drawn = [np.mean(1 - (1 - rates) ** n) for n in N]
    assert votes.best_of_n((-2 + 1.5 * votes.Z)[None], N)[0] == pytest.approx(drawn, abs=0.002)


def test_one_wrong_answer_more_or_less_makes_no_step_in_the_spread_of_c() -> None:
    """The mean changes smoothly with τ and c₀, even where τ is smaller than the grid spacing of c."""
    places = (-0.5 + 1.5 * votes.Z)[None]
    found = [votes.majority(places, np.array([64]), c, 0.2, 0.0)[0, 0] for c in np.linspace(-2, 1, 61)]
    steps = np.diff(found)
    assert (steps < 0).all()
    assert np.abs(np.diff(steps)).max() < 0.003

"""predict.stopped: the likelihood, its gradient and the fit, against independent sums and laws."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import expit
from scipy.stats import logistic, norm

from predict.stopped.answer_law import PARAMETERS, PRIOR_MEAN, PRIOR_SD, survival
from predict.stopped.fit import COARSE, FINE, TOLERANCE, VAGUEST, Problem, _curvature, fit
from predict.stopped.observed import SeenLengths, seen_at
from results.votes.exact import VoteCounts
from tests.predict.stopped.simulated import ORIGIN, THETA, answers, questions

TRUE = np.array([THETA[name] for name in PARAMETERS])


def small() -> SeenLengths:
    """Four questions and three bins, with every kind of observation."""
    edges = np.array([-np.inf, *np.log([3000, 5000, 8000])])
    right = np.array([[2.0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]])
    other = np.array([[0.0, 0, 1], [0, 1, 2], [0, 0, 0], [1, 0, 0]])
    nothing = VoteCounts(np.zeros(4, int), np.array([], int), np.zeros(5, int), np.zeros(4, int))
    return SeenLengths(
        8000, edges, np.log([2300, 4100, 6400]), right, other, np.array([0.0, 2, 5, 1]), nothing
    )


def test_a_question_of_many_answers_takes_the_fine_grid_however_they_ended() -> None:
    assert len(Problem(small()).grid.modes) == 2 * COARSE
    for many in ({"unfinished": np.full(4, 17.0)}, {"other": np.full((4, 3), 6.0)}):
        assert len(Problem(replace(small(), **many)).grid.modes) == 2 * FINE


def by_trapezoids(seen: SeenLengths, at: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The log likelihood, and the probability that an unfinished answer never ends, by question: those of
    both kinds, weighted by their shares."""
    quick, slow = of_one_kind(seen, at), of_one_kind(seen, at | {"centre": at["centre"] + at["delay"]})
    whole, unending = (1 - expit(at["slow"])) * quick + expit(at["slow"]) * slow
    return np.log(whole), unending / whole


def of_one_kind(seen: SeenLengths, at: dict[str, float]) -> np.ndarray:
    """The likelihood of each question's answers, and this together with an unfinished one that never ends,
    (2, Q): integrals over u, v and w, all normal, on fine even grids."""
    u, v, w = np.linspace(-7, 7, 561), np.linspace(-7, 7, 281), np.linspace(-6, 6, 121)
    m = (
        ORIGIN
        + at["centre"]
        + np.exp(at["log_ratio"] + at["log_scale"]) * np.expm1(at["tilt"] * u) / at["tilt"]
    )
    scale = np.exp(at["log_scale"] + np.exp(at["log_scale_spread"]) * w)[:, None]
    left, right = scale * np.exp(-at["skew"] / 2), scale * np.exp(at["skew"] / 2)
    never = expit(at["never_ends"] + at["never_ends_rise"] * u)

    def by(x: float) -> np.ndarray:
        """P(ended by x), (w, u): the density is logistic with scale `left` below m and `right` above."""
        below = 2 * left / (left + right) * logistic.cdf(np.minimum(x - m, 0) / left)
        above = 2 * right / (left + right) * (logistic.cdf(np.maximum(x - m, 0) / right) - 0.5)
        return (1 - never) * (below + above)

    reached = [np.zeros((len(w), len(u))), *(by(x) for x in seen.edges[1:])]
    endless = never / (1 - reached[-1])
    r = np.tanh(at["correlation"])
    level = at["level"] + np.exp(at["log_level_spread"]) * (r * u + np.sqrt(1 - r**2) * v[:, None])
    lost = expit(at["never_right"] + u)
    found = []
    for q in range(seen.questions):
        when = (1 - reached[-1]) ** seen.unfinished[q]
        good, bad = np.ones((len(v), len(u))), np.ones(len(u))
        for k, middle in enumerate(seen.middles):
            when = when * (reached[k + 1] - reached[k]) ** (seen.right[q, k] + seen.other[q, k])
            y = 8 * np.tanh((middle - m) / np.exp(at["log_scale"]) / 8)
            chance = expit(level + at["slope"] * y + at["bend"] * np.log1p(np.exp(y)))
            good = good * chance ** seen.right[q, k] * (1 - chance) ** seen.other[q, k]
            bad = bad * 0.0 ** seen.right[q, k]
        grade = (1 - lost) * trapezoid(good * norm.pdf(v)[:, None], v, axis=0) + lost * bad
        times = (trapezoid(one * norm.pdf(w)[:, None], w, axis=0) for one in (when, when * endless))
        found.append([trapezoid(time * grade * norm.pdf(u), u) for time in times])
    return np.array(found).T


UNENDING = np.where(np.array(list(PARAMETERS)) == "never_ends", -0.5, TRUE)
THETAS = pytest.mark.parametrize("theta", [TRUE, PRIOR_MEAN, UNENDING], ids=["other", "prior", "unending"])


@THETAS
def test_the_likelihood_and_the_share_that_never_ends_are_integrals_over_questions(theta: np.ndarray) -> None:
    """Within 0.01, as the nodes end at 4 standard deviations and the scale has only five."""
    problem = Problem(small())
    found = problem.posterior(*problem.tables(problem.law(theta))).log_evidence
    at = dict(zip(PARAMETERS, np.where(theta == 0, 1e-3, theta), strict=True))
    expected, endless = by_trapezoids(small(), at)
    assert found == pytest.approx(expected, abs=0.01)
    assert problem.endless(theta) == pytest.approx(endless @ [0, 2, 5, 1] / 18, rel=0.02)


@pytest.mark.parametrize("tilt", [0.0, 1e-4, -0.3], ids=["none", "a little", "much"])
@THETAS
def test_the_gradient_is_that_of_the_loss(theta: np.ndarray, tilt: float) -> None:
    problem, theta = Problem(small()), theta + 2e-3
    theta[list(PARAMETERS).index("tilt")] = tilt
    _, gradient = problem.loss(theta)
    for k, step in enumerate(1e-4 * np.eye(len(theta))):
        slope = (problem.loss(theta + step)[0] - problem.loss(theta - step)[0]) / 2e-4
        assert gradient[k] == pytest.approx(slope, abs=1e-5)


def test_the_law_of_times_is_a_law() -> None:
    """The two pieces have equal density at the mode; the mass left at infinity never ends."""
    x, m, scale, skew = np.linspace(-1, 1, 2001), 0.0, 0.2, 0.5
    lives = survival(x - m, scale, skew)
    density = -np.gradient(lives, x)
    assert lives[0] == pytest.approx(1.0, abs=5e-3)
    assert (np.diff(lives) < 0).all()
    assert x[np.argmax(density)] == pytest.approx(0.0, abs=2e-3)
    left = 0.2 * np.exp(-0.25)
    assert lives[1000] == pytest.approx(1 - left / (left + 0.2 * np.exp(0.25)))
    problem = Problem(small())
    grid, whole = problem.grid, problem.law(TRUE).times(np.array([-np.inf, 0.0, 60.0]))
    assert whole.ends.sum(axis=0) + whole.lives == pytest.approx(1.0)
    assert whole.lives[:, 0] == pytest.approx(expit(-3.5 + 0.8 * grid.modes), abs=1e-9)


def test_posteriors_are_laws_and_parts_of_them_are_the_whole() -> None:
    problem = Problem(small())
    tables = problem.tables(problem.law(TRUE))
    whole, part = problem.posterior(*tables), problem.posterior(*tables, slice(1, 3))
    assert whole.nodes.sum(axis=(1, 2)) == pytest.approx(1.0)
    assert whole.scales.sum(axis=2) == pytest.approx(1.0)
    np.testing.assert_allclose(part.nodes, whole.nodes[1:3], rtol=1e-12)
    np.testing.assert_allclose(part.scales, whole.scales[1:3], rtol=1e-12)


def test_the_curvature_is_that_of_a_bowl_and_no_direction_is_flatter_than_the_vaguest() -> None:
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    bowl, told = (
        turned * np.array(values) @ turned.T for values in ([9.0, 1.0, 0.01], [9.0, 1.0, VAGUEST**-2])
    )
    at = np.array([0.3, -1.0, 0.2])
    found = _curvature(lambda z: (float(z @ bowl @ z / 2), bowl @ z), at, bowl @ at)
    assert found == pytest.approx(told)


def test_the_spread_is_the_inverse_of_the_curvature_at_the_maximum() -> None:
    problem = Problem(small())

    found = fit(problem)

    steps = 1e-3 * np.diag(PRIOR_SD)
    slopes = [(problem.loss(found.theta + one)[1] - problem.loss(found.theta - one)[1]) for one in steps]
    curvature = np.array(slopes) / (2e-3 * PRIOR_SD[:, None])
    vaguest = np.linalg.eigvalsh(curvature * np.outer(PRIOR_SD, PRIOR_SD)).min()
    assert vaguest > 1.01 * VAGUEST**-2  # so no direction had to be constrained
    told = found.spread @ found.spread.T / np.outer(PRIOR_SD, PRIOR_SD)
    expected = np.linalg.inv(curvature) / np.outer(PRIOR_SD, PRIOR_SD)
    assert told == pytest.approx(expected, abs=1e-3)


def test_known_parameters_are_found_again() -> None:
    """300 questions × 8 answers, stopped where half have ended: each parameter is within 4 of its standard
    deviations; those that such data determine have less than half of the prior's."""
    rng = np.random.default_rng(3)
    pools = answers(questions(300, rng), 8, rng)
    cap = float(np.median(pools.tokens))
    problem = Problem(seen_at(pools, cap))
    found = fit(problem)
    assert np.abs(problem.loss(found.theta)[1] * PRIOR_SD).max() < 10 * TOLERANCE
    spread = np.sqrt((found.spread**2).sum(axis=1))
    true = TRUE.copy()
    true[0] += ORIGIN - np.log(cap)
    assert (np.abs(found.theta - true) < 4 * spread).all(), (found.theta - true) / spread
    told = {name: one / PARAMETERS[name][1] for name, one in zip(PARAMETERS, spread, strict=True)}
    for name in ("centre", "log_ratio", "level", "log_scale"):
        assert told[name] < 0.5, told


def test_the_search_finds_the_higher_of_two_maxima() -> None:
    """Two in five answers take thirty times as long, and none is seen to end: from the prior mean alone, the
    search takes them for late ones."""
    lower = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        pools = answers(questions(40, rng), 8, rng)
        longer = rng.random(len(pools.tokens)) < 0.4
        held_up = replace(pools, tokens=pools.tokens * np.where(longer, 30, 1))
        problem = Problem(seen_at(held_up, 12000))
        best, near = fit(problem).theta, fit(problem, [PRIOR_MEAN]).theta
        assert problem.loss(best)[0] <= problem.loss(near)[0] + 1e-6
        assert problem.endless(best) > 0.1
        lower += problem.endless(near) < 0.05
    assert lower > 0


def test_a_search_from_far_away_comes_back() -> None:
    rng = np.random.default_rng(0)
    problem = Problem(seen_at(answers(questions(30, rng), 8, rng), 12000))
    far = PRIOR_MEAN + 20 * PRIOR_SD * rng.standard_normal(len(PRIOR_MEAN))
    with np.errstate(all="raise", under="ignore"):
        found = fit(problem, [far])
    assert found.theta == pytest.approx(fit(problem, [PRIOR_MEAN]).theta, abs=1e-4)

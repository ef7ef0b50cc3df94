"""A twin's exam against exact laws, and the likelihood of its marks against Gaussians."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from results.votes.multinomial import best_of_n_accuracy, vote_accuracy
from studies.match.exam import Exam, Twin, candidates, draw_answers, marks, sit
from studies.match.likelihood import TOLERANCE, Curve, fitted_marks, predict, weigh
from synthetic.binary.chain import law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

NS = (1, 2, 4, 8, 16)
POINTS = tuple((method, n) for method in ("majority", "best_of_n") for n in NS)
TRUTH = BinarySetting(n=4, d=5, k=1, eta=1.0, sigma_eps=0.5, step_rule="eta/n")


@pytest.mark.parametrize(("pool", "ns"), [(16, NS), (64, (1, 4, 24, 64))])
def test_marks_are_the_exact_accuracies_on_average(pool, ns):
    """Over all subsets up to EVERY_SUBSET, over disjoint parts beyond."""
    exam = Exam(pool, tuple((method, n) for method in ("majority", "best_of_n") for n in ns))
    laws = np.tile([0.3, 0.45, 0.15, 0.1], (20_000, 1))
    found = marks(draw_answers(laws, np.ones(len(laws), np.int64), exam, seed=1), exam)
    expected = [*vote_accuracy(laws[0], 1, ns), *best_of_n_accuracy(0.45, ns)]
    expected.append(0.45**2 + 0.45 * 0.55 / pool)  # E[p̂²]
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (abs(found.mean(axis=0) - expected) < 4 * error + 1 / len(found)).all()  # or one rare event


def test_sit_is_the_law_read_at_its_steps():
    twins = sit(Exam(64, POINTS), TRUTH, (1, 8), seed=3)
    law = law_of_paths(draw_tasks(TRUTH, task_keys(1, 500), 3), TRUTH, (1, 8))
    assert [twin.t for twin in twins] == [1, 8]
    for at, twin in enumerate(twins):
        p, lead = twin.shares.T
        assert p.mean() == pytest.approx(law.correct[:, at].mean(), abs=0.015)
        assert np.corrcoef(lead, law.gap[:, at])[0, 1] > 0.95
        assert (twin.mean[0], twin.mean[-1]) == pytest.approx((p.mean(), (p**2).mean()))
        assert twin.covariance[0, 0] == pytest.approx(p.var(ddof=1))


def test_candidates_are_all_sizes_at_every_label_noise_and_the_step_1_over_n():
    grid = candidates()
    assert len(set(grid)) == len(grid) == 5 * (8 * 6 + 5 * 4 + 4)
    assert {one.step * one.n for one in grid} == {1.0}
    assert sum(one.sigma_eps == 2 for one in grid) == len(grid) / 5
    most = [(k, max(one.n for one in grid if one.k == k)) for k in (1, 2, 3)]
    assert most == [(1, 20), (2, 16), (3, 8)]


def test_prediction_is_the_conditional_mean_and_variance():
    """The vote of 8 given the accuracy of one answer, compared with joint draws of both."""
    rng = np.random.default_rng(0)
    points = (("majority", 1), ("majority", 8))
    covariance = np.array([[0.09, 0.08, 0.0], [0.08, 0.16, 0.0], [0.0, 0.0, 0.01]])
    twin = Twin(TRUTH, 8, np.array([0.5, 0.6, 0.3]), covariance, np.zeros((400, 2)))
    curve = Curve(points, np.array([0.52, 0.6]), float("nan"), questions=100, pool=8)
    found = predict(curve, [twin], np.ones(1), 1.0, 1)
    both = covariance[:2, :2] * (1 / 100 + 1 / 400) + TOLERANCE**2 * np.eye(2)
    drawn = rng.multivariate_normal([0.5, 0.6], both, size=400_000)
    near = drawn[abs(drawn[:, 0] - 0.52) < 0.002, 1]
    assert found.predicted[1] == pytest.approx(near.mean(), abs=0.001)
    np.testing.assert_allclose([found.low[1], found.high[1]], np.quantile(near, [0.05, 0.95]), atol=0.002)
    wide = predict(curve, [twin], np.ones(1), 4.0, 1)  # 4 times the variance, twice the width
    assert wide.high[1] - wide.low[1] == pytest.approx(2 * (found.high[1] - found.low[1]))
    other = replace(twin, mean=twin.mean - 0.3)
    alone, mixed, none = (
        predict(curve, [twin, other], np.array([p, 1 - p]), 1.0, 1) for p in (0.0, 0.75, 1.0)
    )
    np.testing.assert_allclose(mixed.predicted, 0.25 * alone.predicted + 0.75 * none.predicted)
    np.testing.assert_array_equal([none.low, none.high], [found.low, found.high])


def test_what_is_the_same_mark_twice_is_fitted_once():
    curve = Curve(POINTS, np.full(len(POINTS), 0.5), 0.3, questions=100, pool=16)
    fitted = [POINTS[i] for i in fitted_marks(curve, 4)[:-1]]
    assert fitted == [("majority", 1), ("majority", 4), ("best_of_n", 2), ("best_of_n", 4)]
    assert fitted_marks(curve, 4)[-1] == len(POINTS)  # the spread of one answer
    best = replace(curve, points=POINTS[5:], accuracy=np.full(5, 0.5), square=np.nan)
    assert fitted_marks(best, 4) == [0, 1, 2]  # without a vote, the best of one is one answer


@pytest.mark.parametrize("measured", [[0.52, 0.6], [0.7, 0.45], [0.5, 0.7]])
def test_weights_are_proportional_to_the_gaussian_likelihood(measured):
    """The variance is scaled by χ² per mark where above 1; in the last case the other twin has less χ²."""
    twins = [
        Twin(TRUTH, 8, np.array([p, 0.6, 0.3]), np.diag([0.09, v, 0.01]), np.zeros((400, 2)))
        for p, v in ((0.5, 0.16), (0.56, 0.48))
    ]
    curve = Curve((("majority", 1), ("majority", 8)), np.array(measured), float("nan"), 100, pool=8)
    scale, slack = 1 / 100 + 1 / 400, TOLERANCE**2
    laws = [
        multivariate_normal(one.mean[:2], one.covariance[:2, :2] * scale + slack * np.eye(2)) for one in twins
    ]
    squares = np.array([-2 * (law.logpdf(measured) - law.logpdf(law.mean)) for law in laws])
    peaks = np.array([law.pdf(law.mean) for law in laws])
    least = squares[np.argmax(peaks * np.exp(-squares / 2))]
    density = peaks * np.exp(-squares / 2 / max(1, least / 2))
    fit = weigh(curve, twins, 8)
    np.testing.assert_allclose(fit.weights, density / density.sum())
    assert (fit.misfit, fit.fitted) == (pytest.approx(least), 2)
    assert fit.p_value == pytest.approx(np.exp(-least / 2))  # χ² on 2

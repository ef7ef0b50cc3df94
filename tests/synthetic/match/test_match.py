"""The matched twin: it recovers itself, its intervals hold, and it admits what it cannot explain."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import multivariate_normal

from results import BadInput, build_curves, read_forecast, write_curves, write_samples
from results.votes.exact import VoteCounts, answer_pools
from results.votes.multinomial import best_of_n_accuracy, vote_accuracy
from synthetic.binary.accuracy import samples_table
from synthetic.binary.chain import law_of_paths
from synthetic.binary.sampler import sample_supports
from synthetic.cli import cli
from synthetic.match import figure, matching
from synthetic.match.exam import STEPS, Exam, Twin, candidates, draw_answers, marks, shares, sit
from synthetic.match.likelihood import (
    LEAST_P,
    TOLERANCE,
    Curve,
    Fit,
    Prediction,
    fitted_marks,
    predict,
    weigh,
)
from synthetic.match.words import answer, common_odds
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

NS = (1, 2, 4, 8, 16)
POINTS = tuple((method, n) for method in ("majority", "best_of_n") for n in NS)
EXAM = Exam(16, POINTS)
TRUTH = BinarySetting(n=4, d=5, k=1, eta=1.0, sigma_eps=0.5, step_rule="eta/n")


def grid() -> list[BinarySetting]:
    return [s for s in candidates() if s.k == 1 and s.n in (2, 4) and s.d in (3, 5)]


@pytest.fixture(scope="module")
def samples() -> pd.DataFrame:
    """16 answers to each of 300 questions, from a twin of known setting and other tasks than the grid's."""
    tasks = draw_tasks(TRUTH, task_keys(1, 300), seed=5)
    drawn = sample_supports(tasks, TRUTH, 16, (8,))
    table = samples_table(tasks, TRUTH, (8,), drawn)
    return table.assign(source="llm", dataset="quiz", model="pupil")


@pytest.fixture(scope="module")
def curves(samples: pd.DataFrame) -> pd.DataFrame:
    return build_curves(samples, permutations=3)


@pytest.fixture
def matched(curves, monkeypatch):
    """The match of `curves` among a grid of candidates."""

    def among(candidates: list[BinarySetting]) -> matching.Match:
        monkeypatch.setattr(matching, "candidates", lambda: candidates)
        (match,) = matching.match_all(exact_only(curves), {})
        return match

    return among


def exact_only(curves: pd.DataFrame) -> pd.DataFrame:
    return curves[(curves["permutation"] == "exact") & (curves["method"] != "greedy")]


def measured(rows: np.ndarray, points=POINTS) -> Curve:
    """A curve of these questions' marks."""
    mean = rows.mean(axis=0)
    return Curve(points, mean[:-1], float(mean[-1]), questions=len(rows), pool=16)


def explained(curve: Curve, twins: list[Twin], fit_max_n: int = 4) -> tuple[Fit, Prediction]:
    fit = weigh(curve, twins, fit_max_n)
    return fit, predict(curve, twins, fit.weights, fit.wider, fit_max_n)


def test_a_twin_recovers_itself(matched):
    match = matched(grid())
    assert match.fit.p_value > 0.05
    true = np.array([setting == TRUTH and t >= 4 for setting in grid() for t in STEPS])
    assert match.fit.weights[true].sum() > 3 * true.mean()
    held = match.rows["N"].to_numpy() > 4
    assert abs(match.prediction.predicted - match.curve.accuracy)[held].max() < 0.02
    assert "fits 1 of 1" in answer([match])
    assert "4 of 4" in answer([match])
    half = 50 * (match.prediction.high - match.prediction.low)[held].mean()
    assert f"± {half:.1f})" in answer([match])
    assert "fits 1 of 2" in answer([match, replace(match, fit=replace(match.fit, misfit=1e3))])
    opacity = figure._curves(match, 0).layers[-1].to_dict()["encoding"]["fillOpacity"]["scale"]
    assert dict(zip(opacity["domain"], opacity["range"], strict=True)) == {"used": 1, "held_out": 0}


def test_only_twins_of_weight_sit_for_the_whole_curve_and_the_others_would_change_nothing(matched):
    match = matched(grid())
    every = [twin for setting in grid() for twin in sit(EXAM, setting, STEPS, seed=0)]
    assert len(match.twins) < len(every)
    said = predict(match.curve, every, match.fit.weights, match.fit.wider, 4)
    np.testing.assert_allclose(match.prediction.predicted, said.predicted, atol=2e-3)
    np.testing.assert_allclose(match.prediction.low, said.low, atol=1e-2)


@pytest.mark.parametrize(("pool", "ns"), [(16, NS), (64, (1, 4, 24, 64))])
def test_marks_are_the_exact_accuracies_on_average(pool, ns):
    """Over all subsets up to EVERY_SUBSET, over disjoint parts beyond."""
    exam = Exam(pool, tuple((method, n) for method in ("majority", "best_of_n") for n in ns))
    laws = np.tile([0.3, 0.45, 0.15, 0.1], (20_000, 1))
    found = marks(draw_answers(laws, np.ones(len(laws), np.int64), exam, seed=1), exam)
    expected = [*vote_accuracy(laws[0], 1, ns), *best_of_n_accuracy(0.45, ns)]
    expected.append(0.45**2 + 0.45 * 0.55 / pool)  # E[p̂²]
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (abs(found.mean(axis=0) - expected) < 4 * error + 1 / len(found)).all()  # or a single event


def test_a_vote_of_the_whole_pool_is_the_lead_in_its_counts():
    exam = Exam(40, (("majority", 1), ("majority", 40)))
    drawn = draw_answers(np.tile([0.4, 0.35, 0.25], (300, 1)), np.zeros(300, np.int64), exam, seed=2)
    right, *wrong = drawn.sum(axis=1).T
    lead = right - np.max(wrong, axis=0)
    whole = marks(drawn, exam)[:, 1]
    assert (whole[lead > 0] == 1).all()
    assert (whole[lead < 0] == 0).all()
    assert set(whole[lead == 0]) <= {1 / 2, 1 / 3}


def test_the_table_gives_the_mean_square_of_an_answer(samples, matched):
    counts = answer_pools(samples[samples["decoding"] == "sample"]).counts()
    match = matched([TRUTH])
    assert match.curve.square == pytest.approx(((counts.correct / 16) ** 2).mean())
    assert match.curve.points == POINTS


def test_sit_is_the_law_read_at_its_steps():
    (twin,) = sit(Exam(64, POINTS), TRUTH, (8,), seed=3)
    law = law_of_paths(draw_tasks(TRUTH, task_keys(1, 500), 3), TRUTH, (8,))
    assert twin.shares[:, 0].mean() == pytest.approx(law.correct.mean(), abs=0.015)
    assert np.corrcoef(twin.shares[:, 1], law.gap[:, 0])[0, 1] > 0.95


def test_prediction_is_the_conditional_mean_and_variance():
    """The vote of 8 given one answer, beside draws of both."""
    rng = np.random.default_rng(0)
    points = (("majority", 1), ("majority", 8))
    covariance = np.array([[0.09, 0.08, 0.0], [0.08, 0.16, 0.0], [0.0, 0.0, 0.01]])
    twin = Twin(TRUTH, 8, np.array([0.5, 0.6, 0.3]), covariance, np.zeros((400, 2)))
    curve = Curve(points, np.array([0.52, 0.6]), float("nan"), questions=100, pool=8)
    _, found = explained(curve, [twin], fit_max_n=1)
    both = covariance[:2, :2] * (1 / 100 + 1 / 400) + TOLERANCE**2 * np.eye(2)
    drawn = rng.multivariate_normal([0.5, 0.6], both, size=400_000)
    near = drawn[abs(drawn[:, 0] - 0.52) < 0.002, 1]
    assert found.predicted[1] == pytest.approx(near.mean(), abs=0.001)
    np.testing.assert_allclose([found.low[1], found.high[1]], np.quantile(near, [0.05, 0.95]), atol=0.002)


def test_what_is_the_same_mark_twice_is_fitted_once():
    curve = Curve(POINTS, np.full(len(POINTS), 0.5), 0.3, questions=100, pool=16)
    fitted = [POINTS[i] for i in fitted_marks(curve, 4)[:-1]]
    assert fitted == [("majority", 1), ("majority", 4), ("best_of_n", 2), ("best_of_n", 4)]
    assert fitted_marks(curve, 4)[-1] == len(POINTS)  # the spread of one answer


def test_weights_are_proportional_to_the_gaussian_likelihood():
    covariance = np.diag([0.09, 0.16, 0.01])
    twins = [Twin(TRUTH, 8, np.array([p, 0.6, 0.3]), covariance, np.zeros((400, 2))) for p in (0.5, 0.56)]
    curve = Curve((("majority", 1), ("majority", 8)), np.array([0.52, 0.6]), float("nan"), 100, pool=8)
    both = covariance[:2, :2] * (1 / 100 + 1 / 400) + TOLERANCE**2 * np.eye(2)
    density = np.array([multivariate_normal(twin.mean[:2], both).pdf([0.52, 0.6]) for twin in twins])
    np.testing.assert_allclose(weigh(curve, twins, 8).weights, density / density.sum())


def test_intervals_hold_nine_of_ten_held_out_points():
    """Populations of 80 questions from the twin itself; the curve at N = 16 given that up to 4."""
    twins = [twin for setting in grid()[::2] for twin in sit(EXAM, setting, STEPS, seed=0)]
    law = law_of_paths(draw_tasks(TRUTH, task_keys(1, 4000), 9), TRUTH, (8,))
    found = marks(draw_answers(law.probabilities[:, 0], law.gold, EXAM, seed=2), EXAM).reshape(50, 80, -1)
    inside = []
    for rows in found:
        _, said = explained(measured(rows), twins)
        inside.append(said.low[4] <= rows.mean(axis=0)[4] <= said.high[4])
    assert 0.8 <= np.mean(inside) <= 1.0


def test_questions_of_two_kinds_are_not_explained():
    """Half of the questions are always right, half one time in two by chance between two answers."""
    laws = np.array([[1.0, 0.0], [0.5, 0.5]]).repeat(200, axis=0)
    curve = measured(marks(draw_answers(laws, np.zeros(400, np.int64), EXAM, seed=0), EXAM))
    twins = [twin for setting in grid() for twin in sit(EXAM, setting, STEPS, seed=0)]
    fit, said = explained(curve, twins)
    assert fit.p_value < LEAST_P
    assert 1 / (fit.weights**2).sum() > 2  # the least bad one does not take all
    assert said.low[3] <= curve.accuracy[3] <= said.high[3]


def test_shares_are_counted_by_question():
    counts = VoteCounts(np.array([3, 0]), np.array([4, 1]), np.array([0, 2, 2]), np.array([2, 5]))
    np.testing.assert_allclose(shares(counts), [[0.3, -0.1], [0.0, 0.0]])


@pytest.mark.parametrize(("pool", "lowest"), [(8, 0), (16, 0), (64, -1), (80, 0), (10, -1)])
def test_bins_hold_equally_many_shares(pool, lowest):
    values = np.arange(lowest * pool, pool + 1) / pool
    held = np.histogram(values, figure.share_edges(pool, lowest))[0]
    assert held.sum() == len(values)
    assert len(set(held[:-1])) == 1


def run(*arguments):
    return CliRunner().invoke(cli, ["match", *map(str, arguments)], standalone_mode=False)


def test_command_writes_a_forecast_and_the_settings(samples, curves, tmp_path, monkeypatch):
    monkeypatch.setattr(matching, "candidates", lambda: grid()[:6])
    write_curves(curves, tmp_path / "curves.csv")
    write_samples(samples, tmp_path / "samples.csv")
    found = []
    for name in ("curves", "samples"):
        out, drawn = tmp_path / f"{name}-match.csv", tmp_path / f"{name}.svg"
        result = run(tmp_path / f"{name}.csv", "--out", out, "--figure", drawn, "--fit-max-n", 8)
        assert result.exception is None, result.exception
        assert drawn.read_text().startswith("<svg")
        assert ("mark-rect role-mark" in drawn.read_text()) == (
            name == "samples"
        )  # the questions' histograms
        found.append(read_forecast(out))
    table, again = found
    pd.testing.assert_frame_equal(table, again, rtol=1e-6)
    assert set(table["predictor"]) == {"twin"}
    assert (table["role"] == np.where(table["N"] <= 8, "used", "held_out")).all()
    assert ((table["low"] <= table["predicted"]) & (table["predicted"] <= table["high"])).all()
    settings = pd.read_csv(tmp_path / "curves-match.settings.csv")
    assert settings["weight"].sum() >= 0.99
    assert settings["weight"].is_monotonic_decreasing
    assert {"n", "d", "k", "sigma_eps", "t"} <= set(settings)


def test_histograms_are_shares_of_the_sampled_answers(samples, matched, tmp_path):
    write_samples(samples, tmp_path / "samples.csv")
    ((names, known),) = matching.read_tables([tmp_path / "samples.csv"])[1].items()
    assert names == ("llm", "quiz", "pupil", "8")
    sampled = samples[samples["decoding"] == "sample"]
    right = sampled["correct"].groupby(sampled["question_id"]).mean()
    np.testing.assert_allclose(np.sort(known[:, 0]), np.sort(right))
    match = replace(matched([TRUTH]), shares=known)
    for column in (0, 1):
        bars, line = (layer.data for layer in figure.histogram(match, 0, column, "title", "axis").layers)
        assert bars["model"].sum() == pytest.approx(1)
        assert line["twin"][:-1].sum() == pytest.approx(1)
        assert bars["model"] @ (bars["start"] + bars["end"]) / 2 == pytest.approx(
            known[:, column].mean(), abs=0.04
        )


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"questions": None}, "questions"),
        ({"method": "ensemble"}, "no exact accuracies"),
        ({"permutation": "0"}, "no exact accuracies"),
        ({"N": lambda table: table["N"] + 8}, "least N is 9"),
    ],
)
def test_a_table_that_cannot_be_matched_is_refused(curves, tmp_path, change, named):
    table = exact_only(curves)
    write_curves(table.assign(**change).drop_duplicates("N"), tmp_path / "bad.csv")
    result = run(tmp_path / "bad.csv", "--out", tmp_path / "match.csv")
    assert isinstance(result.exception, BadInput)
    assert named in str(result.exception)
    assert not (tmp_path / "match.csv").exists()


def test_rows_above_the_largest_exam_are_left_out_and_said_so(curves, tmp_path):
    table = exact_only(curves)
    large = [table[table["N"] == 16].assign(N=n) for n in (1024, 1025)]
    write_curves(pd.concat([table, *large]), tmp_path / "many.csv")
    with pytest.warns(UserWarning, match="2 rows of N above 1024"):
        kept, _ = matching.read_tables([tmp_path / "many.csv"])
    assert kept["N"].max() == 1024


def test_odds_of_one_twin_for_several_settings():
    """Four candidates of two t: curves that point to one candidate at different t, and to different ones."""
    sure = np.full(8, 1e-9)
    early, late, other = sure.copy(), sure.copy(), sure.copy()
    early[2], late[3], other[6] = 1, 1, 1  # candidate 1 at its first and second t, candidate 3
    assert common_odds([early, late], steps=2) == pytest.approx(np.log10(4), abs=1e-6)
    assert common_odds([early, other], steps=2) < -7
    even = np.full(8, 1 / 8)
    assert common_odds([even, early, even], steps=2) == pytest.approx(0, abs=1e-6)

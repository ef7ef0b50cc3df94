"""The matched twin recovers itself, has intervals with coverage, and flags what it cannot explain."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from results import BadInput, build_curves, read_forecast, write_curves, write_samples
from results.votes.exact import VoteCounts
from studies.match import figure, matching
from studies.match.exam import STEPS, Exam, candidates, draw_answers, marks, shares, sit
from studies.match.likelihood import LEAST_P, Curve, Fit, predict, weigh
from studies.match.run import match as command
from studies.match.words import answer, common_odds, one_twin, verdict, with_steps
from synthetic.binary.accuracy import samples_table
from synthetic.binary.chain import law_of_paths
from synthetic.binary.paths import sample_supports
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys
from tests.studies.match.test_exam import POINTS, TRUTH

EXAM = Exam(16, POINTS)


def grid() -> list[BinarySetting]:
    return [s for s in candidates() if s.k == 1 and s.n in (2, 4) and s.d in (3, 5)]


@pytest.fixture(scope="module")
def samples() -> pd.DataFrame:
    """16 answers to each of 300 questions, from a twin of known setting with tasks not used by the grid."""
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


def test_a_twin_recovers_itself(matched):
    match = matched(grid())
    assert match.fit.p_value > 0.05
    true = np.array([setting == TRUTH and t >= 4 for setting in grid() for t in STEPS])
    assert match.fit.weights[true].sum() > 3 * true.mean()
    held = match.rows["N"].to_numpy() > 4
    assert abs(match.prediction.predicted - match.curve.accuracy)[held].max() < 0.02
    said = match.prediction
    half, off = 50 * (said.high - said.low)[held].mean(), 100 * abs(said.predicted - match.curve.accuracy)
    assert f"4 of 4 points are in its 90 % intervals (± {half:.1f})" in answer([match])
    for method, name in (("majority", "majority vote"), ("best_of_n", "best of N")):
        its = off[held & (match.rows["method"] == method)]
        assert f"{name} {its.mean():.1f} points off (at most {its.max():.1f})" in verdict(match)
    poor = replace(match, fit=replace(match.fit, misfit=1e3), fit_max_n=16)
    assert "fits 1 of 2" in answer([match, poor])
    assert "misfits N up to 16" in verdict(poor)
    table = matching.forecast_table([match, poor])
    assert list(table["status"]) == ["ok"] * 10 + ["poor_fit"] * 10
    assert (table["role"] == "held_out").sum() == 4  # of the first; none of the second
    np.testing.assert_array_equal(table["predicted"][:10], said.predicted)
    opacity = figure._curves(match, 0).layers[-1].to_dict()["encoding"]["fillOpacity"]["scale"]
    assert dict(zip(opacity["domain"], opacity["range"], strict=True)) == {"used": 1, "held_out": 0}


def test_only_twins_of_weight_sit_for_the_whole_curve_and_the_others_would_change_nothing(matched):
    match = matched(grid())
    every = [twin for setting in grid() for twin in sit(EXAM, setting, STEPS, seed=0)]
    assert len(match.twins) < len(every)
    said = predict(match.curve, every, match.fit.weights, match.fit.wider, 4)
    np.testing.assert_allclose(match.prediction.predicted, said.predicted, atol=2e-3)
    np.testing.assert_allclose(match.prediction.low, said.low, atol=1e-2)


def test_twins_keep_their_weights_and_the_light_ones_do_not_sit_again(matched, monkeypatch):
    """Ordered by weight, the steps of two candidates alternate."""
    other, weights = replace(TRUTH, n=2, d=3, sigma_eps=0.25), np.zeros(12)
    weights[[1, 8, 2, 7, 4]] = 0.4, 0.3, 0.2, 0.0995, 0.0005
    monkeypatch.setattr(matching, "weigh", lambda *_: Fit(weights, 1.0, 5, 1.0))
    match = matched([TRUTH, other])
    found = {(twin.setting, twin.t): weight for twin, weight in zip(match.twins, match.weights, strict=True)}
    expected = {(TRUTH, 2): 0.4, (other, 4): 0.3, (TRUTH, 4): 0.2, (other, 2): 0.0995}
    assert found == pytest.approx({key: weight / 0.9995 for key, weight in expected.items()})
    rows = matching.settings_table([match], share=0.8)  # three of the four carry 0.9
    told = [tuple(row) for row in rows[["n", "d", "k", "sigma_eps", "t"]].to_numpy().tolist()]
    assert told == [(4, 5, 1, 0.5, 2), (2, 3, 1, 0.25, 4), (4, 5, 1, 0.5, 4)]
    np.testing.assert_allclose(rows["weight"], np.array([0.4, 0.3, 0.2]) / 0.9995)


def test_intervals_hold_nine_of_ten_held_out_points():
    """Populations of 80 questions from the twin itself; N = 16 is forecast from the curve up to N = 4."""
    twins = [twin for setting in grid()[::2] for twin in sit(EXAM, setting, STEPS, seed=0)]
    law = law_of_paths(draw_tasks(TRUTH, task_keys(1, 4000), 9), TRUTH, (8,))
    found = marks(draw_answers(law.probabilities[:, 0], law.gold, EXAM, seed=2), EXAM).reshape(50, 80, -1)
    inside = []
    for rows in found:
        mean = rows.mean(axis=0)
        curve = Curve(POINTS, mean[:-1], float(mean[-1]), questions=len(rows), pool=16)
        fit = weigh(curve, twins, 4)
        said = predict(curve, twins, fit.weights, fit.wider, 4)
        inside.append(said.low[4] <= mean[4] <= said.high[4])
    assert 0.8 <= np.mean(inside) <= 1.0


def test_shares_are_counted_by_question():
    counts = VoteCounts(np.array([3, 0]), np.array([4, 1]), np.array([0, 2, 2]), np.array([2, 5]))
    np.testing.assert_allclose(shares(counts), [[0.3, -0.1], [0.0, 0.0]])
    assert matching.heaviest(np.array([0.1, 0.5, 0.3, 0.1]), 0.6) == [1, 2]


@pytest.mark.parametrize(("pool", "lowest"), [(8, 0), (16, 0), (64, -1), (80, 0), (10, -1)])
def test_bins_hold_equally_many_shares(pool, lowest):
    values = np.arange(lowest * pool, pool + 1) / pool
    held = np.histogram(values, figure.share_edges(pool, lowest))[0]
    assert held.sum() == len(values)
    assert len(set(held[:-1])) == 1


def run(*arguments):
    return CliRunner().invoke(command, [*map(str, arguments)], standalone_mode=False)


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
        bars = "mark-rect role-mark" in drawn.read_text()
        assert bars == (name == "samples")  # histograms of questions
        found.append(read_forecast(out))
    table, again = found
    pd.testing.assert_frame_equal(table, again, rtol=1e-6)
    assert set(table["predictor"]) == {"twin"}
    assert (table["role"] == np.where(table["N"] <= 8, "used", "held_out")).all()
    assert ((table["low"] <= table["predicted"]) & (table["predicted"] <= table["high"])).all()
    assert result.output.startswith("pupil on quiz")
    assert "Does the twin explain the model? It fits 0 of 1 curves up to N = 8" in result.output
    settings = pd.read_csv(tmp_path / "curves-match.settings.csv")
    assert list(settings) == [*matching.GROUP, "n", "d", "k", "sigma_eps", "t", "weight"]
    refused = run(tmp_path / "curves.csv", "--out", tmp_path / "other.csv", "--figure", "twin.jpg")
    assert ".png, .svg or .pdf" in str(refused.exception)
    assert not (tmp_path / "other.csv").exists()


def test_histograms_are_shares_of_the_sampled_answers(samples, matched, tmp_path):
    write_samples(samples.drop(columns="source"), tmp_path / "samples.csv")
    ((names, known),) = matching.read_tables([tmp_path / "samples.csv"])[1].items()
    assert names == ("llm", "quiz", "pupil", "8")
    sampled = samples[samples["decoding"] == "sample"]
    right = sampled["correct"].groupby(sampled["question_id"]).mean()
    np.testing.assert_allclose(np.sort(known[:, 0]), np.sort(right))
    match = matched([TRUTH])
    assert match.curve.square == pytest.approx((right**2).mean())
    assert match.curve.points == POINTS
    match = replace(match, shares=known, weights=np.append(0.9, np.full(len(match.twins) - 1, 0.1)))
    weights = np.concatenate([np.full(500, weight) for weight in match.weights])
    for column in (0, 1):
        drawn = figure.histogram(match, 0, column, "title", "axis")
        bars, line = (layer.data for layer in drawn.layers)
        twins = np.concatenate([twin.shares[:, column] for twin in match.twins])
        mean = np.average(twins, weights=weights)
        spread = np.sqrt(np.average((twins - mean) ** 2, weights=weights))
        assert f"deviation {known[:, column].std():.2f}; line: the twin, {spread:.2f}" in drawn.subtitle[0]
        middle = (bars["start"] + bars["end"]) / 2
        for share, expected in ((bars["model"], known[:, column].mean()), (line["twin"][:-1], mean)):
            assert (share.sum(), share @ middle) == pytest.approx((1, expected), abs=0.04)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"questions": lambda table: table["questions"].where(table["N"] > 1)}, "questions"),
        ({"method": "ensemble"}, "no exact accuracies"),
        ({"permutation": "0"}, "no exact accuracies"),
        ({"N": lambda table: table["N"] + 8}, "N is 9"),
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


def test_each_setting_of_each_model_is_matched_by_itself(curves, monkeypatch, tmp_path):
    """Two models, one with two settings, in interleaved rows; one curve begins at N = 2."""
    monkeypatch.setattr(matching, "candidates", lambda: grid()[:3])
    table = exact_only(curves)
    short, other = table[table["N"] > 1].assign(setting="9"), table.assign(model="adult")
    other["accuracy"] = 0.9 * other["accuracy"]
    mixed = pd.concat([other, table, short]).sort_values("N", kind="stable")
    known = {("llm", "quiz", "pupil", "9"): np.zeros((300, 2))}
    matches = matching.match_all(mixed, known)
    assert [match.names[2:] for match in matches] == [("adult", "8"), ("pupil", "8"), ("pupil", "9")]
    assert [match.shares is None for match in matches] == [True, True, False]
    assert [np.isfinite(match.curve.square) for match in matches] == [True, True, False]
    for match, rows in zip(matches, (other, table, short), strict=True):
        np.testing.assert_allclose(np.sort(match.curve.accuracy), np.sort(rows["accuracy"]))
        assert (match.curve.pool, match.curve.questions) == (16, 300)
    told, left = one_twin(matches)
    assert left.startswith("pupil on quiz")
    assert "of 3 twins" in left
    odds = common_odds(np.stack([match.fit.weights.reshape(3, len(STEPS)) for match in matches[1:]]))
    words = (
        f"at its 2 settings, t alone changing, is 10^{abs(odds):.1f} times {'more' if odds > 0 else 'less'}"
    )
    assert words in told
    assert told.partition(" has t = ")[2].count(",") == 1  # one t for each of two settings
    pupil = with_steps(matches).query("model == 'pupil'").drop_duplicates("setting")
    assert told.endswith(", ".join(f"{t:g}" for t in pupil["twin_t"]))
    np.testing.assert_allclose(pupil["twin_odds"], odds)
    assert with_steps(matches).query("model == 'adult'")["twin_t"].isna().all()
    laid_out = []
    monkeypatch.setattr(figure, "combined_spec", laid_out.append)
    monkeypatch.setattr(figure, "rendered", lambda *_: {".svg": b"<svg"})
    figure.save_picture(matches, tmp_path / "histograms.svg")
    figure.save_picture(matches[:2] * 2, tmp_path / "curves.svg")
    assert [[len(row) for row in rows] for rows in laid_out] == [[1, 1, 3], [3, 1]]


def test_questions_of_two_kinds_are_not_explained():
    """Half of the questions are always answered right, half by a coin flip between two answers."""
    laws = np.array([[1.0, 0.0], [0.5, 0.5]]).repeat(200, axis=0)
    rows = marks(draw_answers(laws, np.zeros(400, np.int64), EXAM, seed=0), EXAM)
    curve = Curve(POINTS, rows.mean(axis=0)[:-1], float(rows[:, -1].mean()), questions=400, pool=16)
    twins = [twin for setting in grid() for twin in sit(EXAM, setting, STEPS, seed=0)]
    fit = weigh(curve, twins, 4)
    said = predict(curve, twins, fit.weights, fit.wider, 4)
    assert fit.p_value < LEAST_P
    assert 1 / (fit.weights**2).sum() > 2  # the least bad twin does not get all the weight
    assert said.low[3] <= curve.accuracy[3] <= said.high[3]

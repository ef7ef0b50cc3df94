"""The study of promises: errors and verdicts by hand, an oracle, and a page that matches the data."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from studies.forecasts.worlds import Oracle, drawn, looks_of, vote_of
from studies.promises import run
from studies.promises.clusters import DESIGNS, equal_runs
from studies.promises.rows import mean, ratio, share


def test_errors_are_those_of_draws_made_again():
    rng = np.random.default_rng(1)
    again = [ratio(*pair) for pair in rng.normal([3.0, 2.0], [1.0, 0.5], (4000, 50, 2)).swapaxes(1, 2)]
    assert np.std([one[0] for one in again]) == pytest.approx(np.mean([one[1] for one in again]), rel=0.05)
    assert mean([1.0, 2.0, 6.0], 100) == pytest.approx((300, 100 * np.sqrt(7 / 3), 3))
    twice = share(np.repeat(np.arange(40) % 4 == 0, 2), [f"{i // 2}" for i in range(80)])
    assert twice == pytest.approx((25, 100 * np.sqrt(0.25 * 0.75 / 39), 40))
    assert share([True] * 20) == pytest.approx((100, 100 * np.sqrt(22 * 2 / 24**3), 20))
    assert np.isnan(share([])[0])


def test_a_promise_is_kept_within_the_error_of_what_was_measured():
    told = {"≤ 5": (4.9, 5.15, 5.3), "≥ 90": (95, 89.9, 87), "= 0": (-0.15, np.nan, 0.3)}
    for promised, values in told.items():
        found = [run.verdict(promised, value, 0.1) for value in values]
        assert found == ["yes", "–" if promised == "= 0" else "nearly", "**no**"]
    assert [run.verdict("≥ 90", np.nan, np.nan), run.verdict("", 3.0, 1.0)] == ["–", ""]


@pytest.mark.parametrize("design", DESIGNS)
def test_questions_of_a_cluster_correlate_as_the_design_says(design):
    differences, names = equal_runs(design, 4000, np.random.default_rng(3))
    sizes, correlation = DESIGNS[design]
    assert len(set(names)) == len(sizes)
    for place, expected in ((-2, correlation), (0, 0.0)):
        found = np.corrcoef(differences[[place, -1]])[0, 1]
        assert found == pytest.approx(expected, abs=0.06)


def test_an_oracle_holds_nine_in_ten_and_goes_by_what_answers_look_like():
    looks = looks_of(np.array([[0, 3, 3, 5], [0, 1, 2, 2], [0, 0, 3, 5], [-1, 0, 3, 3]]))
    assert (looks[0] == looks[1], len(set(looks.tolist()))) == (True, 3)
    oracle, rng, held = Oracle("25 % never right", 4), np.random.default_rng(0), []
    for _ in range(150):
        raw = drawn("25 % never right", 40, rng)
        interval, truth = oracle.interval(raw[:, :4], rng), vote_of(raw, [64])[0]
        held.append(interval.low[-1] <= truth <= interval.high[-1])
    assert np.mean(held) == pytest.approx(0.9, abs=3 * np.sqrt(0.09 / 150))


def test_the_page_says_what_was_measured_and_all_that_was_before():
    kept, before = pd.read_csv(run.NOW), pd.read_csv(run.BEFORE)
    assert set(kept["part"]) == set(run.PARTS)
    assert not kept[run.KEY].duplicated().any()
    assert len(before.merge(kept, on=run.KEY)) == len(before)
    page = run.PAGE.read_text(encoding="utf-8")
    for part, rows in run.judged(kept).groupby("part"):
        assert f"<!-- begin {part} -->\n\n{run.tables(rows)}\n\n<!-- end {part} -->" in page


def test_a_quick_part_is_printed_and_not_kept(monkeypatch):
    files = run.NOW.read_bytes(), run.PAGE.read_bytes()
    monkeypatch.delenv("DATA_DIR", raising=False)
    for part, said in (("luck", "| equal noise"), ("sequential", "DATA_DIR")):
        found = CliRunner().invoke(run.main, ["--part", part, "--quick"])
        assert (found.exit_code, said in found.output) == (0, True), found.output
    assert files == (run.NOW.read_bytes(), run.PAGE.read_bytes())

"""predict.planning.sizes: the ± that a pilot tells beside the scatter of simulated runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.evidence.groups import groups_of_samples
from predict.planning.sizes import precision, questions_with
from results.paired.powered import Powered, powered
from results.tables.files import read_raw
from results.votes.exact import AnswerPools, accuracy_by_question
from tests.predict.answers.pools import pool_of
from tests.predict.commands import predict
from tests.predict.conftest import simulated_samples
from tests.results.cli.command import results


def asked(laws: np.ndarray, answers: int, rng: np.random.Generator) -> AnswerPools:
    """Answers drawn from laws (questions, 7) over right, five wrong ones, and unreadable."""
    ladder = laws.cumsum(axis=1)[:, None, :-1]
    drawn = (rng.random((len(laws), answers, 1)) > ladder).sum(axis=2)
    return pool_of(np.where(drawn == 6, -1, drawn)).answers


def laws(questions: int, rng: np.random.Generator) -> np.ndarray:
    right, wrong = rng.beta(1.5, 1, questions), rng.dirichlet([2, 1, 0.5, 0.5, 0.5], questions)
    return np.column_stack([0.95 * right, 0.95 * (1 - right)[:, None] * wrong, np.full(questions, 0.05)])


@pytest.mark.parametrize("answers", [1, 2, 8])
def test_a_pilot_tells_the_scatter_of_runs(answers: int) -> None:
    """Runs of 40 questions: new ones each time, and the same ones again, 400 times each."""
    rng = np.random.default_rng(0)
    told = precision(asked(laws(500, rng), 6, rng), [40], [answers], seed=0)
    ways = list(zip(told["method"], told["N"], strict=True))
    assert ways == [("majority", 1), ("majority", answers), ("best_of_n", answers)][: 1 + 2 * (answers > 1)]
    for i, (method, N) in enumerate(ways):
        many = asked(laws(40 * 400, rng), answers, rng).counts()
        accuracy = accuracy_by_question(many, method, [N])[:, 0].reshape(400, 40).mean(axis=1)
        assert told["predicted"][i] == pytest.approx(accuracy.mean(), abs=0.03)
        assert told["new_margin"][i] == pytest.approx(1.645 * accuracy.std(), rel=0.12)
        same = np.repeat(laws(4000, rng), 2, axis=0)
        twice = accuracy_by_question(asked(same, answers, rng).counts(), method, [N])[:, 0].reshape(-1, 2)
        luck = np.sqrt((np.diff(twice) ** 2).mean() / 2 / 40)
        assert told["margin"][i] == pytest.approx(1.645 * luck, rel=0.12)


def test_what_halves_a_margin_does() -> None:
    rng = np.random.default_rng(1)
    even = np.tile([0.5, 0.5, 0, 0, 0, 0, 0.0], (300, 1))  # questions alike: luck is all there is
    pilot = asked(even, 8, rng)
    one = precision(pilot, [50], [2], seed=0).iloc[0]
    more = int(one["answers_to_halve"])
    assert 8 <= more < 16
    halved = precision(pilot, [50], [more], seed=0).iloc[0]
    assert 0.85 < halved["new_margin"] / (one["new_margin"] / 2) < 1.05
    (wider,) = precision(pilot, [one["questions_to_halve"]], [2], seed=0)["new_margin"][:1]
    assert wider == pytest.approx(one["new_margin"] / 2)
    spread = precision(asked(laws(300, rng), 8, rng), [50], [8], seed=0)
    assert spread["answers_to_halve"][0] == np.inf


def test_a_pilot_of_one_question_says_nothing_of_others() -> None:
    """Half of its answers are right: a run of 4 is off by its luck, √(p(1 − p)/4)."""
    one = precision(pool_of(np.array([[0, 0, 1, 1] * 16])).answers, [1], [4], seed=0).iloc[0]
    assert one["margin"] == pytest.approx(1.645 * np.sqrt(0.25 / 4), rel=0.05)
    assert np.isnan(one["new_margin"])


def test_the_command_prints_and_writes_it(tmp_path: Path) -> None:
    """By setting, of as many answers as every question has, and four times as many."""
    frame = simulated_samples(questions=20, answers=3, settings=("40", "80"))
    lost = (frame["setting"] == "80") & (frame["question_id"] == "q3") & (frame["sample"] == 2)
    frame[~lost].to_csv(tmp_path / "pilot.csv")
    options = "--questions", "20,100", "--seed", "5", "--out", tmp_path / "out.csv"
    done = predict("precision", tmp_path / "pilot.csv", *options)
    assert [done.output.count(f"best of {n} ") for n in (3, 12, 2, 8)] == [2, 2, 2, 2]
    written = read_raw(tmp_path / "out.csv", ())
    assert len(written) == 2 * 2 * 2 * 3
    (group,) = groups_of_samples(frame, "majority")
    expected = precision(group.pools[0].answers, [20, 100], [3, 12], 5)
    assert written["margin"][:12].astype(float).to_numpy() == pytest.approx(expected["margin"].to_numpy())


def test_questions_that_are_enough_with_a_cheap_side() -> None:
    """Laws of two sides with r² = .64: as many leave the variance of as many as were asked for alone."""
    rng = np.random.default_rng(4)
    pilot, total = 200, 2200
    common = rng.normal(size=(400, total))
    dear, cheap = (
        0.5 + 0.05 * (np.sqrt(0.8) * common + np.sqrt(0.2) * rng.normal(size=common.shape)) for _ in "ab"
    )
    names = [str(place) for place in range(total)]

    def run(asked: int, which: int) -> Powered:
        few, many = slice(None, asked), slice(asked, None)
        return powered(
            dear[which, few], cheap[which, few, None], cheap[which, many, None], names[few], names[many]
        )

    gain = np.mean([run(pilot, which).gain for which in range(20)])
    enough = int(questions_with(np.array([pilot]), np.array([gain]), pilot, total)[0])
    assert 60 < enough < 100
    assert np.mean([run(enough, which).mean for which in range(400)]) == pytest.approx(0.5, abs=0.001)
    spread = np.std([run(enough, which).mean for which in range(400)])
    assert spread == pytest.approx(0.05 / np.sqrt(pilot), rel=0.12)  # known to 3.5 %
    assert np.isnan(questions_with(np.array([total + 1]), np.array([gain]), pilot, total)).all()
    assert questions_with(np.array([total]), np.array([1.0]), pilot, total) == total


def test_the_command_prices_a_cheap_side_by_its_gain_at_as_many_answers(tmp_path: Path) -> None:
    """A cheap side that is always right on some questions: it tells more of many answers than of one."""
    frame = simulated_samples(questions=60, answers=8, settings=("40",))
    few = frame["question_id"].isin([f"q{q}" for q in range(20)])
    frame[few].to_csv(tmp_path / "pilot.csv")
    easy = frame["question_id"].str.endswith(("1", "5", "9"))
    cheap = frame.assign(answer=frame["answer"].mask(easy, "right"), correct=frame["correct"] | easy)
    cheap.to_csv(tmp_path / "many.csv")
    files = tmp_path / "pilot.csv", "--with", tmp_path / "many.csv"
    options = "--questions", "40,80", "--answers", "1,8", "--out", tmp_path / "out.csv"
    assert "with CHEAP" in predict("precision", *files, *options).output
    assert results("curves", *files, "--permutations", 0, "--out", tmp_path / "curves.csv") == 0
    gains = pd.read_csv(tmp_path / "curves.csv").set_index(["method", "N"])["gain"]
    told = pd.read_csv(tmp_path / "out.csv")
    own = np.array([gains[row.method, row.N] for row in told.itertuples()])
    np.testing.assert_array_equal(told["questions_with"], questions_with(told["questions"], own, 20, 60))
    assert np.ptp(own) > 0.1
    assert told["questions_with"].notna().equals(told["questions"] == 40)  # beyond all that it has: none

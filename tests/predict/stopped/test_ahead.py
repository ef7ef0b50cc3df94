"""predict.stopped.survival: the inputs of a look ahead, and the forecasts derived from it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from predict.estimate import Options, Status
from predict.evidence.points import Evidence, Points, Run
from predict.stopped import survival as module
from predict.stopped.fit import FEW_ANSWERS, Fit, Problem
from predict.stopped.observed import SeenLengths, seen_at
from predict.stopped.simulate import Simulated
from predict.stopped.survival import LEARN_FROM, Ahead, ahead_of, survival
from results.votes.exact import AnswerPools

CAP, CAPS = 60, {"cap=60": 60, "cap=80": 80, "cap=90": 90}
Q, SIZES = 310, np.where(np.arange(310) % 2, 18, 20)


@pytest.fixture
def run() -> Run:
    """A run with more questions and answers than the fit uses, in pools of two sizes, lengths 1 … 100."""
    rng = np.random.default_rng(0)
    names, starts = [f"q{q:03d}" for q in range(Q)], np.concatenate([[0], np.cumsum(SIZES)])
    tokens = rng.integers(1, 101, starts[-1]).astype(float)
    return Run("s", AnswerPools(names, starts, rng.integers(0, 3, starts[-1]), tokens), CAP, CAPS, SIZES)


@pytest.mark.parametrize(
    ("missed", "endless", "status"),
    [(3.0, 0.05, "ok"), (3.01, 0.05, "poor_fit"), (3.0, 0.051, "bound_hit"), (3.01, 0.3, "poor_fit")],
)
def test_it_learns_from_some_answers_and_looks_ahead_from_all(
    run: Run, missed: float, endless: float, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A law that missed by far, or by which many answers never end, is not ok."""
    calls: dict[str, Any] = {}
    found, sooner, drawn = Fit(np.arange(14.0), np.eye(14)), np.zeros((7, 2)), object()

    def called(name: str, answer: object) -> None:
        monkeypatch.setattr(module, name, lambda *given: calls.setdefault(name, given) and answer)

    parts = {"fit": found, "paces": (sooner, missed), "simulate": drawn, "fit_line": "line"}
    for name, answer in (parts | {"follow": "followed"}).items():
        called(name, answer)
    monkeypatch.setattr(Problem, "endless", lambda *given: calls.setdefault("endless", given) and endless)

    ahead = ahead_of(run, 7, 5)

    few: SeenLengths = calls["fit"][0].seen
    assert few.questions == LEARN_FROM
    assert set((few.ended_counts.sum(axis=1) + few.unfinished).tolist()) == {FEW_ANSWERS}
    assert set(calls["paces"][0].sizes.tolist()) == {FEW_ANSWERS}
    problem, start, caps, moved, _ = calls["simulate"]
    whole = seen_at(run.answers, CAP)
    assert (start, caps, moved is sooner) == (found, list(CAPS.values()), True)
    np.testing.assert_array_equal(problem.seen.ended_counts, whole.ended_counts)
    np.testing.assert_array_equal(problem.seen.unfinished, whole.unfinished)
    assert ahead == Ahead(problem.seen, "followed", status)


@pytest.mark.parametrize(
    ("ended", "of", "enough"), [(29, 40, False), (30, 601, False), (30, 600, True), (40, 60, True)]
)
def test_at_least_thirty_answers_and_a_twentieth_of_all_must_have_ended(
    ended: int, of: int, enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "fit", lambda _: pytest.fail("so it is fitted"))
    tokens = np.where(np.arange(of) < ended, float(CAP), CAP + 1)  # an answer of exactly the cap has ended
    few = Run(
        "s", AnswerPools(["a"], np.array([0, of]), np.zeros(of, int), tokens), CAP, CAPS, np.array([of])
    )

    if enough:
        with pytest.raises(pytest.fail.Exception, match="so it is fitted"):
            ahead_of(few, 50, 0)
    else:
        assert ahead_of(few, 50, 0) is None


@pytest.mark.parametrize(
    ("questions", "asked", "draws"), [(3, 0, 200), (3, 7, 7), (3, 300, 300), (4, 999, 999)]
)
def test_as_many_draws_as_are_asked_for(
    questions: int, asked: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "fit", lambda _: None)
    monkeypatch.setattr(module, "paces", lambda *given: pytest.fail(f"{given[3]} draws"))
    starts = np.arange(0, 20 * questions + 1, 20)
    pools = AnswerPools(list("abcd")[:questions], starts, np.zeros(starts[-1], int), np.full(starts[-1], 9.0))

    with pytest.raises(pytest.fail.Exception, match=f"^{draws} draws"):
        ahead_of(Run("s", pools, CAP, CAPS, pools.sizes), asked, 0)


CHANCES = np.random.default_rng(1).uniform(0.1, 0.5, (50, 20, 3))


def look() -> Ahead:
    """50 given draws of 20 questions at three caps, with pools of 8 and 12 answers."""
    sizes = np.where(np.arange(20) % 2, 8, 12)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    tokens = np.arange(starts[-1]) % 100 + 1.0
    pools = AnswerPools([f"q{q}" for q in range(20)], starts, np.zeros(starts[-1], int), tokens)
    return Ahead(seen_at(pools, CAP), Simulated(CHANCES, 2 * CHANCES, 100 * CHANCES), Status.OK)


def asked(names: list[str], N: list[int], whole: int = 1) -> tuple[Evidence, Points, Options]:
    nothing = Points.grid({}, [])
    pools = AnswerPools(["a"], np.array([0, 1]), np.array([0]), np.array([1.0]))
    run = Run("s", pools, CAP, CAPS, np.full(20, whole))
    observed = Evidence(nothing, np.empty(0), np.empty(0), method="best_of_n", run=run)
    targets = Points(np.array(names), np.ones(len(N)), np.array(N))
    return observed, targets, Options(replicates=50)


def test_each_target_has_its_own_cap_and_n(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean over draws and questions of 1 − (1 − p)^N, up to the luck of the pool."""
    monkeypatch.setattr(module, "ahead_of", lambda *_: look())

    found = survival(*asked(["cap=90", "cap=60", "cap=80"], [3, 1, 8], whole=10**5))

    each = [1 - (1 - CHANCES[:, :, c]) ** n for c, n in ((2, 3), (0, 1), (1, 8))]
    assert found.mean == pytest.approx([one.mean() for one in each], abs=1e-2)
    assert (found.these.low < found.mean).all()
    assert (found.mean < found.these.high).all()
    assert set(found.status) == {Status.OK}


def test_a_vote_is_among_right_answers_and_the_others_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake vote shows which probabilities it receives; half of the answers that ended are right."""
    monkeypatch.setattr(module, "ahead_of", lambda *_: look())
    monkeypatch.setattr(module, "vote_accuracy", lambda _, right, other, n: right / 2 + other / 3 / n)
    observed, targets, options = asked(["cap=80", "cap=90"], [1, 2], whole=10**5)

    found = survival(replace(observed, method="majority"), targets, options)

    expected = [(CHANCES / 2 + CHANCES / 3 / n)[:, :, c].mean() for c, n in ((1, 1), (2, 2))]
    assert found.mean == pytest.approx(expected, abs=0.01)


def test_without_enough_answers_there_is_no_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ahead_of", lambda *_: None)
    observed, targets, options = asked(["cap=80", "cap=90"], [1, 1])

    found = survival(observed, targets, options)

    assert set(found.status) == {Status.NOT_IDENTIFIABLE}
    assert np.isnan([found.mean, found.these.low, found.these.high]).all()
    assert found.lengths
    assert np.isnan([found.lengths.mean, found.lengths.interval.low, found.lengths.interval.high]).all()


def test_new_questions_are_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean then varies with the questions, and no luck of a pool is added."""
    shown = look()
    certain = np.broadcast_to(CHANCES[0], (4000, 20, 3))
    shown = replace(shown, simulated=Simulated(certain, certain, certain))
    monkeypatch.setattr(module, "ahead_of", lambda *_: shown)

    found = survival(*asked(["cap=80"], [4]))

    one = 1 - (1 - CHANCES[0, :, 1]) ** 4
    sd = one.std() / np.sqrt(20)
    assert found.mean == pytest.approx([one.mean()], abs=0.01)
    assert found.new.high - found.new.low == pytest.approx([2 * 1.645 * sd], rel=0.1)


def test_lengths_are_means_over_questions_at_the_named_caps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ahead_of", lambda *_: look())

    found = survival(*asked(["cap=90", "cap=80"], [1, 1])).lengths

    draws = 100 * CHANCES[:, :, [2, 1]].mean(axis=1)
    assert found
    assert found.mean == pytest.approx(draws.mean(axis=0))
    ends = np.array([found.interval.low, found.interval.high])
    assert ends == pytest.approx(np.percentile(draws, [5, 95], axis=0))

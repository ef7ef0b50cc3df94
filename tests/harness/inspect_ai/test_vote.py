"""The exact vote inside inspect_ai: its own runner, a mock model, the plug-in found by its name."""

import tomllib
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from math import isnan
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.harness.inspect_ai.runner import evaluated

pytest.importorskip("inspect_ai")

ANSWERS = {
    "q1": ["18", "18", "7", None, "7", "9"],
    "q2": ["5", "6", "6", "6", None, None],
    "q3": ["1000", "2,000", "2000", "1000", "1000", "3"],
}
GOLDS = {"q1": "18", "q2": "5", "q3": "1000"}


def vote(answers: list[str | None], gold: str, k: int) -> Fraction:
    """The mean over all subsets of `k` answers, ties shared."""
    shares = []
    for subset in combinations([answer and answer.replace(",", "") for answer in answers], k):
        votes = [answer for answer in subset if answer is not None]
        leaders = {answer for answer in votes if votes.count(answer) == max(map(votes.count, votes))}
        shares.append(Fraction(gold in leaders, max(len(leaders), 1)))
    return sum(shares, Fraction(0)) / len(shares)


def test_inspect_ai_reduces_epochs_by_the_exact_vote(tmp_path: Path) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["inspect_ai"]
    import_module(declared["tts"])  # what inspect_ai does for the names tts/…
    from inspect_ai import Epochs

    log = evaluated(tmp_path, ANSWERS, GOLDS, Epochs(6, ["tts/vote_3", "tts/vote_4", "tts/vote", "mean"]))
    found = {score.reducer: score.metrics["accuracy"].value for score in log.results.scores}
    means = {
        k: float(sum(vote(answers, GOLDS[name], k) for name, answers in ANSWERS.items()) / 3)
        for k in (1, 3, 4, 6)
    }
    assert found == pytest.approx(
        {"tts/vote_3": means[3], "tts/vote_4": means[4], "tts/vote": means[6], "mean": means[1]}
    )
    assert means[3] != means[4] != means[6] != means[1]


def test_epochs_without_a_score_take_no_part() -> None:
    from inspect_ai.scorer import Score

    from harness.inspect_ai.vote import vote as reducer

    scores = [Score(value="C", answer="18"), Score(value=float("nan")), Score(value=0.0, answer="7")]
    assert reducer()(scores).value == 0.5
    assert reducer(k=1)(scores).metadata == {"right": 1, "wrong": {"7": 1}, "unreadable": 0}
    partly = reducer()([*scores, Score(value="P", answer="7")])
    assert partly.metadata == {"right": 1, "wrong": {"7": 2}, "unreadable": 0}
    assert isnan(reducer(k=3)(scores).value)
    assert isnan(reducer()([Score(value=float("nan"))]).value)
    assert reducer()([Score(value="I"), Score(value="I", answer=" ")]).value == 0.0

"""The exact vote inside inspect_ai: its own runner, a mock model, and the plug-in found by name."""

import tomllib
from importlib import import_module
from math import isnan
from pathlib import Path
from statistics import mean

import pytest

from tests.by_hand import by_subsets
from tests.conftest import ROOT, needs
from tests.harness.inspect_ai.runner import evaluated

pytestmark = needs("inspect_ai")

ANSWERS = {
    "q1": ["18", "18", "7", None, "7", "9"],
    "q2": ["5", "6", "6", "6", None, None],
    "q3": ["1000", "2,000", "2000", "1000", "1000", "3"],
}
GOLDS = {"q1": "18", "q2": "5", "q3": "1000"}


def test_inspect_ai_reduces_epochs_by_the_exact_vote(tmp_path: Path) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["inspect_ai"]
    import_module(declared["tts"])  # as inspect_ai does for names such as tts/…
    from inspect_ai import Epochs

    log = evaluated(tmp_path, ANSWERS, GOLDS, Epochs(6, ["tts/vote_3", "tts/vote_4", "tts/vote", "mean"]))
    found = {score.reducer: score.metrics["accuracy"].value for score in log.results.scores}
    for name, k in {"tts/vote_3": 3, "tts/vote_4": 4, "tts/vote": 6, "mean": 1}.items():
        votes = [
            by_subsets([answer and answer.replace(",", "") for answer in answers], k, right=GOLDS[question])
            for question, answers in ANSWERS.items()
        ]
        assert found[name] == pytest.approx(mean(votes))
    assert len({*found.values()}) == 4


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

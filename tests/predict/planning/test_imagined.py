"""Imagined answers: every number of a wrong answer is in use, and rates move to the accuracy asked for."""

import numpy as np
import pytest

from predict.groups import read_groups
from predict.planning.imagined import imagine
from predict.planning.next_run import accuracy_at
from predict.predictors import PREDICTORS
from predict.protocol import Options, Points, Prediction


@pytest.mark.parametrize("accuracy", [None, 0.3])
def test_wrong_answers_are_numbered_without_gaps(samples_file: str, accuracy: float | None) -> None:
    (group,) = read_groups([samples_file], "majority")
    answers = group.pools[0].answers
    larger = imagine(answers, 6, np.random.default_rng(0), accuracy)
    counts = larger.counts()
    assert (counts.wrong > 0).all()
    assert (counts.pools == answers.sizes + 6).all()
    assert larger.votes[: answers.sizes[0]].tolist() == answers.votes[: answers.sizes[0]].tolist()


def test_quantiles_of_a_forecast_run_through_both_ends_of_its_interval(
    samples_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mean, low, high = (np.array([value]) for value in (0.5, 0.4, 0.8))
    told = Prediction(mean, low, high, np.array(["ok"]), np.ones(1))
    monkeypatch.setitem(PREDICTORS, "lopsided", lambda *_: told)
    (group,) = read_groups([samples_file], "majority")
    place, options = Points(np.array(["40"]), np.ones(1), np.array([1])), Options(level=0.8)
    found = accuracy_at(group, "lopsided", place, options, np.array([0.1, 0.5, 0.9]))
    assert found == pytest.approx([0.4, 0.5, 0.8])

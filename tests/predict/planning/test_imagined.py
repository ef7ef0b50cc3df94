"""Imagined answers: every number of a wrong answer is in use, and rates move to the accuracy asked for."""

import numpy as np
import pytest

from predict.groups import read_groups
from predict.planning.imagined import imagine


@pytest.mark.parametrize("accuracy", [None, 0.3])
def test_wrong_answers_are_numbered_without_gaps(samples_file: str, accuracy: float | None) -> None:
    (group,) = read_groups([samples_file], "majority")
    answers = group.pools[0].answers
    larger = imagine(answers, 6, np.random.default_rng(0), accuracy)
    counts = larger.counts()
    assert (counts.wrong > 0).all()
    assert (counts.pools == answers.sizes + 6).all()
    assert larger.votes[: answers.sizes[0]].tolist() == answers.votes[: answers.sizes[0]].tolist()

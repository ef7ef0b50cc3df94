"""The advice on answers that could not be read."""

from pathlib import Path

import pytest

from harness.grader import Grader
from harness.tally.unreadable import Unreadable


@pytest.mark.parametrize(
    ("never", "told"),
    [
        (1, r"most end in 'is \boxed{N}' (2 times), nothing at all (1 times): `tts regrade run"),
        (2, "reads 2 of these 4"),
        (3, "3 of these 5 have 0 tokens and no text: they were never generated"),
    ],
)
def test_answers_were_never_generated_only_if_most_have_no_tokens(never: int, told: str) -> None:
    unreadable = Unreadable(Grader(("hashes",)))
    for number in range(2):
        unreadable.add(f"it is \\boxed{{{number}}}", "stop", 9)
    for _ in range(never):
        unreadable.add("", "stop", 0)
    assert told in unreadable.advice(0.3, [Path("run")])

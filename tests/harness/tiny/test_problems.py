"""The generator: seeded, split by question, and right by an evaluation of its own."""

import json
import re
from fractions import Fraction
from itertools import islice
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import harness.tiny
from harness.tiny.problems import MAX_VALUE, distinct_problems, problems

TEST_FILE = Path(harness.tiny.__file__).parent / "test.jsonl"
ANNOTATION = re.compile(r"(\d+) ([-+*/]) (\d+) = <<(\d+)([-+*/])(\d+)=(\d+)>>(\d+)")


def rows_of(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def evaluated(answer: str) -> list[int]:
    """Every `<<a+b=c>>` computed again in exact fractions; fails where one does not hold."""
    results = []
    for plain_left, plain_op, plain_right, left, op, right, result, shown in ANNOTATION.findall(answer):
        assert (plain_left, plain_op, plain_right, shown) == (left, op, right, result)
        a, b = Fraction(left), Fraction(right)
        value = a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b
        assert value == int(result)
        results.append(int(result))
    return results


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), split=st.sampled_from(["train", "test"]))
def test_every_step_holds_and_the_last_is_the_gold_answer(seed, split):
    for problem in islice(problems(split, seed), 20):
        row = problem.row()
        lines = row["answer"].split("\n")
        results = evaluated(row["answer"])
        assert 2 <= len(results) == len(problem.steps) == len(lines) - 1 <= 6
        assert lines[-1] == f"#### {results[-1]}" == f"#### {problem.gold}"
        assert all(2 <= result <= MAX_VALUE for result in results)
        assert not re.search(r"[{}]", row["question"] + row["answer"])


def test_a_stream_holds_problems_of_its_own_split_only():
    test_questions = {row["question"] for row in rows_of(TEST_FILE)}
    train = list(islice(problems("train", 0), 20_000))
    assert {problem.split for problem in train} == {"train"}
    assert test_questions.isdisjoint(problem.question for problem in train)
    assert {problem.split for problem in islice(problems("test", 1), 200)} == {"test"}


def test_the_shipped_test_file_has_the_first_problems_of_the_stream():
    assert rows_of(TEST_FILE) == [problem.row() for problem in distinct_problems("test", 0, 300)]

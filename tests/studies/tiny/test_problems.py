"""The generator: seeded, split by question, and right by an evaluation of its own."""

import json
import re
from fractions import Fraction
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.questions.load import TINY_FILE
from studies.tiny.problems import MAX_VALUE, Problem, problems

ROWS = [json.loads(line) for line in TINY_FILE.read_text(encoding="utf-8").splitlines()]
ANNOTATION = re.compile(r"(\d+) ([-+*/]) (\d+) = <<(\d+)([-+*/])(\d+)=(\d+)>>(\d+)")


def steps_of(problem: Problem) -> list[tuple[int, str, int, int]]:
    return [(step.left, step.op, step.right, step.result) for step in problem.steps]


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), split=st.sampled_from(["train", "test"]))
def test_every_step_holds_and_the_last_is_the_gold_answer(seed, split):
    for problem in islice(problems(split, seed), 20):
        for left, op, right, result in steps_of(problem):
            a, b = Fraction(left), Fraction(right)
            assert result == (a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b)
            assert 2 <= result <= MAX_VALUE
        assert 2 <= len(problem.steps) <= 6
        assert problem.gold == result
        sentences = [step.sentence for step in problem.steps]
        assert all(sentence.count("{eq}") == 1 for sentence in sentences)
        assert not re.search(r"[{}]", problem.question + "".join(sentences).replace("{eq}", ""))


def test_a_stream_holds_problems_of_its_own_split_only():
    train = list(islice(problems("train", 0), 6_000))
    assert {problem.split for problem in train} == {"train"}
    assert {row["question"] for row in ROWS}.isdisjoint(problem.question for problem in train)
    assert {problem.split for problem in islice(problems("test", 1), 200)} == {"test"}


def test_the_shipped_test_file_has_the_first_problems_of_the_stream():
    first = {problem.question: problem for problem in islice(problems("test", 0), 400)}
    for row, (question, problem) in zip(ROWS, first.items(), strict=False):
        *lines, last = row["answer"].split("\n")
        assert (row["question"], last) == (question, f"#### {problem.gold}")
        written = [step.sentence.format(eq=step.equation) for step in problem.steps]
        assert [re.sub("<<.*>>", "", line) for line in lines] == written
        compact = [(int(a), op, int(b), int(c)) for *_, a, op, b, c, _ in ANNOTATION.findall(row["answer"])]
        assert compact == steps_of(problem)
    assert len(ROWS) == 300 <= len(first)

"""Problems and solutions: seeded, split by question, independently verified, and of the requested length."""

import hashlib
import json
import re
from fractions import Fraction
from functools import cache
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location
from harness.questions.load import TINY_FILE
from studies.tiny.problems import MAX_VALUE, Problem, problems
from studies.tiny.solutions import solution, solutions

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


BUDGETS = range(5, 200)
EXPRESSION = re.compile(r"\d+(?: [-+*/=] \d+)+")


@pytest.fixture(scope="module")
def count_tokens():
    tokens = PromptTokens(model_location("tiny"), None, chat=True)
    return cache(lambda text: len(tokens.plain(text)))


def sides_hold(text: str) -> bool:
    """Whether all sides of every `a + b = c = d` in the text are equal."""
    chains = EXPRESSION.findall(text)
    return all(len({eval(side) for side in chain.split("=")}) == 1 for chain in chains)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_solution_is_true_and_ends_in_the_format(seed):
    for problem in islice(problems("train", seed), 10):
        texts = solutions(problem)
        assert texts[0] == f"The answer is ##{problem.gold}##. [END]"
        assert len(texts) >= len(problem.steps) + 2
        for text in texts:
            assert text.endswith(texts[0])
            assert text.count("##") == 2
            assert sides_hold(text)


def test_the_texts_are_those_the_shipped_model_was_trained_on():
    texts = [[problem.question, *solutions(problem)] for problem in islice(problems("train", 0), 2000)]
    assert hashlib.sha256(repr(texts).encode()).hexdigest()[:16] == "4b6aba760885a241"


def test_a_bigger_budget_never_gives_a_shorter_solution_and_the_nearest_length_wins(count_tokens):
    for problem in islice(problems("train", 0), 100):
        lengths = [count_tokens(text) + 1 for text in solutions(problem)]
        chosen = [count_tokens(solution(problem, budget, count_tokens)) + 1 for budget in BUDGETS]
        assert chosen == sorted(chosen)
        nearest = [min(lengths, key=lambda length: (abs(length - budget), -length)) for budget in BUDGETS]
        assert chosen == nearest  # the longer of two equally near

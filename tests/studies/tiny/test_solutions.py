"""Solutions at every budget: right, in the format, and of about the length that was asked for."""

import hashlib
import re
from functools import cache
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location
from studies.tiny.problems import problems
from studies.tiny.solutions import solution, solutions

BUDGETS = range(5, 200)
EXPRESSION = re.compile(r"\d+(?: [-+*/=] \d+)+")


@pytest.fixture(scope="module")
def count_tokens():
    tokens = PromptTokens(model_location("tiny"), None, chat=True)
    return cache(lambda text: len(tokens.plain(text)))


def sides_hold(text: str) -> bool:
    """Whether all sides of every `a + b = c = d` in the text have one value."""
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
        assert chosen == nearest  # of two as near, the longer

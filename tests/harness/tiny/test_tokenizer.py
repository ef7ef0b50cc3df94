"""The tokenizer: exact round trips, token by token as well, and no text that it refuses."""

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tiny.problems import problems
from harness.tiny.solutions import solutions
from harness.tiny.tokenizer import build_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_problems_and_solutions_come_back_exactly_and_token_by_token(tokenizer, seed):
    for problem in islice(problems("train", seed), 10):
        for text in [problem.question, problem.row()["answer"], *solutions(problem)]:
            ids = tokenizer(text).input_ids
            assert tokenizer.decode(ids) == text
            assert "".join(tokenizer.decode([token]) for token in ids) == text


@given(text=st.text())
def test_any_text_is_encoded_with_known_ids(tokenizer, text):
    ids = tokenizer(text).input_ids
    assert all(0 <= token < len(tokenizer) for token in ids)
    assert len(ids) <= len(text)


def test_the_chat_template_gives_exactly_the_training_prompt(tokenizer):
    user = {"role": "user", "content": "Anna has 12 apples."}
    assistant = {"role": "assistant", "content": "The answer is ##12##. [END]"}
    render = {"tokenize": False}
    asked = tokenizer.apply_chat_template([user], add_generation_prompt=True, **render)
    assert asked == "<|user|>Anna has 12 apples.<|assistant|>"
    answered = tokenizer.apply_chat_template([user, assistant], **render)
    assert answered == asked + "The answer is ##12##. [END]<|end|>"
    with pytest.raises(Exception, match="roles are user and assistant, not system"):
        tokenizer.apply_chat_template([{"role": "system", "content": "x"}], **render)

"""The tokenizer: exact round trips, token by token as well, and no text that it refuses."""

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prompts
from harness.tiny.problems import problems
from harness.tiny.solutions import solutions
from harness.tiny.tokenizer import PROMPT, build_tokenizer

ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126) | st.just("\n"))


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


@given(text=ASCII)
def test_any_ascii_text_comes_back_exactly(tokenizer, text):
    assert tokenizer.decode(tokenizer(text, split_special_tokens=True).input_ids) == text


@given(text=st.text())
def test_any_text_is_encoded_with_known_ids(tokenizer, text):
    ids = tokenizer(text).input_ids
    assert all(0 <= token < len(tokenizer) for token in ids)
    assert len(ids) <= len(text)


def test_a_word_of_the_problems_is_one_token_and_a_digit_is_one_token(tokenizer):
    pieces = tokenizer.convert_ids_to_tokens(tokenizer("Anna has 12 apples.").input_ids)
    assert pieces == ["Anna", " has", " 1", "2", " apples", "."]
    assert tokenizer.convert_ids_to_tokens(tokenizer(" zebra é").input_ids) == [*" zebra ", "<|unk|>"]
    assert tokenizer.convert_ids_to_tokens(tokenizer("##51##. [END]").input_ids)[-1] == " [END]"


def test_nothing_of_a_prompt_or_solution_is_spelled_or_unknown(tokenizer):
    for problem in islice(problems("test", 0), 100):
        prompt = prompts.fill(PROMPT, problem=problem.question, token_limit=120)
        for text in [prompt, *solutions(problem)]:
            pieces = tokenizer.convert_ids_to_tokens(tokenizer(text).input_ids)
            assert "<|unk|>" not in pieces
            assert not any(len(piece) == 1 and piece.isalpha() for piece in pieces)


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

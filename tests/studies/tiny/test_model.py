"""The shipped model loads unchanged, keeps to the format, and thinks longer with a larger budget."""

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prompts
from harness.experiment import TINY_MODEL
from harness.grader import Grader
from harness.questions.load import load_questions
from studies.tiny.problems import problems
from studies.tiny.solutions import solutions

QUESTIONS = load_questions("tiny")[:40]
BUDGETS = (10, 30, 120)


@pytest.fixture(scope="module")
def loaded(transformers):
    tokenizer = transformers.AutoTokenizer.from_pretrained(TINY_MODEL)
    return tokenizer, transformers.AutoModelForCausalLM.from_pretrained(TINY_MODEL)


@pytest.fixture(scope="module")
def greedy_answers(loaded, torch):
    """{budget: greedy completions of the first test questions, as token ids up to the end token}."""
    tokenizer, model = loaded
    answers = {}
    for budget in BUDGETS:
        asked = [prompts.fill("tiny-budget", problem=q.problem, token_limit=budget) for q in QUESTIONS]
        chats = [[{"role": "user", "content": text}] for text in asked]
        texts = tokenizer.apply_chat_template(chats, add_generation_prompt=True, tokenize=False)
        batch = tokenizer(texts, return_tensors="pt", padding=True, padding_side="left")
        with torch.inference_mode():
            rows = model.generate(**batch, do_sample=False, max_new_tokens=256)[:, batch.input_ids.shape[1] :]
        answers[budget] = [
            [token for token in row if token != tokenizer.pad_token_id] for row in rows.tolist()
        ]
    return answers


def test_vocabulary_and_end_token_are_the_model_s(loaded):
    tokenizer, model = loaded
    assert len(tokenizer) == model.config.vocab_size
    assert len(tokenizer) % 64 == 0  # servers split embeddings over devices in blocks of 64
    assert model.generation_config.eos_token_id == tokenizer.eos_token_id


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_problems_and_solutions_come_back_exactly_and_token_by_token(loaded, seed):
    tokenizer, _ = loaded
    for problem in islice(problems("train", seed), 10):
        for text in [problem.question, *solutions(problem)]:
            ids = tokenizer(text).input_ids
            assert tokenizer.decode(ids) == text
            assert "".join(tokenizer.decode([token]) for token in ids) == text


@settings(deadline=None)
@given(text=st.text())
def test_any_text_is_encoded_with_known_ids(loaded, text):
    ids = loaded[0](text).input_ids
    assert all(0 <= token < len(loaded[0]) for token in ids)
    assert len(ids) <= len(text)


def test_a_chat_has_roles_of_two_kinds(loaded):
    tokenizer, _ = loaded
    chat = [{"role": "user", "content": "Anna"}, {"role": "assistant", "content": "##12##"}]
    shown = tokenizer.apply_chat_template(chat, tokenize=False)
    assert shown == "<|user|>Anna<|assistant|>##12##<|end|>"
    with pytest.raises(Exception, match="system"):
        tokenizer.apply_chat_template([{"role": "system", "content": "x"}], tokenize=False)


def test_greedy_answers_keep_to_the_format_and_longer_budgets_give_longer_and_better_ones(
    loaded, greedy_answers
):
    tokenizer, _ = loaded
    golds = [asked.gold for asked in QUESTIONS]
    lengths, accuracies = [], []
    for budget, rows in greedy_answers.items():
        assert all(row[-1] == tokenizer.eos_token_id for row in rows), budget
        texts = [tokenizer.decode(row, skip_special_tokens=True) for row in rows]
        read = [Grader(("hashes",)).read(text).value for text in texts]
        in_format = [
            text.endswith(" [END]") and found is not None for text, found in zip(texts, read, strict=True)
        ]
        assert sum(in_format) >= 0.95 * len(texts), budget
        lengths.append(sum(map(len, rows)) / len(rows))
        accuracies.append(sum(map(str.__eq__, map(str, read), golds)) / len(rows))
    assert lengths[0] < 12 < lengths[1] < 45 < lengths[2]
    assert accuracies[0] <= 0.35
    assert accuracies[0] < accuracies[1] < accuracies[2]
    assert accuracies[2] >= 0.7

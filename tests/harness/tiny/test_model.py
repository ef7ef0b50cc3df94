"""The shipped model: it loads unchanged, keeps to the format, and thinks longer when it may."""

import pytest

import prompts
from harness.grader import Grader
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from harness.tiny.__main__ import MODEL_FOLDER
from harness.tiny.problems import distinct_problems
from harness.tiny.tokenizer import PROMPT, build_tokenizer

ASKED = 40
BUDGETS = (10, 30, 120)


@pytest.fixture(scope="module")
def loaded():
    declare_torchvision_operations()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoTokenizer.from_pretrained(MODEL_FOLDER), AutoModelForCausalLM.from_pretrained(MODEL_FOLDER)


@pytest.fixture(scope="module")
def greedy_answers(loaded):
    """{budget: greedy completions of the first test questions, as token ids up to the end token}."""
    import torch

    tokenizer, model = loaded
    questions = distinct_problems("test", 0, ASKED)
    answers = {}
    for budget in BUDGETS:
        chats = [
            [{"role": "user", "content": prompts.fill(PROMPT, problem=p.question, token_limit=budget)}]
            for p in questions
        ]
        texts = tokenizer.apply_chat_template(chats, add_generation_prompt=True, tokenize=False)
        batch = tokenizer(texts, return_tensors="pt", padding=True, padding_side="left")
        with torch.inference_mode():
            rows = model.generate(**batch, do_sample=False, max_new_tokens=256)[:, batch.input_ids.shape[1] :]
        answers[budget] = [
            [token for token in row if token != tokenizer.pad_token_id] for row in rows.tolist()
        ]
    return answers


def test_the_shipped_tokenizer_is_the_one_the_code_builds(loaded, tmp_path):
    tokenizer, model = loaded
    build_tokenizer().save_pretrained(tmp_path)
    for name in ("tokenizer.json", "chat_template.jinja"):
        assert (tmp_path / name).read_bytes() == (MODEL_FOLDER / name).read_bytes()
    assert len(tokenizer) == model.config.vocab_size
    assert len(tokenizer) % 64 == 0  # servers split an embedding over devices in such blocks
    assert model.generation_config.eos_token_id == tokenizer.eos_token_id


def test_greedy_answers_keep_to_the_format_and_longer_budgets_give_longer_and_better_ones(
    loaded, greedy_answers
):
    tokenizer, _ = loaded
    golds = [str(problem.gold) for problem in distinct_problems("test", 0, ASKED)]
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

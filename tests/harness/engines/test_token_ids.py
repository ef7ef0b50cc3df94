"""Prompts as token ids: what transformers makes of them."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion
from harness.engines.token_ids import PromptTokens, counted
from harness.experiment import model_location
from results import BadInput
from tests.harness.engines.tiny_copy import changed

TINY = model_location("tiny")
PROMPT = "Anna has 12 apples. She finds 5 more.\nUse around 40 tokens."


def tokens_of(folder: str | Path, chat: bool = True) -> PromptTokens:
    return PromptTokens(str(folder), None, chat=chat)


def test_a_prompt_has_the_ids_of_the_chat_template_or_of_its_text_and_what_was_said_follows(
    transformers: Any,
) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(TINY)
    turns = [{"role": "user", "content": PROMPT}]
    chat = theirs.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    assert list(tokens_of(TINY).encode(PROMPT)) == chat
    assert list(tokens_of(TINY, chat=False).encode(PROMPT)) == theirs(PROMPT)["input_ids"]
    said = theirs(" 12 + 5", add_special_tokens=False)["input_ids"]
    assert list(tokens_of(TINY).go_on(PROMPT, " 12 + 5")) == chat + said


@pytest.mark.parametrize(("told", "found"), [(None, 20), (0, 20), (7, 7)])
def test_thinking_that_a_server_does_not_count_is_counted(told: int | None, found: int) -> None:
    answer = Completion("##17##", 30, 20, "stop", 1, reasoning=" is" * 20, reasoning_tokens=told)
    assert counted(answer, tokens_of(TINY)).reasoning_tokens == found


@pytest.mark.parametrize(
    ("files", "without", "said"),
    [
        ({}, "*", "no tokenizer could be loaded"),
        ({}, "*.jinja", "no chat template"),
        ({"tokenizer.json": "{}"}, "", "no tokenizer could be loaded"),
        ({"tokenizer_config.json": "{"}, "", "not JSON"),
        ({"chat_template.jinja": "{{ messages[0].content"}, "", "chat template"),
        ({"chat_template.jinja": "{{ raise_exception('one turn is too few') }}"}, "", "one turn is too few"),
    ],
)
def test_a_file_that_is_missing_or_cannot_be_used_is_refused(
    files: dict[str, str], without: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=said):
        tokens_of(changed(tmp_path, files, (without,)))


def test_prompts_are_neither_cut_nor_filled_up(tmp_path: Path) -> None:
    asked = {"truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}}
    asked["padding"] = {"strategy": {"Fixed": 99}, "direction": "Right", "pad_to_multiple_of": None}
    asked["padding"] |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "<|pad|>"}
    found = tokens_of(changed(tmp_path, {"tokenizer.json": asked}))
    assert found.encode(PROMPT) == tokens_of(TINY).encode(PROMPT)


def test_a_model_in_the_hubs_cache_needs_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    cached = tmp_path / "models--org--model"
    for commit in "ab":
        shutil.copytree(TINY, cached / "snapshots" / (commit * 40))
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("a" * 40)
    assert tokens_of("org/model").encode(PROMPT) == tokens_of(TINY).encode(PROMPT)
    assert PromptTokens("org/model", "b" * 40, chat=True).folder.name == "b" * 40
    with pytest.raises(BadInput, match="hub"):
        tokens_of("org/another")

"""Prompts as token ids: what transformers makes of them."""

import shutil
from pathlib import Path

import pytest

from harness.engines.tokens import PromptTokens
from harness.experiment import model_location
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from results import BadInput

TINY = Path(model_location("tiny"))
PROMPT = "Anna has 12 apples. She finds 5 more.\nUse around 40 tokens."


def test_a_prompt_has_the_ids_of_the_chat_template_or_of_its_text_and_what_was_said_follows() -> None:
    declare_torchvision_operations()
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(str(TINY))
    turns = [{"role": "user", "content": PROMPT}]
    chat = theirs.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    ours = PromptTokens(str(TINY), None, chat=True)
    assert list(ours.encode(PROMPT)) == chat
    assert list(PromptTokens(str(TINY), None, chat=False).encode(PROMPT)) == theirs(PROMPT)["input_ids"]
    said = theirs(" 12 + 5", add_special_tokens=False)["input_ids"]
    assert list(ours.go_on(PROMPT, " 12 + 5")) == chat + said


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no tokenizer could be loaded"):
        PromptTokens(str(tmp_path), None, chat=False)


def test_a_model_in_the_hubs_cache_needs_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    cached = tmp_path / "models--org--model"
    shutil.copytree(TINY, cached / "snapshots" / ("a" * 40))
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("a" * 40)
    found = PromptTokens("org/model", None, chat=True)
    assert found.encode(PROMPT) == PromptTokens(str(TINY), None, chat=True).encode(PROMPT)
    assert found.local_only


def test_a_model_without_a_template_is_refused_as_chat(tmp_path: Path) -> None:
    for file in TINY.glob("*.json"):
        shutil.copy(file, tmp_path)
    with pytest.raises(BadInput, match="no chat template"):
        PromptTokens(str(tmp_path), None, chat=True)

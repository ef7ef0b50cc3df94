"""Prompts as token ids: what transformers makes of them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion
from harness.engines.token_ids import PromptTokens, counted
from harness.experiment import model_location
from results import BadInput

TINY = Path(model_location("tiny"))
PROMPT = "Anna has 12 apples. She finds 5 more.\nUse around 40 tokens."


BEGIN = 2


def with_begin_token(folder: Path) -> Path:
    """The tiny model's tokenizer in `folder`, which now puts a token before every text."""
    from tokenizers import Tokenizer, processors

    shutil.copytree(TINY, folder, dirs_exist_ok=True)
    tokenizer = Tokenizer.from_file(str(TINY / "tokenizer.json"))
    name = tokenizer.id_to_token(BEGIN)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{name} $A", special_tokens=[(name, BEGIN)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def test_a_prompt_has_the_ids_of_the_chat_template_or_of_its_text_and_what_was_said_follows(
    transformers: Any,
) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(str(TINY))
    turns = [{"role": "user", "content": PROMPT}]
    chat = theirs.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    ours = PromptTokens(str(TINY), None, chat=True)
    assert list(ours.encode(PROMPT)) == chat
    assert list(PromptTokens(str(TINY), None, chat=False).encode(PROMPT)) == theirs(PROMPT)["input_ids"]
    said = theirs(" 12 + 5", add_special_tokens=False)["input_ids"]
    assert list(ours.go_on(PROMPT, " 12 + 5")) == chat + said


def test_only_the_text_of_a_prompt_begins_with_the_begin_token(tmp_path: Path) -> None:
    begun = str(with_begin_token(tmp_path))
    plain, chat = (PromptTokens(begun, None, chat=chat) for chat in (False, True))
    tiny = [PromptTokens(str(TINY), None, chat=chat) for chat in (False, True)]
    assert plain.encode(PROMPT) == (BEGIN, *tiny[0].encode(PROMPT))
    assert plain.go_on(PROMPT, " 12") == (BEGIN, *tiny[0].go_on(PROMPT, " 12"))
    assert chat.go_on(PROMPT, " 12") == tiny[1].go_on(PROMPT, " 12")  # a template writes its own


@pytest.mark.parametrize(("told", "found"), [(None, 20), (0, 20), (7, 7)])
def test_thinking_that_a_server_does_not_count_is_counted(told: int | None, found: int) -> None:
    answer = Completion("##17##", 30, 20, "stop", 1, reasoning=" is" * 20, reasoning_tokens=told)
    assert counted(answer, PromptTokens(str(TINY), None, chat=True)).reasoning_tokens == found


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no tokenizer could be loaded"):
        PromptTokens(str(tmp_path), None, chat=False)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tokenizer.json", "{}", "no tokenizer could be loaded"),
        ("tokenizer_config.json", "{", "not JSON"),
        ("chat_template.jinja", "{{ messages[0].content", "chat template"),
        ("chat_template.jinja", "{{ raise_exception('one turn is too few') }}", "one turn is too few"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(name: str, content: str, said: str, tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path, dirs_exist_ok=True)
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInput, match=said):
        PromptTokens(str(tmp_path), None, chat=True)


def test_prompts_are_neither_cut_nor_filled_up(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path, dirs_exist_ok=True)
    asked = {"truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}}
    asked["padding"] = {"strategy": {"Fixed": 99}, "direction": "Right", "pad_to_multiple_of": None}
    asked["padding"] |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "<|pad|>"}
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | asked))
    assert PromptTokens(str(tmp_path), None, chat=True).encode(PROMPT) == PromptTokens(
        str(TINY), None, chat=True
    ).encode(PROMPT)


def test_a_model_in_the_hubs_cache_needs_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    cached = tmp_path / "models--org--model"
    shutil.copytree(TINY, cached / "snapshots" / ("a" * 40))
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("a" * 40)
    found = PromptTokens("org/model", None, chat=True)
    assert found.encode(PROMPT) == PromptTokens(str(TINY), None, chat=True).encode(PROMPT)
    with pytest.raises(BadInput, match="hub"):
        PromptTokens("org/another", None, chat=True)


def test_a_model_without_a_template_is_refused_as_chat(tmp_path: Path) -> None:
    for file in TINY.glob("*.json"):
        shutil.copy(file, tmp_path)
    with pytest.raises(BadInput, match="no chat template"):
        PromptTokens(str(tmp_path), None, chat=True)

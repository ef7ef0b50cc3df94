"""Prompts as token ids: what transformers makes of them, with as little of it as possible."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.engines.tokens import PromptTokens
from harness.experiment import model_location
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from results import BadInput

TINY = Path(model_location("tiny"))
PROMPT = "Anna has 12 apples. She finds 5 more.\nUse around 40 tokens."


def test_the_ids_are_those_of_transformers_own_choice_of_tokenizer() -> None:
    declare_torchvision_operations()
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(str(TINY))
    ours = PromptTokens(str(TINY), None, chat=True)
    assert type(ours.tokenizer) is type(theirs)
    assert ours.tokenizer.backend_tokenizer.to_str() == theirs.backend_tokenizer.to_str()
    turns = [{"role": "user", "content": PROMPT}]
    chat = theirs.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    assert list(ours.encode(PROMPT)) == chat
    assert list(PromptTokens(str(TINY), None, chat=False).encode(PROMPT)) == theirs(PROMPT)["input_ids"]


def test_a_llama_s_prompts_need_no_pytorch() -> None:
    code = f"""
import sys
from harness.engines.tokens import PromptTokens
PromptTokens({str(TINY)!r}, None, chat=True).encode("egg")
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


@pytest.mark.parametrize("changed", [{"tokenizer_class": "LlamaTokenizer"}, {"auto_map": {}}])
def test_another_class_of_tokenizer_is_left_to_transformers(
    changed: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    declare_torchvision_operations()
    monkeypatch.setattr(
        "transformers.AutoTokenizer.from_pretrained", lambda model, **_: asked.append(model) or _Tokenizer()
    )
    folder = tmp_path / "model"
    shutil.copytree(TINY, folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | changed))
    PromptTokens(str(folder), None, chat=True)
    assert asked == [str(folder)]


class _Tokenizer:
    chat_template = "{{ messages }}"


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no tokenizer could be loaded"):
        PromptTokens(str(tmp_path), None, chat=False)


def test_a_model_without_a_template_is_refused_as_chat(tmp_path: Path) -> None:
    for file in TINY.glob("*.json"):
        shutil.copy(file, tmp_path)
    with pytest.raises(BadInput, match="no chat template"):
        PromptTokens(str(tmp_path), None, chat=True)

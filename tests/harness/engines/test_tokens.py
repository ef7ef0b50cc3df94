"""Prompts as token ids: what transformers makes of them."""

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from harness.engines.tokens import PromptTokens
from harness.experiment import model_location
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from results import BadInput
from tests.conftest import ROOT
from tests.harness.engines.sglang_responder import FaultyServer

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


def test_only_the_text_of_a_prompt_begins_with_the_begin_token(tmp_path: Path) -> None:
    begun = str(with_begin_token(tmp_path))
    plain, chat = (PromptTokens(begun, None, chat=chat) for chat in (False, True))
    tiny = [PromptTokens(str(TINY), None, chat=chat) for chat in (False, True)]
    assert plain.encode(PROMPT) == (BEGIN, *tiny[0].encode(PROMPT))
    assert plain.go_on(PROMPT, " 12") == (BEGIN, *tiny[0].go_on(PROMPT, " 12"))
    assert chat.go_on(PROMPT, " 12") == tiny[1].go_on(PROMPT, " 12")  # a template writes its own


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


def test_a_run_through_a_server_does_not_import_pytorch(tmp_path: Path) -> None:
    async def reply(request: web.Request, _fetch: Any) -> web.Response:
        sent = await request.json()
        meta = {"completion_tokens": 9, "finish_reason": {"type": "stop"}}
        meta |= {"prompt_tokens": len(sent["input_ids"])}
        return web.json_response([{"text": " ##18##.", "meta_info": meta}] * sent["sampling_params"]["n"])

    async def run() -> bytes:
        script = "import atexit, sys; atexit.register(lambda: print('torch' in sys.modules)); "
        script += "from harness.cli import cli; cli()"
        async with TestServer(FaultyServer(reply).app) as server:
            command = ["sample", "tiny", "--url", str(server.make_url("/")), "--out", str(tmp_path)]
            command += ["--set", "engine=sglang", "--set", "limit=2"]
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", script, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE
            )
            return (await child.communicate())[0]

    assert asyncio.run(run()).splitlines()[-1] == b"False"
    assert (tmp_path / "samples.jsonl").exists()

"""The engine that asks a running SGLang server.

    POST /generate {"input_ids": [2, 71, ...], "sampling_params": {"n": 16, "max_new_tokens": 164, ...}}
    -> [{"text": " The answer is ##18##.", "meta_info": {"prompt_tokens": 71, "completion_tokens": 9,
         "finish_reason": {"type": "stop", "matched": "[END]"}}}, ...]

A reply counts only if it holds `n` whole answers to all of the prompt.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import asdict
from functools import partial
from typing import Any, Literal, Self

from pydantic import TypeAdapter

from harness.engines.base import Completion, EngineError, Sampling, same_model
from harness.engines.http.connection import POLL_SECONDS, START_PATIENCE, Connection
from harness.engines.http.reply import Fault, FromServer, TokenCount, check_length, excerpt, parse
from harness.engines.tokens import PromptTokens
from results import BadInput

SETTINGS = (
    *("model_path", "revision", "dtype", "quantization", "kv_cache_dtype"),
    *("device", "attention_backend", "sampling_backend", "sampling_defaults", "schedule_policy"),
    *("context_length", "max_total_num_tokens", "tp_size", "dp_size", "random_seed"),
)
"""The settings of /server_info that go into run.json; the others may hold keys."""
MAY_CHANGE = {"random_seed", "max_total_num_tokens"}
"""Settings that a server draws or measures anew at every start."""


class _FinishReason(FromServer):
    type: Literal["stop", "length", "abort"]
    message: str | None = None


class _MetaInfo(FromServer):
    prompt_tokens: TokenCount
    completion_tokens: TokenCount
    finish_reason: _FinishReason


class _Answer(FromServer):
    text: str
    meta_info: _MetaInfo


_REPLY: TypeAdapter[list[_Answer] | _Answer] = TypeAdapter(list[_Answer] | _Answer)


class SGLangEngine:
    """Asks one server, or a router in front of several."""

    name = "sglang"
    version = ""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        revision: str | None,
        chat: bool,
        say: Callable[[str], None] = lambda _line: None,
        check_alive: Callable[[], None] | None = None,
    ) -> None:
        """Raises BadInput if the model has no tokenizer. For `say` and `check_alive` see Connection."""
        self._location = model
        self._revision = revision
        self._prompts = PromptTokens(model, revision, chat)
        self._settings: dict[str, Any] = {}
        self._server = Connection(
            url, ready="/health", say=say, check_alive=check_alive, on_return=self._check_unchanged
        )

    async def __aenter__(self) -> Self:
        """Connect. Raises BadInput: no server there, not SGLang, or one with another model."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._server)
            await self._server.wait_for_start(
                hint="start one with `python -m harness serve MODEL`, or leave --url out"
            )
            self._settings = await self._read_settings()
            self._close = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close.aclose()

    def describe(self) -> dict[str, Any]:
        """The server's own account of its settings."""
        return {"url": self._server.url, "server": self._settings}

    async def generate(
        self,
        prompt: str,
        n: int,
        sampling: Sampling,
        seed: int,  # noqa: ARG002
        said: str = "",
    ) -> list[Completion]:
        """`n` answers to `prompt`. Sends no seed: in deterministic mode all `n` would share it."""
        body = {
            "input_ids": self._prompts.go_on(prompt, said),
            "sampling_params": {"n": n, **asdict(sampling)},  # the names are SGLang's
        }
        read = partial(_answers, n=n, prompt_tokens=len(body["input_ids"]), limit=sampling.max_new_tokens)
        answers = await self._server.ask("/generate", body, read, max_tokens=n * sampling.max_new_tokens)
        return [
            Completion(
                text=answer.text,
                tokens=answer.meta_info.completion_tokens,
                prompt_tokens=answer.meta_info.prompt_tokens,
                finish_reason="stop" if answer.meta_info.finish_reason.type == "stop" else "length",
                seed=None,
            )
            for answer in answers
        ]

    async def _read_settings(self) -> dict[str, Any]:
        """The server's settings. Raises BadInput for another model, or for deterministic mode."""
        model = await self._info("model_info")
        served = [str(model.get(key)) for key in ("model_path", "served_model_name")]
        if not any(same_model(self._location, name) for name in served):
            raise BadInput(
                f"the server at {self._server.url} serves {model.get('model_path')}, expected "
                f"{self._location}: start it with that model, or give --set model=…"
            )
        info = await self._info("server_info")
        if info.get("enable_deterministic_inference"):
            raise BadInput(
                f"the server at {self._server.url} runs with --enable-deterministic-inference, which makes "
                "all answers to a question copies of one another: start it without that flag"
            )
        if self._revision and info.get("revision") not in (None, self._revision):
            raise BadInput(
                f"the server at {self._server.url} serves revision {info['revision']}, "
                f"expected {self._revision}"
            )
        self.version = str(info.get("version"))
        return {key: info[key] for key in SETTINGS if key in info}

    async def _check_unchanged(self) -> None:
        """After a restart: run.json describes one server for all answers of a session."""
        before = self._settings | {"version": self.version}
        now = await self._read_settings() | {"version": self.version}
        changed = [key for key in before if key not in MAY_CHANGE and now.get(key) != before[key]]
        if changed:
            raise BadInput(
                f"the server at {self._server.url} came back with another {', '.join(changed)}: "
                "run the same command again, which records the change in run.json"
            )

    async def _info(self, name: str) -> dict[str, Any]:
        """What the server says about itself; routers know it by an older name."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_PATIENCE
        while True:
            for path in (f"/{name}", f"/get_{name}"):
                reply = await self._server.get(path)
                if reply.status != 404:
                    break
            if reply.status != 503 or loop.time() > deadline:
                break
            await asyncio.sleep(POLL_SECONDS)  # a router that is ready, but has not found its servers yet
        try:
            found = json.loads(reply.content)
        except ValueError:
            found = None
        if reply.status != 200 or not isinstance(found, dict):
            raise BadInput(
                f"{self._server.url}{path}: not the reply of a SGLang server: "
                f"status {reply.status} {excerpt(reply.content)}"
            )
        return found


def _answers(content: bytes, n: int, prompt_tokens: int, limit: int) -> list[_Answer]:
    """Exactly `n` answers to all of the prompt, of at most `limit` tokens each.

    Raises Fault, or EngineError if another attempt is no use.
    """
    reply = parse(_REPLY, content)
    answers = reply if isinstance(reply, list) else [reply]
    for answer in answers:
        meta = answer.meta_info
        if meta.finish_reason.type == "abort":
            raise Fault(f"an aborted answer: {meta.finish_reason.message}")
        if meta.prompt_tokens != prompt_tokens:
            raise EngineError(
                f"the server answered a prompt of {meta.prompt_tokens} tokens, but {prompt_tokens} were sent"
            )
        check_length(meta.completion_tokens, limit)
    if len(answers) != n:
        raise Fault(f"{len(answers)} answers, expected {n}")
    return answers

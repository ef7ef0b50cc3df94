"""The engine behind HTTP: a running SGLang server.

    POST /generate {"input_ids": [2, 71, ...], "sampling_params": {"n": 16, "max_new_tokens": 164, ...}}
    -> [{"text": " The answer is ##18##.", "meta_info": {"prompt_tokens": 71, "completion_tokens": 9,
         "finish_reason": {"type": "stop", "matched": "[END]"}}}, ...]

A reply that is not `n` whole answers to this prompt is asked for again; an aborted answer is no answer.
"""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.engines.base import Completion, EngineError, Sampling
from harness.engines.http.connection import POLL_SECONDS, START_PATIENCE, Connection
from harness.engines.http.retrying import TryAgain
from harness.engines.http.status import excerpt
from harness.engines.tokens import PromptTokens
from results import BadInput

SETTINGS = (
    "model_path",
    "revision",
    "dtype",
    "device",
    "attention_backend",
    "sampling_backend",
    "quantization",
    "kv_cache_dtype",
    "context_length",
    "max_total_num_tokens",
    "tp_size",
    "dp_size",
    "schedule_policy",
    "sampling_defaults",
    "random_seed",
)
"""The settings of /server_info that go on record; the rest may hold keys."""


MAY_CHANGE = {"random_seed", "max_total_num_tokens"}
"""Those which a server draws or measures anew at every start."""

TokenCount = Annotated[int, Field(ge=0)]


class _FromServer(BaseModel):
    model_config = ConfigDict(strict=True)


class _FinishReason(_FromServer):
    type: Literal["stop", "length", "abort"]
    message: str | None = None


class _MetaInfo(_FromServer):
    prompt_tokens: TokenCount
    completion_tokens: TokenCount
    finish_reason: _FinishReason


class _Answer(_FromServer):
    text: str
    meta_info: _MetaInfo


_REPLY: TypeAdapter[list[_Answer] | _Answer] = TypeAdapter(list[_Answer] | _Answer)


class SGLangEngine:
    """Asks one server, or a router in front of several, over one session."""

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
        """Raises BadInput where the model has no tokenizer.

        `say` is told when the server goes away and comes back. `check_alive` raises BadInput where a server
        of the run's own has ended; until then it has as long as it takes to be ready.
        """
        self._location = model
        self._prompts = PromptTokens(model, revision, chat)
        self._settings: dict[str, Any] = {}
        self._server = Connection(
            url, ready="/health", say=say, check_alive=check_alive, on_return=self._check_that_it_is_the_same
        )

    async def __aenter__(self) -> Self:
        """Open the session. Raises BadInput: no server there, not SGLang, or one with another model."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._server)
            await self._server.wait_until_ready(
                hint="start one with `python -m harness serve MODEL`, or leave --url out"
            )
            self._settings = await self._read_settings()
            self._close = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close.aclose()

    def describe(self) -> dict[str, Any]:
        """The server's own account of how it runs."""
        return {"url": self._server.url, "server": self._settings}

    async def generate(self, prompt: str, n: int, sampling: Sampling, seed: int) -> list[Completion]:  # noqa: ARG002
        """`n` answers to `prompt`. No seed is sent: a server may give all `n` the same one."""
        body = {
            "input_ids": self._prompts.encode(prompt),
            "sampling_params": {
                "n": n,
                "max_new_tokens": sampling.max_new_tokens,
                "temperature": sampling.temperature,
                "top_p": sampling.top_p,
                "top_k": sampling.top_k,
                "stop": sampling.stop,
            },
        }
        read = partial(_answers, n=n, prompt_tokens=len(body["input_ids"]))
        answers = await self._server.ask("/generate", body, read, tokens=n * sampling.max_new_tokens)
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
        """The server's settings. Raises BadInput for another model, or one that repeats its answers."""
        model = await self._account("model_info")
        # Answers of another model would be taken for this one's; folders of one model may differ in path.
        served = {Path(str(model.get(key))).name for key in ("model_path", "served_model_name")}
        if Path(self._location).name not in served:
            raise BadInput(
                f"the server at {self._server.url} serves {model.get('model_path')}, expected "
                f"{self._location}: start it with that model, or give --set model=…"
            )
        info = await self._account("server_info")
        if info.get("enable_deterministic_inference"):
            raise BadInput(
                f"the server at {self._server.url} runs with --enable-deterministic-inference, which makes "
                "the answers to a question copies of one another: start it without"
            )
        self.version = str(info.get("version"))
        return {key: info[key] for key in SETTINGS if key in info}

    async def _check_that_it_is_the_same(self) -> None:
        """After a restart: run.json says how the answers of a session were drawn."""
        before = self._settings | {"version": self.version}
        now = await self._read_settings() | {"version": self.version}
        changed = [key for key in before if key not in MAY_CHANGE and now.get(key) != before[key]]
        if changed:
            raise BadInput(
                f"the server at {self._server.url} came back with another {', '.join(changed)}: "
                "run the same command again, which puts that on record"
            )

    async def _account(self, name: str) -> dict[str, Any]:
        """A server's account of itself; routers still know it by an older name."""
        deadline = time.monotonic() + START_PATIENCE
        while True:
            for path in (f"/{name}", f"/get_{name}"):
                status, content = await self._server.get(path)
                if status != 404:
                    break
            if status != 503 or time.monotonic() > deadline:
                break
            await asyncio.sleep(POLL_SECONDS)  # a router that is well, and does not know its servers yet
        try:
            found = json.loads(content)
        except ValueError:
            found = None
        if status != 200 or not isinstance(found, dict):
            raise BadInput(
                f"{self._server.url}{path}: not the reply of an SGLang server: {status} {excerpt(content)}"
            )
        return found


def _answers(content: bytes, n: int, prompt_tokens: int) -> list[_Answer]:
    """Exactly `n` answers to all of the prompt. Raises TryAgain, or EngineError where that is no use."""
    try:
        reply = _REPLY.validate_json(content)
    except ValidationError:
        raise TryAgain(f"a reply that is not a list of answers: {excerpt(content)}") from None
    answers = reply if isinstance(reply, list) else [reply]
    for answer in answers:
        about = answer.meta_info
        if about.finish_reason.type == "abort":
            raise TryAgain(f"an aborted answer: {about.finish_reason.message}")
        if about.prompt_tokens != prompt_tokens:
            raise EngineError(
                f"an answer to {about.prompt_tokens} tokens, expected to all {prompt_tokens} of the prompt"
            )
    if len(answers) != n:
        raise TryAgain(f"{len(answers)} answers, expected {n}")
    return answers

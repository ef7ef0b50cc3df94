"""The engine behind HTTP: a running SGLang server.

    POST /generate {"input_ids": [2, 71, ...], "sampling_params": {"n": 16, "max_new_tokens": 164, ...}}
    -> [{"text": " The answer is ##18##.", "meta_info": {"prompt_tokens": 71, "completion_tokens": 9,
         "finish_reason": {"type": "stop", "matched": "[END]"}}}, ...]

A reply that is not `n` whole answers is asked for again, with growing pauses; an aborted answer is no answer.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import aiohttp
import tenacity
from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.engines.base import Completion, EngineError, Sampling
from harness.engines.tokens import PromptTokens
from results import BadInput

ATTEMPTS = 6
"""Times a request is sent; with the pauses between, a server has half a minute to come back."""
FIRST_PAUSE = 1.0
"""Seconds between the first two; each pause is twice the one before."""
PATIENCE = 30.0
"""Seconds that a server at a URL has to become ready."""
LONGEST_REPLY = 1800.0
"""Seconds after which a request counts as lost. A full queue on a slow machine can take many minutes."""
REFUSED = {400, 401, 403, 404, 413, 422}
"""Statuses which the same request would meet again."""
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


class _FinishReason(BaseModel):
    type: Literal["stop", "length", "abort"]
    message: str | None = None


class _MetaInfo(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    finish_reason: _FinishReason


class _Answer(BaseModel):
    text: str
    meta_info: _MetaInfo


_REPLY: TypeAdapter[list[_Answer] | _Answer] = TypeAdapter(list[_Answer] | _Answer)


class _TryAgain(Exception):
    """A reply that the same request may not meet again."""


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
        while_waiting: Callable[[], None] | None = None,
    ) -> None:
        """Raises BadInput where the model has no tokenizer.

        A server has PATIENCE seconds to be ready. With `while_waiting`, which raises where the server will
        not be ready any more, it has as long as it takes.
        """
        self._url = url.rstrip("/")
        self._location = model
        self._while_waiting = while_waiting
        self._prompts = PromptTokens(model, revision, chat)
        self._settings: dict[str, Any] = {}

    async def __aenter__(self) -> Self:
        """Open the session. Raises BadInput: no server there, not SGLang, or one with another model."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=LONGEST_REPLY, sock_connect=10),
        )
        try:
            await self._wait_until_ready()
            self._check_model(await self._get("model_info"))
            self._read_settings(await self._get("server_info"))
        except BaseException:
            await self._session.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    def describe(self) -> dict[str, Any]:
        """The server's own account of how it runs."""
        return {"url": self._url, "server": self._settings}

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
        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type((_TryAgain, aiohttp.ClientError, TimeoutError)),
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=tenacity.wait_exponential_jitter(multiplier=FIRST_PAUSE, max=30, jitter=FIRST_PAUSE),
            reraise=True,
        )
        try:
            answers: list[_Answer] = await retrying(self._ask, body, n)
        except (_TryAgain, aiohttp.ClientError, TimeoutError) as error:
            raise EngineError(
                f"{ATTEMPTS} attempts failed, the last with: {error or type(error).__name__}"
            ) from None
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

    async def _ask(self, body: dict[str, Any], n: int) -> list[_Answer]:
        """One attempt: exactly `n` answers, or _TryAgain, or EngineError where trying again is no use."""
        async with self._session.post(f"{self._url}/generate", json=body) as response:
            content = await response.read()
            if response.status in REFUSED:
                raise EngineError(f"refused with status {response.status}: {_excerpt(content)}")
            if response.status != 200:
                raise _TryAgain(f"status {response.status}: {_excerpt(content)}")
        try:
            reply = _REPLY.validate_json(content)
        except ValidationError:
            raise _TryAgain(f"a reply that is not a list of answers: {_excerpt(content)}") from None
        answers = reply if isinstance(reply, list) else [reply]
        for answer in answers:
            if answer.meta_info.finish_reason.type == "abort":
                raise _TryAgain(f"an aborted answer: {answer.meta_info.finish_reason.message}")
        if len(answers) != n:
            raise _TryAgain(f"{len(answers)} answers, expected {n}")
        return answers

    async def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            if self._while_waiting:
                self._while_waiting()
            try:
                async with self._session.get(f"{self._url}/health") as response:
                    if response.status == 200:
                        return
                    state = f"is not ready (status {response.status})"
            except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
                raise BadInput(
                    f"{self._url}: not the address of a server, expected http://HOST:PORT"
                ) from None
            except (aiohttp.ClientError, TimeoutError) as error:
                state = f"does not answer ({error or type(error).__name__})"
            if time.monotonic() > deadline and not self._while_waiting:
                raise BadInput(
                    f"the SGLang server at {self._url} {state} after {PATIENCE:.0f} s: "
                    "start one with `python -m harness serve MODEL`, or leave --url out"
                )
            await asyncio.sleep(0.5)

    async def _get(self, name: str) -> dict[str, Any]:
        """A server's account of itself; routers still know it by an older name."""
        try:
            async with self._session.get(f"{self._url}/{name}") as response:
                if response.status == 404 and not name.startswith("get_"):
                    return await self._get(f"get_{name}")
                response.raise_for_status()
                found = await response.json(content_type=None)  # a router may name no type
        except (aiohttp.ClientError, ValueError) as error:
            raise BadInput(f"{self._url}/{name}: not the reply of an SGLang server: {error}") from None
        if not isinstance(found, dict):
            raise BadInput(f"{self._url}/{name}: not the reply of an SGLang server: {found!r:.80}")
        return found

    def _check_model(self, info: dict[str, Any]) -> None:
        """Answers of another model would be taken for this one's; folders of one model may differ in path."""
        served = {str(info.get(key)) for key in ("model_path", "served_model_name")}
        if Path(self._location).name not in {Path(name).name for name in served}:
            raise BadInput(
                f"the server at {self._url} serves {info.get('model_path')}, expected {self._location}: "
                "start it with that model, or give --set model=…"
            )

    def _read_settings(self, info: dict[str, Any]) -> None:
        if info.get("enable_deterministic_inference"):
            raise BadInput(
                f"the server at {self._url} runs with --enable-deterministic-inference, which makes the "
                "answers to a question copies of one another: start it without"
            )
        self.version = str(info.get("version"))
        self._settings = {key: info[key] for key in SETTINGS if key in info}


def _excerpt(content: bytes) -> str:
    return content[:200].decode(errors="replace")

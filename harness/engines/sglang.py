"""The engine for a running SGLang server.

    POST /generate {"input_ids": [2, 71, ...], "sampling_params": {"max_new_tokens": 164, ...}}
    -> {"text": " The answer is ##18##.", "meta_info": {"prompt_tokens": 71, "completion_tokens": 9,
        "finish_reason": {"type": "stop", "matched": "[END]"}}}

A reply counts only if it holds a whole answer to the whole prompt. A request asks for one answer: with
several, it would hold its place until the longest had ended; only 450 to 490 of 1,024 were then in use.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache, partial
from typing import Any, Literal

from pydantic import TypeAdapter

from harness.engines.base import Completion, Sampling, likeliest, mean_logprob, same_model
from harness.engines.thinking import apart, budget_trouble
from harness.engines.token_ids import PromptTokens, counted
from harness.errors import EngineError
from harness.experiment import TEMPLATE_ARGUMENTS
from harness.http.attempt import (
    Fault,
    FromServer,
    TokenCount,
    check_length,
    excerpt,
    inside,
    parse,
)
from harness.http.connection import MEND_PATIENCE, POLL_SECONDS, Connection
from harness.http.sockets import encoded
from harness.server.address import KEY, key_of_user
from results import BadInput

SETTINGS = (
    *("version", "model_path", "revision", "dtype", "quantization", "kv_cache_dtype"),
    *("device", "attention_backend", "sampling_backend", "sampling_defaults", "schedule_policy"),
    *("context_length", "max_total_num_tokens", "tp_size", "dp_size", "random_seed"),
)
"""The settings of /server_info that go into run.json; others may hold secrets."""
MAY_CHANGE = {"random_seed", "max_total_num_tokens"}
"""Settings that a server draws or measures anew at every start."""


class _Answer(FromServer):
    text: str
    prompt_tokens: TokenCount = inside("meta_info", "prompt_tokens")
    tokens: TokenCount = inside("meta_info", "completion_tokens")
    finish: Literal["stop", "length", "abort"] = inside("meta_info", "finish_reason", "type")
    reasoning_tokens: TokenCount | None = inside("meta_info", "reasoning_tokens", default=None)
    cached_tokens: TokenCount | None = inside("meta_info", "cached_tokens", default=None)
    logprobs: list[tuple[float | None, Any, Any]] = inside("meta_info", "output_token_logprobs", default=())
    top: list[list[tuple[float | None, Any, Any]] | None] | None = inside(
        "meta_info", "output_top_logprobs", default=None
    )


_REPLY = TypeAdapter(_Answer)


class SGLangEngine(Connection):
    """Sends requests to one server, or to a router in front of several."""

    name = "sglang"
    version = ""
    hint = "start one with `tts serve MODEL`, or leave --url out"

    def __init__(
        self,
        url: str,
        model: str,
        *,
        revision: str | None,
        chat: bool,
        fields: Mapping[str, Any] | None = None,
        thinking: bool = False,
        say: Callable[[str], None] = lambda _line: None,
        check_alive: Callable[[], None] | None = None,
    ) -> None:
        """`fields` go into every request; `thinking`: the server must enforce thinking budgets.

        An API key in the environment (see harness.server.address) is sent. Raises BadInput if the model has
        no tokenizer. For `say` and `check_alive` see Connection.
        """
        super().__init__(url, say=say, key=key_of_user(), check_alive=check_alive)
        self._location, self._revision, self._thinking = model, revision, thinking
        self._fields = dict(fields or {})
        self._prompts = PromptTokens(model, revision, chat, self._fields.pop(TEMPLATE_ARGUMENTS, None))
        self.opens_thinking = self._prompts.opens_thinking
        # The answers to one prompt are requested one after the other, by identical requests.
        self._request = lru_cache(maxsize=256)(self._make_request)
        self._settings: dict[str, Any] = {}
        self._served: str | None = None
        """The server's own name for its model, by which a gateway routes requests."""

    def describe(self) -> dict[str, Any]:
        """The server's settings, as it reports them."""
        return {"url": self.url, "server": self._settings, "prompts": self._prompts.rendering()}

    async def generate(self, prompt: str, sampling: Sampling, seed: int, said: str = "") -> Completion:
        """An answer to `prompt`. Sends no seed, as SGLang would use it only in deterministic mode."""
        del seed
        tokens, body = self._request(prompt, sampling, said)
        read = partial(read_completion, prompt_tokens=tokens, limit=sampling.max_new_tokens)
        answer = await self.ask("/generate", body, read, max_tokens=sampling.max_new_tokens)
        if not said:
            answer = apart(answer, self._prompts.opens_thinking(prompt))
        return counted(answer, self._prompts)

    def _make_request(self, prompt: str, sampling: Sampling, said: str) -> tuple[int, bytes]:
        """The number of tokens of the prompt with `said`, and the request's body."""
        ids, drawn = self._prompts.go_on(prompt, said), asdict(sampling)  # the names are SGLang's
        budget, logprobs, candidates = (drawn.pop(name) for name in ("thinking", "logprobs", "candidates"))
        drawn = {**self._fields.get("sampling_params", {}), **drawn, "n": 1}
        body = {**self._fields, "input_ids": ids, "sampling_params": drawn}
        if self._served:
            body["model"] = self._served
        if budget is not None and not said:
            body |= {"require_reasoning": True, "max_thinking_tokens": budget}
        if logprobs:
            body["return_logprob"] = True
        if candidates:
            body |= {"return_logprob": True, "top_logprobs_num": candidates, "return_text_in_logprobs": True}
        return len(ids), encoded(body)

    async def _read_settings(self) -> dict[str, Any]:
        """Read the server's settings. Raises BadInput for another model, or for deterministic mode."""
        model = await self._info("model_info")
        served = [str(model.get(key)) for key in ("model_path", "served_model_name")]
        self._served = model.get("served_model_name")
        self._request.cache_clear()
        if not any(same_model(self._location, name) for name in served):
            raise BadInput(
                f"the server at {self.url} serves {model.get('model_path')}, expected "
                f"{self._location}: start it with that model, or give --set model=…"
            )
        info = await self._info("server_info")
        if info.get("enable_deterministic_inference"):
            raise BadInput(
                f"the server at {self.url} runs with --enable-deterministic-inference, which makes "
                "all answers to a question copies of one another: start it without that flag"
            )
        if self._revision and info.get("revision") not in (None, self._revision):
            raise BadInput(
                f"the server at {self.url} serves revision {info['revision']}, expected {self._revision}"
            )
        return {key: info[key] for key in SETTINGS if key in info}

    async def copies(self) -> int | None:
        """The number of copies of the model at the URL: in this server, or in a gateway's healthy servers.

        None if it cannot be found out now.
        """
        with suppress(BadInput, ValueError, TypeError, KeyError):
            reply = await self.get("/workers")
            if reply.status == 404:  # no gateway
                return int(self._settings.get("dp_size") or 1)
            well = [one for one in json.loads(reply.content)["workers"] if one["is_healthy"]]
            return sum(int(one["labels"].get("dp_size", 1)) for one in well) or None
        return None

    async def greet(self) -> None:
        """Read the server's settings. A restart must not change them: run.json has them once per session."""
        before, self._settings = self._settings, await self._read_settings()
        changed = [key for key in before if key not in MAY_CHANGE and self._settings.get(key) != before[key]]
        if changed:
            raise BadInput(
                f"the server at {self.url} came back with another {', '.join(changed)}: "
                "run the same command again, which records the change in run.json"
            )
        self.version = str(self._settings.get("version"))
        if self._thinking and not before and (trouble := await budget_trouble(self)):
            raise BadInput(
                f"the server at {self.url} does not enforce budgets of thinking ({trouble}): start it with "
                "--reasoning-parser NAME --enable-strict-thinking, or give --set budget_by=force"
            )

    async def _info(self, name: str) -> dict[str, Any]:
        """What the server reports at /`name`; routers know that path by an older name."""
        deadline = time.monotonic() + MEND_PATIENCE
        while True:
            path = f"/{name}"
            reply = await self.get(path)
            if reply.status == 404:
                path = f"/get_{name}"
                reply = await self.get(path)
            if reply.status < 500 or time.monotonic() > deadline:
                break
            # A gateway can be ready before it has found its servers, or noticed that one is dead.
            self._say_now_and_then(f"{self.url}{path}: status {reply.status}: waiting for it")
            await asyncio.sleep(POLL_SECONDS)
        with suppress(ValueError):
            info = json.loads(reply.content)
            if reply.status == 200 and isinstance(info, dict):
                return info
        if reply.status == 401:
            state = "not accepted" if self._key else "not set"
            raise BadInput(f"{self.url} asks for a key: the one in {KEY} is {state}")
        if await self._speaks_openai():
            raise BadInput(
                f"the server at {self.url} is not SGLang but has OpenAI's interface, like vLLM: "
                "give --set engine=openai"
            )
        raise BadInput(
            f"{self.url}{path}: not the reply of an SGLang server: "
            f"status {reply.status} {excerpt(reply.content)}"
        )

    async def _speaks_openai(self) -> bool:
        """Whether the server lists its models in the way of OpenAI's interface."""
        for path in ("/v1/models", "/models"):  # the URL may end in /v1
            with suppress(BadInput, ValueError, TypeError, KeyError):
                reply = await self.get(path)
                if reply.status == 200 and json.loads(reply.content)["data"]:
                    return True
        return False


def read_completion(content: bytes, prompt_tokens: int, limit: int) -> Completion:
    """The answer in a reply, which must be to the whole prompt and of at most `limit` tokens.

    Raises Fault, or EngineError if another attempt is useless.
    """
    answer = parse(_REPLY, content)
    if answer.finish == "abort":
        raise Fault(f"an aborted answer: {excerpt(content)}")
    if answer.prompt_tokens != prompt_tokens:
        raise EngineError(
            f"the server answered a prompt of {answer.prompt_tokens} tokens, not of {prompt_tokens}"
        )
    check_length(answer.tokens, limit)
    first = answer.top[0] if answer.top else None
    return Completion(
        answer.text,
        answer.tokens,
        prompt_tokens,
        answer.finish,
        seed=None,
        reasoning_tokens=answer.reasoning_tokens,
        logprob=mean_logprob([value for value, *_ in answer.logprobs]),
        candidates=likeliest((text, value) for value, _, text in first) if first else None,
        cached_tokens=answer.cached_tokens,
    )

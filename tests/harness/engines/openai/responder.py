"""A server with OpenAI's interface for tests, with the habits of one kind of server or another.

Responder(max_n=1)              refuses more than one answer a request, as llama.cpp did
Responder(ignores_n=True)       gives one answer, whatever it was asked for
Responder(faults=[429, 500])    answers the first requests with these statuses
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from harness.engines.base import Completion, Sampling
from harness.engines.http.api_key import ApiKey
from harness.engines.openai.engine import TRIAL, OpenAIEngine

MODEL = "org/model"
ANSWERS = (" The answer is ##18##.", " 7", " So ##5##.")
"""The texts given, in turn; each has as many tokens as words and signs in TOKENS."""
TOKENS = (9, 2, 4)
SAMPLING = Sampling(max_new_tokens=64, temperature=1.0, stop=("[END]",))


class Responder:
    """Answers chat completions and completions; `requests` are the bodies it was sent."""

    def __init__(
        self,
        *,
        models: Sequence[str] | None = (MODEL,),
        key: str | None = None,
        max_n: int | None = None,
        ignores_n: bool = False,
        counts: bool = True,
        usage: bool = True,
        refuses: Sequence[str] = (),
        finish_reason: str | None = "stop",
        content: str | None = "",
        faults: Sequence[int | str] = (),
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.faults = list(faults)
        self.finish_reason, self.content = finish_reason, content
        self._models, self._key = models, key
        self._max_n, self._ignores_n = max_n, ignores_n
        self._counts, self._usage = counts, usage
        self._refuses = refuses
        self._given = 0
        self.app = web.Application()
        self.app.router.add_get("/v1/models", self._list)
        self.app.router.add_post("/v1/chat/completions", self._chat)
        self.app.router.add_post("/v1/completions", self._complete)

    async def _list(self, request: web.Request) -> web.Response:
        if self._models is None:
            return web.Response(status=404)
        if self._key and request.headers.get("Authorization") != f"Bearer {self._key}":
            return self._error(request, 401, "who are you")
        return web.json_response({"object": "list", "data": [{"id": name} for name in self._models]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, chat=True)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, chat=False)

    def _error(self, request: web.Request, status: int, message: str) -> web.Response:
        """An error that quotes the key, whole and in part, as careless servers do."""
        header = str(request.headers.get("Authorization"))
        quoted = f"{message}: {header}, {header[:20]}***"
        return web.json_response({"error": {"message": quoted}}, status=status)

    async def _answer(self, request: web.Request, chat: bool) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        if self._key and request.headers.get("Authorization") != f"Bearer {self._key}":
            return self._error(request, 401, "Incorrect API key provided")
        refused = [name for name in self._refuses if name in body]
        n = body.get("n", 1)
        if refused or n > (self._max_n or n):
            return self._error(request, 400, f"unsupported: {refused or 'n'}")
        trial = TRIAL in str(body)
        if self.faults and not trial:
            fault = self.faults.pop(0)
            if fault == "cut":
                assert request.transport is not None
                request.transport.abort()
            if isinstance(fault, int):
                return self._error(request, fault, "out of order")
            return web.Response(text=str(fault))
        which = [(self._given + i) % len(ANSWERS) for i in range(1 if self._ignores_n else n)]
        self._given += 0 if trial else len(which)
        choices = [self._choice(i, chat, listed=bool(body.get("logprobs")) and self._counts) for i in which]
        reply: dict[str, Any] = {"object": "completion", "model": body["model"], "choices": choices}
        if self._usage:
            reply["usage"] = {"prompt_tokens": 71, "completion_tokens": sum(TOKENS[i] for i in which)}
        return web.Response(text=json.dumps(reply), content_type="application/json")

    def _choice(self, index: int, chat: bool, listed: bool) -> dict[str, Any]:
        text = ANSWERS[index] if self.content == "" else self.content
        tokens = [{"token": "x", "logprob": -0.5}] * TOKENS[index]
        if chat:
            said: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
            logprobs: dict[str, Any] = {"content": tokens}
        else:
            said, logprobs = {"text": text}, {"tokens": tokens}
        return {"finish_reason": self.finish_reason, **said, "logprobs": logprobs if listed else None}


def ask(
    server: Responder,
    *numbers: int,
    chat: bool = True,
    model: str = MODEL,
    key: str = "",
    sampling: Sampling = SAMPLING,
    described: dict[str, Any] | None = None,
) -> list[list[Completion]]:
    """The answers to requests for so many each, made one after the other."""

    async def run() -> list[list[Completion]]:
        async with TestServer(server.app) as running:
            url = str(running.make_url("/"))
            async with OpenAIEngine(url, model, chat=chat, key=ApiKey("THE_KEY", key)) as engine:
                if described is not None:
                    described.update(engine.describe())
                return [await engine.generate("How many eggs?", n, sampling, seed=1) for n in numbers]

    return asyncio.run(run())


def asked(server: Responder) -> list[int]:
    """How many answers each request asked for, after the trial."""
    return [request.get("n", 1) for request in server.requests[1:]]

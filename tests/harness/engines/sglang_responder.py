"""A server that speaks SGLang's protocol, for tests, and has the faults it is given.

FaultyServer(FAULTS["not ready"], FAULTS["not JSON"], answer())    two faults, then answers
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.tokens import PromptTokens
from tests.harness.engines.opened import TINY, sglang, with_engine

SAMPLING = Sampling(max_new_tokens=64, temperature=1.0, stop=("[END]",))
PROMPT = "Clara has 12 eggs. Mia has 2 fewer than Clara. How many eggs does Mia have?\nUse around 40 tokens."
PROMPT_TOKENS = len(PromptTokens(TINY, None, chat=True).encode(PROMPT))


def answer(text: str = " The answer is ##18##.", reason: str = "stop", tokens: int = 9) -> dict[str, Any]:
    meta = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": tokens, "finish_reason": {"type": reason}}
    return {"text": text, "output_ids": [1, 2], "meta_info": meta}


class FaultyServer:
    """Answers each /generate with the next of `replies`: an answer, or a fault. The last one is for ever."""

    def __init__(
        self, *replies: Any, model: str = TINY, info: dict[str, Any] | None = None, prefix: str = ""
    ) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.unready = self.alone = 0
        """How often GET /health, and then a router's model_info, is answered with 503."""
        self.ill = 503
        app = web.Application()
        app.router.add_get("/health", self._health)
        self.names = {"model_path": model, "served_model_name": "served"}
        app.router.add_get(f"/{prefix}model_info", self._model_info)
        app.router.add_get(
            f"/{prefix}server_info", constant({"version": "0.5.23", "api_key": "secret", **(info or {})})
        )
        app.router.add_post("/generate", self._generate)
        self.app = app

    async def _health(self, _request: web.Request) -> web.Response:
        self.unready -= 1
        return web.Response(status=503 if self.unready >= 0 else 200)

    async def _model_info(self, _request: web.Request) -> web.Response:
        if self.alone:
            self.alone -= 1
            return web.Response(status=self.ill)
        return web.json_response(self.names)

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if not callable(reply):
            return web.Response(text=json.dumps(reply))

        async def fetch() -> bytes:
            return json.dumps(answer()).encode()

        sent: web.StreamResponse = await reply(request, fetch)
        return sent


def constant(content: Any) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def reply(_request: web.Request) -> web.Response:
        return web.json_response(content)

    return reply


def ask(server: FaultyServer) -> Completion:
    """The answer that the client gets from `server`."""
    found: Completion = with_engine(server, sglang, lambda engine: engine.generate(PROMPT, SAMPLING, seed=1))
    return found


async def several(
    engine: Engine, prompt: str, n: int, sampling: Sampling, said: str = ""
) -> list[Completion]:
    """`n` answers to a prompt, asked for at the same time."""
    return await asyncio.gather(*(engine.generate(prompt, sampling, seed, said) for seed in range(n)))

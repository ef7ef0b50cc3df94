"""A server with OpenAI's interface for tests, with the habits of one kind of server or another.

OpenAIServer(refuses=["top_k"])    refuses requests that hold top_k, as hosted models do
OpenAIServer(faults=[429, 500])    answers the first requests with these statuses
"""

import json
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from harness.engines.base import Completion, Sampling
from harness.engines.openai.engine import TRIAL, OpenAIEngine
from harness.http.sockets import ApiKey
from tests.harness.engines.opened import MODEL, openai, with_engine
from tests.responder import Reply, Request, Responder

ANSWERS = ((" The answer is ##18##.", 9), (" 7", 2), (" So ##5##.", 4))
"""The texts given, in turn, with their tokens."""
SAMPLING = Sampling(max_new_tokens=64, temperature=1.0, stop=("[END]",))


class OpenAIServer(Responder):
    """Answers chat completions and completions."""

    def __init__(
        self,
        *,
        models: Sequence[str] | None = (MODEL,),
        key: str | None = None,
        usage: bool = True,
        tokens: int | None = None,
        refuses: Sequence[str] = (),
        finish_reason: str | None = "stop",
        content: str | None = "",
        logprobs: Any = None,
        faults: Sequence[int | str] = (),
    ) -> None:
        self.faults, self._answers = list(faults), cycle(ANSWERS)
        self._choice = {"finish_reason": finish_reason, "logprobs": logprobs}
        self._content, self._tokens = content, tokens
        self._key, self._usage, self._refuses = key, usage, refuses
        paths = ("/v1/chat/completions", "/v1/completions")
        super().__init__({f"POST {path}": self._answer for path in paths})
        if models is not None:
            listed = {"object": "list", "data": [{"id": name} for name in models]}
            self.routes["GET /v1/models"] = lambda request: self._refusal(request) or listed

    def _refusal(self, request: Request) -> Reply | None:
        given = request.headers.get("Authorization")
        known = not self._key or given == f"Bearer {self._key}"
        return None if known else self._error(request, 401, "Incorrect API key provided")

    def _error(self, request: Request, status: int, message: str) -> Reply:
        """An error that quotes the key, whole and in part, as careless servers do."""
        header = str(request.headers.get("Authorization"))
        quoted = f"{message}: {header}, {header[:20]}***"
        return Reply(json.dumps({"error": {"message": quoted}}).encode(), status)

    def _answer(self, request: Request) -> Any:
        body = request.body
        if refusal := self._refusal(request):
            return refusal
        if refused := [name for name in self._refuses if name in body]:
            return self._error(request, 400, f"unsupported: {refused}")
        trial = TRIAL in str(body)
        if self.faults and not trial:
            fault = self.faults.pop(0)
            if isinstance(fault, int):
                return self._error(request, fault, "out of order")
            return b"" if fault == "cut" else Reply(fault.encode())
        text, tokens = ANSWERS[0] if trial else next(self._answers)
        text = text if self._content == "" else self._content
        said = {"message": {"role": "assistant", "content": text}} if "messages" in body else {"text": text}
        reply: dict[str, Any] = {"model": body["model"], "choices": [{**self._choice, **said}]}
        if self._usage:
            reply["usage"] = {"prompt_tokens": 71, "completion_tokens": self._tokens or tokens}
        return reply


def ask(
    server: OpenAIServer,
    n: int = 1,
    *,
    chat: bool = True,
    model: str = MODEL,
    key: str = "",
    sampling: Sampling = SAMPLING,
    described: dict[str, Any] | None = None,
) -> list[Completion]:
    """`n` answers to one prompt."""

    async def work(engine: OpenAIEngine) -> list[Completion]:
        if described is not None:
            described.update(engine.describe())
        return [await engine.generate("How many eggs?", sampling, seed) for seed in range(n)]

    given = {"chat": chat, "key": ApiKey("THE_KEY", key)}
    found: list[Completion] = with_engine(server, lambda url: openai(url, model, **given), work)
    return found

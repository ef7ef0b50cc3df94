"""Mock servers with the quirks that a test wants, and engines connected to them.

with_engine(OpenAIServer(), openai, lambda engine: engine.generate(PROMPT, SAMPLING, seed=1))
OpenAIServer(refuses=["top_k"])    refuses requests with top_k, as hosted models do
OpenAIServer(faults=[429, 500])    answers the first requests with these statuses
FaultyServer(FAULTS["not ready"], FAULTS["not JSON"], answer())    SGLang with two faults, then answers

With a model that thinks, behaving as vLLM 0.32 and SGLang 0.5.23 do according to their source code:

VLLM()                 honours `thinking_token_budget`, and returns `reasoning` beside `content`
VLLM(parser=False)     refuses budgets, and leaves the thinking in the text
SGLang()               POST /generate honours `max_thinking_tokens` and returns the text as the model wrote
                       it; chats honour `custom_params.thinking_budget` and return `reasoning_content`
SGLang(strict=False)   refuses such budgets in /generate
keeps=False            accepts budgets but lets the model think on, as SGLang does with most parsers

Options of both: `hides` the thinking, as hosted models do; `cap`, a token limit of the server, as vLLM takes
it from a model's files; `counts` no tokens, or only those of the answer. A token is a word. The model
thinks for `thinks` tokens and then says ANSWER.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import cycle
from typing import Any, Literal, NamedTuple

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.openai.engine import TRIAL, OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location
from harness.http.sockets import ApiKey
from tests.responder import Reply, Request, Responder, completed, generated, like_sglang

MODEL = "org/model"
TINY = model_location("tiny")
SAMPLING = Sampling(max_new_tokens=64, temperature=1.0, stop=("[END]",))
PROMPT = "Clara has 12 eggs. Mia has 2 fewer than Clara. How many eggs does Mia have?\nUse around 40 tokens."
PROMPT_TOKENS = len(PromptTokens(TINY, None, chat=True).encode(PROMPT))

Open = Callable[[str], AbstractAsyncContextManager[Any]]
"""Opens an engine on the server at a URL."""


def openai(url: str, model: str = MODEL, **more: Any) -> OpenAIEngine:
    return OpenAIEngine(url, model, **{"chat": True, "key": ApiKey("THE_KEY", ""), **more})


def sglang(url: str, **more: Any) -> SGLangEngine:
    return SGLangEngine(url, TINY, **{"revision": None, "chat": True, **more})


def with_engine(server: Responder, open_engine: Open, work: Callable[[Any], Awaitable[Any]]) -> Any:
    """The result of `work` with an engine connected to `server`."""

    async def run() -> Any:
        async with open_engine(server.url) as engine:
            return await work(engine)

    with server:
        return asyncio.run(run())


async def several(
    engine: Engine, prompt: str, n: int, sampling: Sampling, said: str = ""
) -> list[Completion]:
    """`n` answers to a prompt, requested at the same time."""
    return await asyncio.gather(*(engine.generate(prompt, sampling, seed, said) for seed in range(n)))


def error(message: str, status: int = 400) -> Reply:
    return Reply(json.dumps({"error": {"message": message, "code": status}}).encode(), status)


ANSWERS = ((" The answer is ##18##.", 9), (" 7", 2), (" So ##5##.", 4))
"""The texts that an `OpenAIServer` gives, in turn, with their token counts."""


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
        self._reason, self._logprobs = finish_reason, logprobs
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
        """An error message that leaks the key, whole and in part, as careless servers do."""
        header = str(request.headers.get("Authorization"))
        return error(f"{message}: {header}, {header[:20]}***", status)

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
        said = {"role": "assistant", "content": text} if "messages" in body else text
        reply = completed(said, self._tokens or tokens, self._reason, logprobs=self._logprobs)
        if not self._usage:
            del reply["usage"]
        return reply | {"model": body["model"]}


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


def answer(text: str = " The answer is ##18##.", reason: str = "stop", tokens: int = 9) -> dict[str, Any]:
    """A faultless reply of a `FaultyServer`."""
    return generated(text, PROMPT_TOKENS, tokens, reason)


class FaultyServer(Responder):
    """Answers each /generate with the next of `replies`, an answer or a fault, and repeats the last."""

    def __init__(
        self, *replies: Any, model: str = TINY, info: dict[str, Any] | None = None, prefix: str = ""
    ) -> None:
        self.replies = list(replies)
        self.alone, self.ill = 0, 503
        """How many requests for model_info fail, as a router's may, and with which status."""
        self.names = {"model_path": model, "served_model_name": "served"}
        told = {"version": "0.5.23", "api_key": "secret", **(info or {})}
        about = {f"GET /{prefix}model_info": self._model_info, f"GET /{prefix}server_info": told}
        super().__init__({"GET /health": {}, "POST /generate": self._generate, **about})

    def _model_info(self, _request: Request) -> Any:
        if self.alone:
            self.alone -= 1
            return Reply(status=self.ill)
        return self.names

    def _generate(self, _request: Request) -> Any:
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply(lambda: json.dumps(answer()).encode()) if callable(reply) else reply


ANSWER = ("\n\nThe ", "answer ", "is ", "##18##.")
Counting = Literal["all", "answer", "none"]


class Written(NamedTuple):
    """The model's output, whole and in two parts; `thought` and `tokens` include the tags around thinking."""

    text: str
    reasoning: str
    content: str | None
    thought: int
    tokens: int
    finish_reason: str


class Thinker(Responder):
    """The thinking model that `VLLM` and `SGLang` serve."""

    def __init__(
        self,
        thinks: int = 100,
        keeps: bool = True,
        hides: bool = False,
        cap: int | None = None,
        counts: Counting = "all",
    ) -> None:
        self.thinks, self.keeps, self.hides = thinks, keeps, hides
        self.cap, self.counts = cap, counts
        super().__init__(like_sglang(TINY, "") | {"GET /v1/models": {"data": [{"id": TINY}]}})

    def write(self, limit: int, budget: int | None) -> Written:
        length = self.thinks if budget is None or not self.keeps else min(budget, self.thinks)
        tokens = ["<think>", *[" is"] * length, "</think>", *ANSWER]
        kept = tokens[: limit if self.cap is None else min(limit, self.cap)]
        thought, said = kept[1 : 1 + length], kept[length + 2 :]
        count = {"all": len(kept), "answer": len(said), "none": 0}[self.counts]
        marks = 1 + ("</think>" in kept)
        finish = "length" if len(kept) < len(tokens) else "stop"
        content = "".join(said) or None
        return Written("".join(kept), "".join(thought), content, len(thought) + marks, count, finish)


class VLLM(Thinker):
    def __init__(self, parser: bool = True, **habits: Any) -> None:
        super().__init__(**habits)
        self.parser = parser
        del self.routes["GET /model_info"], self.routes["GET /get_model_info"]
        self.routes |= {"POST /v1/chat/completions": self._chat, "POST /v1/completions": self._complete}

    def _chat(self, request: Request) -> Any:
        budget = request.body.get("thinking_token_budget")
        if budget is not None and not self.parser:
            return error("thinking_token_budget is set but reasoning_config is not configured.")
        written = self.write(request.body["max_tokens"], budget)
        if not self.parser:
            return completed({"content": written.text}, written.tokens, written.finish_reason)
        shown = {} if self.hides else {"reasoning": written.reasoning}
        details = {"completion_tokens_details": {"reasoning_tokens": written.thought}}
        message = {"content": written.content, **shown}
        return completed(message, written.tokens, written.finish_reason, **details)

    def _complete(self, request: Request) -> Any:
        """A completion of a text; of a prompt of token ids, the forced end of an answer."""
        prompt = request.body["prompt"]
        if not isinstance(prompt, str):
            return completed("18##.", 2, prompt_tokens=len(prompt))
        written = self.write(request.body["max_tokens"], None)
        return completed(written.text, written.tokens, written.finish_reason)


class SGLang(Thinker):
    def __init__(self, keeps: bool = True, strict: bool = True, **habits: Any) -> None:
        super().__init__(keeps=keeps and strict, **habits)
        self.strict = strict
        self.routes |= {"POST /generate": self._generate, "POST /v1/chat/completions": self._chat}

    def _generate(self, request: Request) -> Any:
        body = request.body
        if (budget := body.get("max_thinking_tokens")) is not None and not self.strict:
            return error(
                "max_thinking_tokens requires the server to be launched with --enable-strict-thinking"
            )
        reasons = body.get("require_reasoning")
        written = self.write(body["sampling_params"]["max_new_tokens"], budget if reasons else None)
        thought = written.reasoning.count(" is") + 1 if reasons else 0
        read, reason = len(body["input_ids"]), written.finish_reason
        return generated(written.text, read, written.tokens, reason, reasoning_tokens=thought)

    def _chat(self, request: Request) -> Any:
        budget = (request.body.get("custom_params") or {}).get("thinking_budget")
        written = self.write(request.body["max_tokens"], budget)
        message = {"content": written.content, "reasoning_content": written.reasoning}
        return completed(message, written.tokens, written.finish_reason)

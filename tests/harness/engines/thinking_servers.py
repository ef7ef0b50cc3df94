"""Servers with a model that thinks, as vLLM 0.32 and SGLang 0.5.23 behave by their sources.

VLLM()                 keeps `thinking_token_budget`, and has `reasoning` beside `content`
VLLM(parser=False)     refuses budgets, and leaves the thinking in the text
SGLang()               POST /generate keeps `max_thinking_tokens`, its text is as the model wrote it; its
                       chats keep `custom_params.thinking_budget` and have `reasoning_content`
SGLang(strict=False)   refuses such budgets in /generate
keeps=False            takes budgets and lets the model think on, as SGLang does with most parsers

What else servers do, each of them: `marks` of gpt-oss in the text, in full or without special tokens;
`hides` the thinking, as hosted models do; a limit of its own, `cap`, as vLLM takes it from a model's files;
`counts` nothing, or not the thinking.

A token is a word. The model thinks for `thinks` tokens and then says ANSWER.
"""

import json
from typing import Any, Literal, NamedTuple

from tests.harness.engines.sglang_responder import TINY
from tests.responder import Reply, Request, Responder

ANSWER = ("\n\nThe ", "answer ", "is ", "##18##.")
Counting = Literal["all", "answer", "none"]


THINK = ("<think>", "</think>", "")
CHANNELS = (
    "<|channel|>analysis<|message|>",
    "<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|return|>",
)
BARE_CHANNELS = ("analysis", "assistantfinal", "")
"""What stands before the thinking and before the answer, and after it."""


class Written(NamedTuple):
    """What the model wrote: its thinking, whether that has ended, and its answer; `tokens` with the marks."""

    thought: list[str]
    ended: bool
    answer: list[str]
    tokens: int
    cut: bool
    marks: tuple[str, str, str]

    @property
    def text(self) -> str:
        """As the model wrote it."""
        before, between, after = self.marks
        thought = before + "".join(self.thought).removeprefix(" " if self.marks == BARE_CHANNELS else "")
        answer = between + "".join(self.answer) if self.ended else ""
        return thought + answer + ("" if self.cut else after)

    @property
    def reasoning(self) -> str:
        return "".join(self.thought)

    @property
    def content(self) -> str | None:
        return "".join(self.answer) or None

    @property
    def finish_reason(self) -> str:
        return "length" if self.cut else "stop"


class Thinker(Responder):
    """The model, and the bodies of the requests to it."""

    def __init__(
        self,
        thinks: int = 100,
        keeps: bool = True,
        marks: tuple[str, str, str] = THINK,
        hides: bool = False,
        cap: int | None = None,
        counts: Counting = "all",
    ) -> None:
        self.thinks, self.keeps, self.hides, self.cap = thinks, keeps, hides, cap
        self.marks, self.counts = marks, counts
        super().__init__({"GET /v1/models": {"data": [{"id": TINY}]}})

    def write(self, limit: int, budget: int | None) -> Written:
        length = self.thinks if budget is None or not self.keeps else min(budget, self.thinks)
        tokens = ["<think>", *[" is"] * length, "</think>", *ANSWER]
        kept = tokens[: limit if self.cap is None else min(limit, self.cap)]
        ended = "</think>" in kept
        thought = kept[1 : 1 + length]
        answer = kept[length + 2 :]
        count = {"all": len(kept), "answer": len(answer), "none": 0}[self.counts]
        return Written(thought, ended, answer, count, len(kept) < len(tokens), self.marks)


def chat_reply(written: Written, name: str, details: bool, hides: bool = False) -> dict[str, Any]:
    """A chat completion, its thinking in the field `name`; none is set apart where that is empty."""
    message: dict[str, Any] = {"role": "assistant", "content": written.text}
    if name:
        message |= {"content": written.content, **({} if hides else {name: written.reasoning})}
    usage: dict[str, Any] = {"prompt_tokens": 71, "completion_tokens": written.tokens}
    if details:
        usage["completion_tokens_details"] = {"reasoning_tokens": len(written.thought) + 1 + written.ended}
    choice = {"index": 0, "message": message, "finish_reason": written.finish_reason}
    return {"model": "m", "choices": [choice], "usage": usage}


def error(message: str) -> Reply:
    return Reply(json.dumps({"error": {"message": message, "code": 400}}).encode(), 400)


class VLLM(Thinker):
    def __init__(self, parser: bool = True, **habits: Any) -> None:
        super().__init__(**habits)
        self.parser = parser
        self.routes |= {"GET /health": {}}
        self.routes |= {"POST /v1/chat/completions": self._chat, "POST /v1/completions": self._complete}

    def _chat(self, request: Request) -> Any:
        budget = request.body.get("thinking_token_budget")
        if budget is not None and not self.parser:
            return error("thinking_token_budget is set but reasoning_config is not configured.")
        written = self.write(request.body["max_tokens"], budget)
        name = "reasoning" if self.parser else ""
        return chat_reply(written, name, details=self.parser, hides=self.hides)

    def _complete(self, request: Request) -> Any:
        """An answer, or one that goes on: then there are ids in the prompt, and a final answer."""
        prompt = request.body["prompt"]
        if isinstance(prompt, str):
            written = self.write(request.body["max_tokens"], None)
            usage = {"prompt_tokens": 71, "completion_tokens": written.tokens}
            choice = {"text": written.text, "finish_reason": written.finish_reason}
            return {"choices": [choice], "usage": usage}
        usage = {"prompt_tokens": len(prompt), "completion_tokens": 2}
        return {"choices": [{"text": "18##.", "finish_reason": "stop"}], "usage": usage}


class SGLang(Thinker):
    def __init__(self, keeps: bool = True, strict: bool = True, **habits: Any) -> None:
        super().__init__(keeps=keeps and strict, **habits)
        self.strict = strict
        self.routes |= {f"GET /{name}": {"version": "0.5.23"} for name in ("health", "server_info")}
        self.routes |= {"GET /model_info": {"model_path": TINY}}
        self.routes |= {"POST /generate": self._generate, "POST /v1/chat/completions": self._chat}

    def _generate(self, request: Request) -> Any:
        body = request.body
        if (budget := body.get("max_thinking_tokens")) is not None and not self.strict:
            return error(
                "max_thinking_tokens requires the server to be launched with --enable-strict-thinking"
            )
        limit = body["sampling_params"]["max_new_tokens"]
        written = self.write(limit, budget if body.get("require_reasoning") else None)
        meta: dict[str, Any] = {
            "prompt_tokens": len(body["input_ids"]),
            "completion_tokens": written.tokens,
            "finish_reason": {"type": written.finish_reason},
            "reasoning_tokens": len(written.thought) + 1 if body.get("require_reasoning") else 0,
        }
        return {"text": written.text, "meta_info": meta}

    def _chat(self, request: Request) -> Any:
        budget = (request.body.get("custom_params") or {}).get("thinking_budget")
        written = self.write(request.body["max_tokens"], budget)
        return chat_reply(written, "reasoning_content", details=False)

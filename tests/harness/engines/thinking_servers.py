"""Servers with a model that thinks, as vLLM 0.32 and SGLang 0.5.23 behave by their sources.

VLLM()                 keeps `thinking_token_budget`, and has `reasoning` beside `content`
VLLM(parser=False)     refuses budgets, and leaves the thinking in the text
SGLang()               POST /generate keeps `max_thinking_tokens`, its text is as the model wrote it; its
                       chats keep `custom_params.thinking_budget` and have `reasoning_content`
SGLang(strict=False)   refuses such budgets in /generate
keeps=False            takes budgets and lets the model think on, as SGLang does with most parsers

What else servers do, each of them: `hides` the thinking, as hosted models do; a limit of its own, `cap`, as
vLLM takes it from a model's files; `counts` nothing, or not the thinking.

A token is a word. The model thinks for `thinks` tokens and then says ANSWER.
"""

import json
from typing import Any, Literal, NamedTuple

from tests.harness.engines.sglang_responder import TINY
from tests.responder import Reply, Request, Responder, like_sglang

ANSWER = ("\n\nThe ", "answer ", "is ", "##18##.")
Counting = Literal["all", "answer", "none"]


class Written(NamedTuple):
    """What the model wrote, in full and in its two parts; `thought` and `tokens` count the marks, too."""

    text: str
    reasoning: str
    content: str | None
    thought: int
    tokens: int
    finish_reason: str

    @property
    def usage(self) -> dict[str, Any]:
        return {"prompt_tokens": 71, "completion_tokens": self.tokens}


class Thinker(Responder):
    """The model, and the bodies of the requests to it."""

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


def error(message: str) -> Reply:
    return Reply(json.dumps({"error": {"message": message, "code": 400}}).encode(), 400)


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
        message, usage = {"content": written.text}, written.usage
        if self.parser:
            shown = {} if self.hides else {"reasoning": written.reasoning}
            message = {"content": written.content, **shown}
            usage["completion_tokens_details"] = {"reasoning_tokens": written.thought}
        return {"choices": [{"message": message, "finish_reason": written.finish_reason}], "usage": usage}

    def _complete(self, request: Request) -> Any:
        """An answer, or one that goes on: then there are ids in the prompt, and a final answer."""
        prompt = request.body["prompt"]
        text, finish, usage = "18##.", "stop", {"prompt_tokens": len(prompt), "completion_tokens": 2}
        if isinstance(prompt, str):
            written = self.write(request.body["max_tokens"], None)
            text, finish, usage = written.text, written.finish_reason, written.usage
        return {"choices": [{"text": text, "finish_reason": finish}], "usage": usage}


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
        meta: dict[str, Any] = {
            "prompt_tokens": len(body["input_ids"]),
            "completion_tokens": written.tokens,
            "finish_reason": {"type": written.finish_reason},
            "reasoning_tokens": written.reasoning.count(" is") + 1 if reasons else 0,
        }
        return {"text": written.text, "meta_info": meta}

    def _chat(self, request: Request) -> Any:
        budget = (request.body.get("custom_params") or {}).get("thinking_budget")
        written = self.write(request.body["max_tokens"], budget)
        message = {"content": written.content, "reasoning_content": written.reasoning}
        choice = {"message": message, "finish_reason": written.finish_reason}
        return {"choices": [choice], "usage": written.usage}

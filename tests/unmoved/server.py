"""A server for the scenes: it answers by what is asked and how often, fails in between, thinks, and judges.

Chats in OpenAI's interface, and SGLang's `/generate` for the model that ships with the project. Every third
request fails first; one question fails whenever it is asked.
"""

import re
from collections import Counter
from math import log
from typing import Any

from harness.engines.openai.engine import TRIAL
from tests.harness.engines.servers import TINY
from tests.responder import Reply, Request, Responder, completed, generated

SAID = ("The answer is ##{0}##.", "So \\boxed{{{0}}}", "It is ##{1}##", "I cannot tell", "##{0}")
HOPELESS = "How much is 4 and 5?"


class Server(Responder):
    """Models `org/chat` and `org/judge`."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        super().__init__(
            {
                "GET /v1/models": {"data": [{"id": "org/chat"}, {"id": "org/judge"}]},
                "GET /health": {},
                "GET /model_info": {"model_path": TINY},
                "GET /server_info": {"version": "0.5.23"},
                "POST /v1/chat/completions": self._chat,
                "POST /generate": self._generate,
            }
        )

    def _chat(self, request: Request) -> Any:
        body = request.body
        text = body["messages"][-1]["content"]
        if "top_logprobs" in body:
            return self._judged(text)
        if TRIAL not in text and (fault := self._fault(text)):
            return fault
        self.asked[text] += 1
        said, tokens = self._said(text, body)
        length = "length" if self.asked[text] % 5 == 0 else "stop"
        message = {"role": "assistant", "content": said, "reasoning": f"Hm, {tokens}"}
        content = [{"logprob": -0.1 * n, "token": "x"} for n in range(tokens % 4)]
        reply = completed(
            message,
            tokens,
            length,
            prompt_tokens=len(text.split()),
            logprobs={"content": content} if body.get("logprobs") else None,
            prompt_tokens_details={"cached_tokens": self.asked[text]},
            completion_tokens_details={"reasoning_tokens": tokens // 2},
        )
        return {"model": body["model"], **reply}

    def _fault(self, text: str) -> Reply | None:
        self.asked["all"] += 1
        if HOPELESS in text and "200" in text:
            return Reply(b'{"error": {"message": "too hot"}}', 400)
        if self.asked["all"] % 3 == 0:
            return Reply(b"busy", (429, 500, 503)[self.asked["all"] // 3 % 3])
        return None

    def _said(self, text: str, body: Any) -> tuple[str, int]:
        """What is said to a text, and how many tokens that took: a limit, if there is one, is kept."""
        numbers = [int(number) for number in re.findall(r"(?:is|and|case) (\d+)", text)] or [1]
        kind = (self.asked[text] + sum(numbers)) % len(SAID)
        right = "ABC"[numbers[0]] if "case" in text else sum(numbers)
        wrong = "B" if "case" in text else sum(numbers) + 1
        tokens = 12 + 7 * kind + 3 * sum(numbers)
        return SAID[kind].format(right, wrong), min(tokens, body.get("max_tokens", 99))

    def _judged(self, text: str) -> Any:
        chance = (len(text) * 7 % 19 + 1) / 25
        told = [("Yes", chance), ("no", 0.9 - chance), ("Perhaps", 0.1)]
        if chance > 0.7:
            told = [("Well", 0.9)]
        likely = [{"token": token, "logprob": log(value)} for token, value in told]
        content = [{"token": told[0][0], "logprob": -0.1, "top_logprobs": likely}]
        logprobs = {"content": content}
        return completed({"content": "Yes"}, 1, "length", prompt_tokens=len(text.split()), logprobs=logprobs)

    def _generate(self, request: Request) -> Any:
        ids = request.body["input_ids"]
        self.asked["generate"] += 1
        tokens = 3 + (sum(ids) + self.asked["generate"]) % 9
        text = f"{sum(ids) % 9}##." if self.asked["generate"] % 4 else "many"
        return generated(text, len(ids), tokens)

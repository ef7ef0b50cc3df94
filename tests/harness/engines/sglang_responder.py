"""A server that speaks SGLang's protocol, for tests, and has the faults it is given.

FaultyServer(FAULTS["not ready"], FAULTS["not JSON"], answer())    two faults, then answers
"""

import asyncio
import json
from typing import Any

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.token_ids import PromptTokens
from tests.harness.engines.opened import TINY, sglang, with_engine
from tests.responder import Reply, Request, Responder

SAMPLING = Sampling(max_new_tokens=64, temperature=1.0, stop=("[END]",))
PROMPT = "Clara has 12 eggs. Mia has 2 fewer than Clara. How many eggs does Mia have?\nUse around 40 tokens."
PROMPT_TOKENS = len(PromptTokens(TINY, None, chat=True).encode(PROMPT))


def answer(text: str = " The answer is ##18##.", reason: str = "stop", tokens: int = 9) -> dict[str, Any]:
    meta = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": tokens, "finish_reason": {"type": reason}}
    return {"text": text, "output_ids": [1, 2], "meta_info": meta}


class FaultyServer(Responder):
    """Answers each /generate with the next of `replies`: an answer, or a fault. The last one is for ever."""

    def __init__(
        self, *replies: Any, model: str = TINY, info: dict[str, Any] | None = None, prefix: str = ""
    ) -> None:
        self.replies = list(replies)
        self.alone, self.ill = 0, 503
        """How often a router's model_info is answered with this status."""
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


def ask(server: FaultyServer) -> Completion:
    """The answer that the client gets from `server`."""
    found: Completion = with_engine(server, sglang, lambda engine: engine.generate(PROMPT, SAMPLING, seed=1))
    return found


async def several(
    engine: Engine, prompt: str, n: int, sampling: Sampling, said: str = ""
) -> list[Completion]:
    """`n` answers to a prompt, asked for at the same time."""
    return await asyncio.gather(*(engine.generate(prompt, sampling, seed, said) for seed in range(n)))

"""A folder of answers to judge, and servers that judge them, for tests.

with Server() as server: exit_status(monkeypatch, "judge", folder, "--url", server.url, ...)

The server says yes with the chance in CHANCES of the answer's last word, and keeps what it was asked. It runs
in a thread of its own, on a free port of 127.0.0.1, until the block ends.
"""

import asyncio
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pandas as pd
from aiohttp import web

from results import write_samples
from tests.harness.engines.opened import TINY, in_a_thread

MODEL = "org/judge"
CHANCES = {"18": 0.9, "7": 0.2, "5": 0.6}
"""P(yes) of an answer that ends with this; other answers get neither yes nor no."""
REWARDS = {"18": 1.5, "7": -2.0, "5": 0.25}
ANSWERS = {"a": ["18", "7", "18", "7"], "b": ["18", "5", "3", "5"]}
GOLDS = {"a": "18", "b": "5"}
SCORES = [0.9, 0.2, 0.9, 0.2, 0.9, 0.6, None, 0.6]
"""What the answers of `ANSWERS` get, in the order of the rows."""
CHAT = ("--engine", "openai", "--model", MODEL)
CAUTIOUS = ("--set", "concurrency=1")
TOKENS = 40
"""What each request is said to have read."""


def folder_of(path: Path, answers: dict[str, list[str]], golds: dict[str, str]) -> Path:
    """A table of answers, such as another tool has them."""
    rows = [
        {
            "question_id": question,
            "problem": f"Problem {question}?",
            "sample": place,
            "answer": answer,
            "gold": golds[question],
            "text": f"I say {answer}",
        }
        for question, given in answers.items()
        for place, answer in enumerate(given)
    ]
    write_samples(pd.DataFrame(rows), path / "samples.jsonl")
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]


def scores(folder: Path, column: str = "score_judge") -> list[float | None]:
    return [row[column] if row[column] is None else round(row[column], 12) for row in rows_of(folder)]


class Server:
    """Speaks OpenAI's interface and SGLang's, as far as a judge or a reward model needs them."""

    def __init__(
        self,
        *,
        silent: bool = False,
        fails: int = 0,
        breaks: bool = False,
        refuses: str | None = None,
        endpoint: str = "/classify",
        told: Any = None,
        delay: float = 0.0,
        chance: Callable[[str], float | None] | None = None,
    ) -> None:
        """`silent` tells no log-probabilities; one that `breaks` refuses all after the first `fails`; a text
        with `refuses` is refused. `chance` says P(yes) of a prompt, in place of CHANCES. `endpoint` is where
        rewards are, `told` what is told of every answer. A chat takes `delay` seconds.
        """
        self.asked: list[dict[str, Any]] = []
        self.refuses = refuses
        self._most = fails if breaks else None
        self._chance = chance or chance_of
        self._silent, self._told, self._delay = silent, told, delay
        self._app = web.Application()
        self._app.router.add_get("/v1/models", self._models)
        self._app.router.add_get("/model_info", self._model_info)
        self._app.router.add_get("/server_info", self._server_info)
        self._app.router.add_post("/v1/chat/completions", self._chat)
        self._app.router.add_post("/v1/completions", self._completion)
        self._app.router.add_post("/generate", self._generate)
        self._app.router.add_post(endpoint, self._reward)

    def __enter__(self) -> Self:
        self._running = in_a_thread(self._app)
        self.url = self._running.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__(None, None, None)

    def _tokens(self, text: str) -> list[tuple[str, float]]:
        """The likeliest first tokens of a judge that reads `text`; a tenth of the chance is other tokens'."""
        chance = self._chance(text)
        if chance is None:
            return [("Well", math.log(0.9)), ("The", math.log(0.1))]
        some = [("Yes", 0.6 * chance), (" yes", 0.3 * chance), ("NO", 0.9 * (1 - chance)), ("I", 0.1)]
        return [(token, math.log(value)) for token, value in some]

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": MODEL}]})

    async def _model_info(self, _request: web.Request) -> web.Response:
        return web.json_response({"model_path": TINY})

    async def _server_info(self, _request: web.Request) -> web.Response:
        return web.json_response({"version": "0.5.23"})

    def _trouble(self, body: dict[str, Any], text: str) -> web.Response | None:
        """What keeps this request from an answer."""
        if "Say yes." in text or "2 is even" in text:  # the trial of a client
            return None
        self.asked.append(body)
        if self._most is not None and len(self.asked) > self._most:
            return web.Response(status=400, text="no more")
        return web.Response(status=400, text="too long") if self.refuses and self.refuses in text else None

    async def _chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        await asyncio.sleep(self._delay)
        text = body["messages"][0]["content"]
        if trouble := self._trouble(body, text):
            return trouble
        told = [{"token": token, "logprob": value, "bytes": None} for token, value in self._tokens(text)]
        logprobs = {"content": [{"token": told[0]["token"], "logprob": -0.1, "top_logprobs": told}]}
        return self._said({"message": {"content": "Yes"}}, logprobs)

    async def _completion(self, request: web.Request) -> web.Response:
        body = await request.json()
        if trouble := self._trouble(body, body["prompt"]):
            return trouble
        lists = {"token_logprobs": [-0.1], "top_logprobs": [dict(self._tokens(body["prompt"]))]}
        return self._said({"text": "Yes"}, lists)

    def _said(self, said: dict[str, Any], logprobs: Any) -> web.Response:
        choice = {"finish_reason": "length", "logprobs": None if self._silent else logprobs, **said}
        usage = {"prompt_tokens": TOKENS, "completion_tokens": 1}
        return web.json_response({"choices": [choice], "usage": usage, "model": MODEL})

    async def _generate(self, request: web.Request) -> web.Response:
        body = await request.json()
        text = decoded(body["input_ids"])
        if trouble := self._trouble(body, text):
            return trouble
        meta: dict[str, Any] = {"prompt_tokens": len(body["input_ids"]), "completion_tokens": 1}
        meta["finish_reason"] = {"type": "length"}
        if body.get("top_logprobs_num"):
            meta["output_token_logprobs"] = [[-0.1, 3, "Yes"]]
            meta["output_top_logprobs"] = [[[value, 3, token] for token, value in self._tokens(text)]]
        return web.json_response({"text": "Yes", "meta_info": meta})

    async def _reward(self, request: web.Request) -> web.Response:
        body = await request.json()
        text = body["messages"][1]["content"] if "messages" in body else decoded(body["input_ids"])
        if trouble := self._trouble(body, text):
            return trouble
        reward = next((value for word, value in REWARDS.items() if f"say {word}" in text), 0.0)
        told = [reward] if self._told is None else self._told
        if "input_ids" in body:
            meta = {"prompt_tokens": len(body["input_ids"])}
            return web.json_response({"embedding": told, "meta_info": meta})
        if request.path == "/pooling":
            data: dict[str, Any] = {"object": "pooling", "data": told}
        else:
            data = {"label": "LABEL_0", "probs": told, "num_classes": len(told)}
        usage = {"prompt_tokens": TOKENS, "total_tokens": TOKENS, "completion_tokens": 0}
        return web.json_response({"object": "list", "data": [{"index": 0, **data}], "usage": usage})


def chance_of(text: str) -> float | None:
    """P(yes) of a prompt by CHANCES."""
    return next((chance for word, chance in CHANCES.items() if f"say {word}" in text), None)


def decoded(ids: list[int]) -> str:
    """The text of a prompt in the tiny model's tokens."""
    from tokenizers import Tokenizer

    text: str = Tokenizer.from_file(f"{TINY}/tokenizer.json").decode(ids, skip_special_tokens=False)
    return text

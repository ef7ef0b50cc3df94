"""Test helpers: a folder of answers to judge, and fake servers that judge them.

with Server() as server: judge(folder, server, *CHAT)

The server says yes with the probability that CHANCES gives for the answer's last word, and keeps requests.
"""

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from click.testing import Result

from results import write_samples
from tests.harness.commands import command
from tests.harness.engines.servers import TINY
from tests.harness.run.rows import stored
from tests.responder import Reply, Request, Responder, completed, generated

MODEL = "org/judge"
CHANCES = {"18": 0.9, "7": 0.2, "5": 0.6}
"""P(yes) by the end of an answer; other answers get neither yes nor no."""
REWARDS = {"18": 1.5, "7": -2.0, "5": 0.25}
ANSWERS = {"a": ["18", "7", "18", "7"], "b": ["18", "5", "3", "5"]}
GOLDS = {"a": "18", "b": "5"}
SCORES = [0.9, 0.2, 0.9, 0.2, 0.9, 0.6, None, 0.6]
"""The scores of the answers in `ANSWERS`, in the order of the rows."""
CHAT = ("--engine", "openai", "--model", MODEL)
CAUTIOUS = ("--set", "concurrency=1")
TOKENS = 40
"""The prompt tokens that the server reports for each request."""


def folder_of(path: Path, answers: Mapping[str, Sequence[str]], golds: dict[str, str]) -> Path:
    """A folder with a table of answers as imported from another tool."""
    rows: list[dict[str, Any]] = []
    for question, given in answers.items():
        own = {"question_id": question, "problem": f"Problem {question}?", "gold": golds[question]}
        for place, answer in enumerate(given):
            rows.append(own | {"sample": place, "answer": answer, "text": f"I say {answer}"})
    write_samples(pd.DataFrame(rows), path / "samples.jsonl")
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return stored(folder)


def scores(folder: Path, column: str = "score_judge") -> list[float | None]:
    return [row[column] if row[column] is None else round(row[column], 12) for row in rows_of(folder)]


def judge(folder: Path, server: "Server", *options: object) -> Result:
    return command("judge", folder, "--url", server.url, *options)


def verdicts(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "scores" / "judge.jsonl").read_text().splitlines()]


def summary(folder: Path, name: str = "judge") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "scores" / f"{name}.json").read_text())["summary"]
    return found


class Server(Responder):
    """A fake server with the parts of OpenAI's and SGLang's APIs that a judge or reward model needs."""

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
        """`silent` returns no log-probabilities; `breaks` refuses all but the first `fails` requests; a text
        with `refuses` is refused. `chance` gives P(yes) of a prompt instead of CHANCES. `endpoint` gives
        rewards, and `told` is its reply on every answer. A chat takes `delay` seconds.
        """
        self.asked: list[dict[str, Any]] = []
        self.refuses = refuses
        self._most = fails if breaks else None
        self._chance = chance or chance_of
        self._silent, self._told, self._delay = silent, told, delay
        replies = {
            "/v1/chat/completions": self._chat,
            "/v1/completions": self._completion,
            "/generate": self._generate,
            endpoint: self._reward,
        }
        super().__init__(
            {
                "GET /v1/models": {"data": [{"id": MODEL}]},
                "GET /model_info": {"model_path": TINY},
                "GET /server_info": {"version": "0.5.23"},
                **{f"POST {path}": partial(self._unless_refused, reply) for path, reply in replies.items()},
            }
        )

    def _unless_refused(self, reply: Callable[[dict[str, Any], str, str], Any], request: Request) -> Any:
        """`reply` to a request's body, text and path, or an error if the request is refused."""
        body = request.body
        if "messages" in body:
            text = body["messages"][-1]["content"]
        else:
            text = body["prompt"] if "prompt" in body else decoded(body["input_ids"])
        if "Say yes." in text or "2 is even" in text:  # a client's trial request
            return reply(body, text, request.path)
        self.asked.append(body)
        if self._most is not None and len(self.asked) > self._most:
            return Reply(b"no more", 400)
        if self.refuses and self.refuses in text:
            return Reply(b"too long", 400)
        return reply(body, text, request.path)

    def _tokens(self, text: str) -> list[tuple[str, float]]:
        """The likeliest first tokens of a judge after `text`; other tokens have probability 0.1."""
        chance = self._chance(text)
        if chance is None:
            return [("Well", math.log(0.9)), ("The", math.log(0.1))]
        some = [("Yes", 0.6 * chance), (" yes", 0.3 * chance), ("NO", 0.9 * (1 - chance)), ("I", 0.1)]
        return [(token, math.log(value)) for token, value in some]

    def _chat(self, _body: dict[str, Any], text: str, _path: str) -> Any:
        time.sleep(self._delay)
        told = [{"token": token, "logprob": value, "bytes": None} for token, value in self._tokens(text)]
        logprobs = {"content": [{"token": told[0]["token"], "logprob": -0.1, "top_logprobs": told}]}
        return self._said({"content": "Yes"}, logprobs)

    def _completion(self, _body: dict[str, Any], text: str, _path: str) -> Any:
        lists = {"token_logprobs": [-0.1], "top_logprobs": [dict(self._tokens(text))]}
        return self._said("Yes", lists)

    def _said(self, said: str | dict[str, Any], logprobs: Any) -> Any:
        told = None if self._silent else logprobs
        return completed(said, 1, "length", prompt_tokens=TOKENS, logprobs=told) | {"model": MODEL}

    def _generate(self, body: dict[str, Any], text: str, _path: str) -> Any:
        told: dict[str, Any] = {}
        if body.get("top_logprobs_num"):
            told["output_token_logprobs"] = [[-0.1, 3, "Yes"]]
            told["output_top_logprobs"] = [[[value, 3, token] for token, value in self._tokens(text)]]
        return generated("Yes", len(body["input_ids"]), 1, "length", **told)

    def _reward(self, body: dict[str, Any], text: str, path: str) -> Any:
        reward = next((value for word, value in REWARDS.items() if f"say {word}" in text), 0.0)
        told = [reward] if self._told is None else self._told
        if "input_ids" in body:
            return {"embedding": told, "meta_info": {"prompt_tokens": len(body["input_ids"])}}
        if path == "/pooling":
            data: dict[str, Any] = {"object": "pooling", "data": told}
        else:
            data = {"label": "LABEL_0", "probs": told, "num_classes": len(told)}
        usage = {"prompt_tokens": TOKENS, "total_tokens": TOKENS, "completion_tokens": 0}
        return {"object": "list", "data": [{"index": 0, **data}], "usage": usage}


def chance_of(text: str) -> float | None:
    """P(yes) of a prompt by CHANCES; None for neither yes nor no."""
    return next((chance for word, chance in CHANCES.items() if f"say {word}" in text), None)


def decoded(ids: list[int]) -> str:
    """The text of a prompt in the tiny model's tokens."""
    from tokenizers import Tokenizer

    text: str = Tokenizer.from_file(f"{TINY}/tokenizer.json").decode(ids, skip_special_tokens=False)
    return text

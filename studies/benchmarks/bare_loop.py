"""The cheapest client: posts the harness's requests, counts the tokens of the replies, and keeps nothing.

    $ python studies/benchmarks/bare_loop.py http://127.0.0.1:30000 requests.jsonl 64
    {"answers": 1920, "tokens": 76213, "seconds": 17.31}

requests.jsonl holds the bodies for /generate, one a line, in the order in which the harness sends them.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import aiohttp

from harness.engines.sglang import SGLangEngine
from harness.errors import EngineError
from harness.experiment import Experiment, model_location
from harness.questions.load import Question
from harness.run.queries import prompt_for, remaining, sampling_for


def write_requests(experiment: Experiment, questions: Iterable[Question], file: Path) -> None:
    """The bodies that the harness would send for `experiment`, as its own engine makes them."""
    engine = SGLangEngine("http://nowhere", model_location(experiment.model), revision=None, chat=True)

    async def write() -> None:
        with file.open("w", encoding="utf-8") as out:

            async def ask(_path: str, body: dict[str, Any], *_: Any, **__: Any) -> None:
                out.write(json.dumps(body) + "\n")
                raise EngineError("not sent")

            engine.ask = ask  # type: ignore[method-assign,assignment]
            for query in remaining(experiment, list(questions), {}):
                sampling = sampling_for(experiment, query)
                try:
                    await engine.generate(prompt_for(experiment, query), sampling, 0)
                except EngineError:
                    continue

    asyncio.run(write())


async def post_all(url: str, bodies: Iterable[bytes], in_flight: int, together: int = 1) -> dict[str, float]:
    """Answers, tokens and seconds of posting `bodies`, `in_flight` at a time, over persistent connections.

    Groups of `together` requests wait for one another, as the answers to one request do.
    """
    waiting = iter(bodies)
    tokens = list[int]()
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None),
        headers={"Content-Type": "application/json"},
    ) as session:

        async def post(body: bytes) -> None:
            async with session.post(f"{url}/generate", data=body) as response:
                answer = await response.json()
                tokens.append(answer["meta_info"]["completion_tokens"])

        async def work() -> None:
            while group := list(islice(waiting, together)):
                await asyncio.gather(*map(post, group))

        start = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(in_flight // together)))
        return {"answers": len(tokens), "tokens": sum(tokens), "seconds": time.perf_counter() - start}


if __name__ == "__main__":
    address, requests, number = sys.argv[1:]
    sys.stdout.write(
        json.dumps(asyncio.run(post_all(address, Path(requests).read_bytes().splitlines(), int(number))))
    )

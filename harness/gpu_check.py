"""Measures how fast a machine samples: SGLang with random weights in a real model's shape, and our client.

    16 prompts x 16 answers x 128 tokens, small with random weights
    tokens/s          1223   while the server was full; 32768 tokens in 34.2 s with start and end
    prefix cache     97.9%   of 378794 prompt tokens
    client            0.8%   of the time, of one core

Nothing is downloaded. Random weights write noise up to the token limit, but each answer goes through all the
steps of a real run: prompt, tokens, request, reply, grader, table.
"""

import json
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Literal

from harness.engines.factory import own_server
from harness.experiment import TINY_MODEL, Experiment
from harness.http.connection import Connection
from harness.http.progress import METRICS
from harness.questions.load import load_questions
from harness.run.sampler import sample
from harness.run.sizing import LLAMA
from results import BadInput

CHUNK = 16
ROUNDS = 4
"""The requests come in so many rounds; the first and the last do not count."""


def write_model(shape: str, folder: Path) -> None:
    """Write a model folder without weights: a config of that shape, and the tiny model's tokenizer.

    Neither has an end token, so that no answer ends early.
    """
    folder.mkdir(parents=True)
    config = LLAMA["family"] | LLAMA["shapes"][shape]
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    for name in ("tokenizer.json", "chat_template.jinja"):
        shutil.copy(TINY_MODEL / name, folder / name)
    words = json.loads((TINY_MODEL / "tokenizer_config.json").read_text())
    del words["eos_token"]
    words["model_max_length"] = config["max_position_embeddings"]
    (folder / "tokenizer_config.json").write_text(json.dumps(words, indent=1) + "\n")


async def measure(
    shape: str,
    folder: Path,
    *,
    prompts: int,
    answers: int,
    tokens: int,
    device: Literal["cpu", "cuda"],
    dp: int,
    say: Callable[[str], None],
    flags: Sequence[str] = (),
) -> str:
    """Start a server, sample `answers` of `tokens` tokens to each of `prompts` prompts, stop the server.

    SGLang's `flags` come last. Returns what was measured, a line each. Writes into `folder`. Raises BadInput:
    the server cannot start, or answers are missing.
    """
    model = folder / f"{shape}-random"
    write_model(shape, model)
    experiment = Experiment(
        dataset="tiny",
        limit=prompts,
        model=str(model),
        prompt="gsm8k-budget",
        chat=True,
        budgets=(tokens,),
        samples=answers,
        tokens_per_budget=1.0,
        tokens_extra=0,
        chunk=CHUNK,
        concurrency=max(1, prompts * answers // CHUNK // ROUNDS),
        device=device,
        dp=dp,
    )
    flags = ("--load-format", "dummy", "--enable-metrics", *flags)
    async with own_server(experiment, folder / "server.log", say, flags) as engine:
        before, wall, processor = await prompt_counts(engine), time.perf_counter(), time.process_time()
        outcome = await sample(
            experiment, load_questions("tiny"), folder / "samples", lambda: nullcontext(engine)
        )
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        prompt, cached = (
            after - then for after, then in zip(await prompt_counts(engine), before, strict=True)
        )
    if outcome.missing:
        raise BadInput(f"{outcome.missing} of {outcome.planned} answers are missing: {outcome.failures[0]}")
    _, rate = outcome.pace.rates() or (0, float("nan"))
    return (
        f"tokens/s{rate:>14.0f}   while the server was full; "
        f"{outcome.tally.tokens} tokens in {wall:.1f} s with start and end\n"
        f"prefix cache{cached / prompt:>10.1%}   of {prompt:.0f} prompt tokens\n"
        f"client{processor / wall:>16.1%}   of the time, of one core"
    )


async def prompt_counts(server: Connection) -> list[float]:
    """The counts of prompt tokens of `server`, or of the servers behind a gateway."""
    for path in METRICS:
        reply = await server.get(path)
        if reply.status == 200 and b"prompt_tokens_total" in reply.content:
            return prompt_tokens(reply.content.decode(errors="replace"))
    raise BadInput(f"{server.url}: no metrics of SGLang at {' or '.join(METRICS)}")


def prompt_tokens(metrics: str) -> list[float]:
    """All prompt tokens so far, and those out of the prefix cache, of SGLang's metrics in Prometheus' format.

    >>> prompt_tokens('sglang:prompt_tokens_total{rank="0"} 40.0\\nsglang:prompt_tokens_total{rank="1"} 2e1')
    [60.0, 0.0]
    """
    names = "prompt_tokens_total", "cached_tokens_total"
    return [
        sum(map(float, re.findall(rf"^sglang:{name}\b.* (\S+)$", metrics, re.MULTILINE)), 0.0)
        for name in names
    ]

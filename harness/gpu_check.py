"""Measures how fast a machine samples: SGLang with random weights in a real model's shape, and our client.

    16 prompts x 16 answers x 128 tokens, small with random weights
    tokens/s           700   while the server was full; 32768 tokens in 46.8 s with start and end
    prefix cache     98.2%   of 378794 prompt tokens
    client            0.3%   of the time: 0.13 s of one core

Nothing is downloaded. Random weights write noise up to the token limit, but each answer goes through all the
steps of a real run: prompt, tokens, request, reply, grader, table.
"""

import json
import re
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import aiohttp

from harness.engines.factory import own_server
from harness.experiment import TINY_MODEL, Experiment
from harness.questions.load import load_questions
from harness.run.sampler import sample
from harness.run.sizing import LLAMA
from results import BadInput

CHUNK = 16
ROUNDS = 4
"""The requests come in so many rounds at least; the first and the last do not count."""

SHAPES: dict[str, dict[str, Any]] = LLAMA["shapes"]
FAMILY: dict[str, Any] = LLAMA["family"]
"""The rest of Llama 3.1's config.json, without an end token, so that no answer ends early."""


@dataclass(frozen=True)
class Measurement:
    """What was drawn, and how fast. `rate` is in tokens/s of the steady middle, None if there was none."""

    tokens: int
    seconds: float
    rate: float | None
    prompt_tokens: float
    cached_tokens: float
    client_seconds: float

    def lines(self) -> str:
        """The measurement as a table for a terminal."""
        rate = f"{self.rate:.0f}" if self.rate else "-"
        cached, busy = self.cached_tokens / self.prompt_tokens, self.client_seconds / self.seconds
        all_of_it = f"{self.tokens} tokens in {self.seconds:.1f} s with start and end"
        rows = [
            ("tokens/s", rate, f"while the server was full; {all_of_it}"),
            ("prefix cache", f"{cached:.1%}", f"of {self.prompt_tokens:.0f} prompt tokens"),
            ("client", f"{busy:.1%}", f"of the time: {self.client_seconds:.2f} s of one core"),
        ]
        return "\n".join(f"{name:<14}{value:>8}   {about}" for name, value, about in rows)


def write_model(shape: str, folder: Path) -> None:
    """Write a model folder without weights: a config of that shape, and the tiny model's tokenizer."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(FAMILY | SHAPES[shape], indent=1) + "\n")
    for name in ("tokenizer.json", "chat_template.jinja"):
        shutil.copy(TINY_MODEL / name, folder / name)
    words = json.loads((TINY_MODEL / "tokenizer_config.json").read_text())
    del words["eos_token"]
    words["model_max_length"] = FAMILY["max_position_embeddings"]
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
) -> Measurement:
    """Start a server, sample `answers` of `tokens` tokens to each of `prompts` prompts, stop the server.

    Writes into `folder`. Raises BadInput: the server cannot start, or answers are missing.
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
        chunk=min(CHUNK, answers),
        device=device,
        dp=dp,
    )
    at_once = max(1, prompts * answers // experiment.chunk // ROUNDS)
    experiment = experiment.model_copy(update={"concurrency": min(experiment.concurrency, at_once)})
    questions, flags = load_questions("tiny"), ("--load-format", "dummy", "--enable-metrics")
    async with (
        own_server(experiment, folder / "server.log", say, flags) as engine,
        aiohttp.ClientSession() as session,
    ):
        url = f"{engine.describe()['url']}/metrics"
        before, wall, processor = await _metrics(session, url), time.perf_counter(), time.process_time()
        outcome = await sample(experiment, questions, folder / "samples", lambda: nullcontext(engine))
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        after = await _metrics(session, url)
    if outcome.missing:
        raise BadInput(f"{outcome.missing} of {outcome.planned} answers are missing: {outcome.failures[0]}")
    counters = "prompt_tokens_total", "cached_tokens_total"
    prompt_tokens, cached_tokens = (after.get(name, 0.0) - before.get(name, 0.0) for name in counters)
    rates = outcome.pace.rates()
    rate = rates[1] if rates else None
    return Measurement(outcome.tally.tokens, wall, rate, prompt_tokens, cached_tokens, processor)


async def _metrics(session: aiohttp.ClientSession, url: str) -> dict[str, float]:
    """SGLang's metrics by name, summed over the copies of the model."""
    async with session.get(url) as response:
        return read_metrics(await response.text())


def read_metrics(text: str) -> dict[str, float]:
    """The values in Prometheus' text format by name, without the prefix `sglang:`, summed over labels.

    >>> read_metrics('# HELP x\\nsglang:gen_throughput{rank="0"} 1.5\\nsglang:gen_throughput{rank="1"} 2e1')
    {'gen_throughput': 21.5}
    """
    found: dict[str, float] = {}
    for name, value in re.findall(r"^sglang:(\w+)(?:\{.*\})? (\S+)$", text, flags=re.MULTILINE):
        found[name] = found.get(name, 0.0) + float(value)
    return found

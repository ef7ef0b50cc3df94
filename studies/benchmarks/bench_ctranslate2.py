"""The speed of the in-process engine, in tokens per processor second.

    python -m studies.benchmarks.bench_ctranslate2 [MODEL] [--prompts 4] [--answers 64] [--tokens 128] …

One line per run: the model, what was drawn, wall seconds, processor seconds, tokens per processor second of
this process. Use processor seconds if other programs compete for the cores.
"""

import asyncio
import resource
import time
from types import SimpleNamespace
from typing import Any

import click

from harness.engines.base import Completion, Sampling
from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.engines.forcing import forced
from harness.experiment import model_location
from harness.questions.load import load_questions
from prompts import fill


async def measure(arguments: SimpleNamespace) -> str:
    sampling = Sampling(arguments.tokens, temperature=1.0, stop=("[END]",))
    prompt = "tiny-budget" if arguments.model == "tiny" else "gsm8k-budget"
    questions = load_questions("tiny")[: arguments.prompts]
    texts = [fill(prompt, problem=question.problem, token_limit=arguments.budget) for question in questions]
    location = model_location(arguments.model)
    async with CTranslate2Engine(location, revision=None, chat=True, dtype=arguments.dtype) as engine:
        await engine.generate(texts[0], Sampling(2, temperature=1.0), seed=0)
        wall, processor = time.perf_counter(), time.process_time()

        async def draw(text: str) -> Completion:
            answer = await engine.generate(text, sampling, seed=0)
            return await forced(engine, text, answer, sampling, seed=0) if arguments.force else answer

        found = await asyncio.gather(*(draw(text) for text in texts for _ in range(arguments.answers)))
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    tokens = sum(answer.tokens or 0 for answer in found)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return (
        f"{arguments.model}: {len(found)} answers, prompts of {found[0].prompt_tokens} tokens, "
        f"{tokens} tokens in {wall:.1f} s, {processor:.1f} processor s: {tokens / processor:.1f} tokens, "
        f"{len(found) / processor:.1f} answers per processor second, {memory:.1f} GB"
    )


@click.command()
@click.argument("model", default="tiny")
@click.option("--prompts", default=4)
@click.option("--answers", default=64)
@click.option("--tokens", default=128)
@click.option("--budget", default=60)
@click.option("--dtype", default="auto")
@click.option("--force", is_flag=True, help="As budget_by = force.")
def main(**given: Any) -> None:
    click.echo(asyncio.run(measure(SimpleNamespace(**given))))


if __name__ == "__main__":
    main()

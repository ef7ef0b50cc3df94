"""Measures how fast a machine samples: SGLang with random weights in a real model's shape.

    6 prompts x 16 answers of a real run's lengths, small with random weights
    tokens/s          1396   while the server was full; 22302 tokens in 16.7 s with start and end
    running          96.2%   of 16 slots, by SGLang's own count
    prefix cache     86.9%   of 51888 prompt tokens
    client            4.0%   of the time, of one core

Nothing is downloaded. Prompts are random words. With random weights the model writes such words up
to the token limit; each answer's limit is drawn from the lengths of a real run's answers.
"""

import asyncio
import json
import random
import string
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Literal

import results
from harness.engines.base import Completion, Sampling
from harness.engines.factory import own_server
from harness.engines.sglang import SGLangEngine
from harness.experiment import Experiment
from harness.http.connection import METRICS, Connection, total
from harness.questions.load import Question
from harness.run.sampler import sample
from harness.run.sizing import LLAMA
from prompts import fill
from results import BadInput

REAL_RUN = Path(results.__file__).parent / "cached" / "qwen-gsm8k.parquet"
"""A real model's answers to GSM8K; limits are drawn from their lengths: 3 to 1,512 tokens, mean 232."""
TEMPLATE = "gsm8k-budget"
ROUNDS = 6
"""Number of answers, as a multiple of those in flight; the first and the last round do not count."""
LOOK_SECONDS = 0.5
PROMPT, RUNNING = ("prompt_tokens_total", "cached_tokens_total"), "num_running_reqs"
"""SGLang's counts of all prompt tokens, of those found in the prefix cache, and of running answers."""


def write_model(shape: str, folder: Path) -> None:
    """Write a model folder without weights: a config of that shape, and a tokenizer of made-up words.

    Neither has an end token, so that no answer ends before its limit.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    folder.mkdir(parents=True)
    config = LLAMA["family"] | LLAMA["shapes"][shape]
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    words = {word(number): number for number in range(config["vocab_size"])}
    tokenizer = Tokenizer(WordLevel(words, unk_token=word(0)))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": word(0)}
    about["model_max_length"] = config["max_position_embeddings"]
    (folder / "tokenizer_config.json").write_text(json.dumps(about, indent=1) + "\n")


def word(number: int) -> str:
    """The made-up word for a token: a, b … z, ba, bb …; four letters for most of 128,256 tokens."""
    number, last = divmod(number, 26)
    return (word(number) if number else "") + string.ascii_lowercase[last]


class DrawnLengths:
    """An engine that limits each answer to a real run's answer length, drawn by the answer's seed."""

    def __init__(self, engine: SGLangEngine, lengths: Sequence[int]) -> None:
        self._engine, self._lengths = engine, lengths
        self.name, self.version = engine.name, engine.version
        self.describe, self.opens_thinking = engine.describe, engine.opens_thinking
        self.begun = 0
        """Number of answers requested so far."""

    async def generate(self, prompt: str, sampling: Sampling, seed: int, said: str = "") -> Completion:
        """Generate an answer, as in `Engine`."""
        self.begun += 1
        limit = random.Random(seed).choice(self._lengths)
        return await self._engine.generate(prompt, replace(sampling, max_new_tokens=limit), seed, said)


async def measure(
    shape: str,
    folder: Path,
    *,
    prompts: int,
    answers: int,
    device: Literal["cpu", "cuda"],
    dp: int,
    say: Callable[[str], None],
    flags: Sequence[str] = (),
) -> str:
    """Start a server, sample `answers` answers to each of `prompts` prompts, and stop the server.

    `flags` for SGLang follow the default ones. Returns the measurements, one per line. Writes into `folder`.
    Raises BadInput if the server cannot start or answers are missing.
    """
    import pyarrow.parquet

    model = folder / f"{shape}-random"
    write_model(shape, model)
    real = pyarrow.parquet.read_table(REAL_RUN, columns=["tokens", "prompt_tokens"]).to_pydict()
    of_template = len(fill(TEMPLATE, problem="", token_limit=0).split())
    lengths = [tokens - of_template for tokens in real["prompt_tokens"]]
    questions = random_questions(prompts, lengths, LLAMA["shapes"][shape]["vocab_size"])
    planned = prompts * answers
    places = max(dp, planned // ROUNDS)
    experiment = Experiment(
        dataset="random",
        model=str(model),
        prompt=TEMPLATE,
        chat=False,
        budgets=(max(real["tokens"]),),
        samples=answers,
        tokens_per_budget=1.0,
        tokens_extra=0,
        concurrency=places,
        device=device,
        dp=dp,
    )
    flags = ("--load-format", "dummy", "--enable-metrics", *flags)
    async with own_server(experiment, folder / "server.log", say, flags) as server:
        engine = DrawnLengths(server, real["tokens"])
        before = await counts(server, *PROMPT)
        wall = time.perf_counter()
        processor = time.process_time()
        looks: list[float] = []
        looking = asyncio.create_task(look(server, lambda: engine.begun, range(2 * places, planned), looks))
        outcome = await sample(experiment, questions, folder / "samples", lambda: nullcontext(engine))
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        looking.cancel()
        after = await counts(server, *PROMPT)
    if outcome.missing:
        raise BadInput(f"{outcome.missing} of {outcome.planned} answers are missing: {outcome.failures[0]}")
    prompt, cached = (now - then for now, then in zip(after, before, strict=True))
    share = sum(looks) / len(looks) / places if looks else float("nan")
    _, rate = outcome.pace.rates() or (0, float("nan"))
    return (
        f"tokens/s{rate:>14.0f}   while the server was full; "
        f"{outcome.tally.tokens} tokens in {wall:.1f} s with start and end\n"
        f"running{share:>15.1%}   of {places} slots, by SGLang's own count\n"
        f"prefix cache{cached / prompt:>10.1%}   of {prompt:.0f} prompt tokens\n"
        f"client{processor / wall:>16.1%}   of the time, of one core"
    )


def random_questions(count: int, lengths: Sequence[int], words: int) -> list[Question]:
    """Questions of random words; the number of words is drawn from `lengths`."""
    rng = random.Random(0)
    questions = []
    for number in range(count):
        problem = [word(rng.randrange(words)) for _ in range(rng.choice(lengths))]
        questions.append(Question(f"random-{number}", " ".join(problem), "0"))
    return questions


async def look(server: Connection, begun: Callable[[], int], steady: range, looks: list[float]) -> None:
    """Repeatedly add the number of running answers to `looks` while the number begun is in `steady`."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if begun() in steady:
            looks += await counts(server, RUNNING)


async def counts(server: Connection, *names: str) -> list[float]:
    """SGLang's counts of these names, summed over the servers behind a gateway. Raises BadInput."""
    for path in METRICS:
        reply = await server.get(path)
        if reply.status == 200 and names[0].encode() in reply.content:
            text = reply.content.decode(errors="replace")
            return [total(rf"sglang:{name}\b", text) or 0.0 for name in names]
    raise BadInput(f"{server.url}: no metrics of SGLang at {' or '.join(METRICS)}")

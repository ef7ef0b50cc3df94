"""The engine without a server: a model in this process, on a CPU or a GPU, sampled with CTranslate2.

    async with CTranslate2Engine(location, revision=None, chat=True) as engine:
        answer = await engine.generate("Anna has 12 apples. ...", sampling, seed=7)

A few threads each answer one batch of similar requests at a time.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Self

import ctranslate2

from harness.engines.base import Completion, Sampling, mean_logprob
from harness.engines.ctranslate2.batches import (
    Batch,
    Drawn,
    PromptRequest,
    keep_freed_memory,
    most_tokens,
    next_batch,
)
from harness.engines.ctranslate2.convert import WEIGHTS, converted
from harness.engines.ctranslate2.end_of_answer import EndOfAnswer
from harness.engines.thinking import apart
from harness.engines.token_ids import PromptTokens, counted, read_object
from harness.errors import EngineError, EngineGone
from results import BadInput

SMALL = 100e6
"""Bytes of weights below which batches are so short that checking each token would take half the time."""
MOST_WORKERS = 16
"""The most batches at a time; with more threads than that, each batch uses several."""


class CTranslate2Engine:
    """Samples answers from a model, which it loads on entering the context."""

    name = "ctranslate2"
    version: str = ctranslate2.__version__

    def __init__(
        self,
        model: str,
        *,
        revision: str | None,
        chat: bool,
        device: str = "auto",
        dtype: str = "auto",
        template_arguments: Mapping[str, Any] | None = None,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """`dtype` auto: the precision of the model's files. Raises BadInput: no tokenizer, no GPU."""
        self._location, self._revision, self._dtype, self._say = model, revision, dtype, say
        gpu = device != "cpu" and ctranslate2.get_cuda_device_count() > 0
        if device == "cuda" and not gpu:
            raise BadInput("CTranslate2 cannot use a GPU here: give --set device=cpu to tts sample")
        self._device, threads = ("cuda", 1) if gpu else ("cpu", thread_count())
        self._workers = min(threads, MOST_WORKERS)
        self._threads = threads // self._workers
        self._prompts = PromptTokens(model, revision, chat, template_arguments)
        self.opens_thinking = self._prompts.opens_thinking
        self._waiting: list[PromptRequest] = []
        self._order = random.Random(0)
        self._arrived = asyncio.Event()
        self._closed: str | None = None

    async def __aenter__(self) -> Self:
        """Load the model. Raises BadInput: no such model, or CTranslate2 cannot run it in this precision."""
        folder = await asyncio.to_thread(converted, self._location, self._revision, self._say)
        self._small = (folder / WEIGHTS).stat().st_size < SMALL
        if not self._small:
            keep_freed_memory()
        self._model = await asyncio.to_thread(self._load, folder)
        vocabulary = (folder / "vocabulary.json").read_text(encoding="utf-8")
        self._names: list[str] = json.loads(vocabulary)
        config = read_object(self._prompts.folder / "config.json")
        self._context = config.get("max_position_embeddings")
        self._most_tokens = most_tokens(config, self._workers)
        end_tokens = end_tokens_of(self._prompts, folder)
        self._end = cache(partial(EndOfAnswer, self._prompts.tokenizer, end_tokens))
        self._enders = cache(lambda stop: self._end(stop).enders())
        self._pool = ThreadPoolExecutor(self._workers)
        self._working = [asyncio.create_task(self._work()) for _ in range(self._workers)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = "the engine was closed"
        self._arrived.set()
        await asyncio.gather(*self._working)
        self._pool.shutdown()
        for request in self._waiting:
            request.fail(EngineGone(self._closed))
        del self._model  # its threads end while the interpreter still runs

    def _load(self, folder: Path) -> Any:
        kind = "default" if self._dtype == "auto" else self._dtype
        try:
            return ctranslate2.Generator(
                str(folder),
                device=self._device,
                compute_type=kind,
                inter_threads=self._workers,
                intra_threads=self._threads,
            )
        except (RuntimeError, ValueError) as error:
            raise BadInput(
                f"model {self._location}: cannot be loaded on {self._device} as {self._dtype}: {error}"
            ) from None

    def describe(self) -> dict[str, Any]:
        """Where and in which precision the model runs."""
        return {
            "device": self._device,
            "dtype": self._model.compute_type,
            "threads": self._workers * self._threads,
            "batches_at_a_time": self._workers,
            "prompts": self._prompts.rendering(),
        }

    async def generate(self, prompt: str, sampling: Sampling, seed: int, said: str = "") -> Completion:
        """An answer to `prompt`. A seed cannot reproduce it."""
        del seed
        if self._closed:
            raise EngineGone(self._closed)
        ids = self._prompts.go_on(prompt, said)
        self._check(ids, sampling)
        request = PromptRequest(ids, sampling)
        self._waiting.append(request)
        self._arrived.set()
        drawn = await request.answer
        answer = Completion(
            drawn.text,
            drawn.tokens,
            len(ids),
            "stop" if drawn.ended else "length",
            seed=None,
            logprob=drawn.logprob,
        )
        if said:
            return answer
        return counted(apart(answer, self._prompts.opens_thinking(prompt)), self._prompts)

    def _check(self, ids: Sequence[int], sampling: Sampling) -> None:
        """Raise EngineError for a prompt that the model cannot read."""
        tokenizer = self._prompts.tokenizer
        if any(
            token >= len(self._names) or self._names[token] != tokenizer.id_to_token(token) for token in ids
        ):
            raise EngineError("the prompt has tokens that the model lacks: its tokenizer is another model's")
        if self._context is not None and len(ids) + sampling.max_new_tokens > self._context:
            raise EngineError(
                f"the prompt has {len(ids)} tokens and the answer may have {sampling.max_new_tokens}: "
                f"together more than the model's context of {self._context}"
            )

    async def _work(self) -> None:
        """Answer one batch after another until the engine is closed. An error fails only its own batch."""
        while not self._closed:
            batch = next_batch(self._waiting, self._most_tokens)
            if not batch:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            try:
                drawn = await asyncio.get_running_loop().run_in_executor(self._pool, self._draw, batch)
            except Exception as error:  # whatever it is: out of memory, a fault of the tokenizer's code
                for request in chain.from_iterable(batch):
                    request.fail(EngineError(f"{type(error).__name__}: {error}"))
            else:
                self._hand_out(batch, drawn)

    def _hand_out(self, batch: Batch, drawn: Sequence[list[Drawn]]) -> None:
        for requests, answers in zip(batch, drawn, strict=True):
            self._order.shuffle(answers)  # CTranslate2 returns the likeliest first
            for request, answer in zip(requests, answers, strict=True):
                if self._closed:  # which may have cut it short
                    request.fail(EngineGone(self._closed))
                else:
                    request.succeed(answer)

    def _draw(self, batch: Batch) -> list[list[Drawn]]:
        """The answers to the requests of each prompt; runs in a thread."""
        prompts, sampling, n = [requests[0].ids for requests in batch], batch[0][0].sampling, len(batch[0])
        drawn = 1 if is_greedy(sampling) else n  # greedy answers are equal
        end = self._end(sampling.stop)
        enders, covered = self._enders(sampling.stop)
        results = self._model.generate_batch(
            [[self._names[token] for token in ids] for ids in prompts],
            num_hypotheses=drawn,
            max_length=sampling.max_new_tokens,
            end_token=enders,
            return_end_token=True,
            include_prompt_in_result=False,
            callback=None if self._small and covered else self._watch(end),
            **self._sampler(sampling),
        )
        ended = [[finished(end, tokens) for tokens in result.sequences_ids] for result in results]
        for ids, result, answers in zip(prompts, results, ended, strict=True):
            for i, (one, tokens) in enumerate(zip(answers, result.sequences_ids, strict=True)):
                if sampling.logprobs:
                    answers[i] = one._replace(logprob=self._mean_logprob(ids, tokens[: one.tokens]))
        return [answers * (n // drawn) for answers in ended]

    def _mean_logprob(self, prompt: Sequence[int], answer: Sequence[int]) -> float | None:
        """The mean log-probability of an answer's tokens at temperature 1, by a separate forward pass."""
        names = [self._names[token] for token in (*prompt, *answer)]
        (scored,) = self._model.score_batch([names], max_input_length=0)
        return mean_logprob(scored.log_probs[-len(answer) :] if answer else [])

    def _sampler(self, sampling: Sampling) -> dict[str, Any]:
        """The sampling parameters under CTranslate2's names; top-k 1 is greedy, 0 sets no limit."""
        if is_greedy(sampling):
            return {"sampling_topk": 1}
        unlimited = sampling.top_k == -1 or sampling.top_k >= len(self._names)
        return {
            "sampling_topk": 0 if unlimited else sampling.top_k,
            "sampling_topp": sampling.top_p,
            "sampling_temperature": sampling.temperature,
        }

    def _watch(self, end: EndOfAnswer) -> Callable[[Any], bool]:
        """A callback that is given each token and returns whether it is the last of its answer."""
        rows: dict[tuple[int, int], list[int]] = {}

        def is_last(step: Any) -> bool:
            row = rows.setdefault((step.batch_id, step.hypothesis_id), [])
            row.append(step.token_id)
            return self._closed is not None or end.ends(row)

        return is_last


def is_greedy(sampling: Sampling) -> bool:
    """Whether all answers to a prompt are equal."""
    return sampling.temperature == 0 or sampling.top_k == 1


def finished(end: EndOfAnswer, tokens: Sequence[int]) -> Drawn:
    """The answer at the beginning of `tokens`, which may continue beyond its end."""
    whole = end.whole(tokens)
    return Drawn(end.text(whole), len(whole), end.ends(whole))


def end_tokens_of(prompts: PromptTokens, folder: Path) -> frozenset[int]:
    """The end tokens given by the model's generation config (or config) and by its tokenizer."""
    files = (prompts.folder / name for name in ("generation_config.json", "config.json"))
    given = next(filter(None, map(read_object, files)), {})
    ids = given.get("eos_token_id")
    config = read_object(folder / "config.json")
    names = (prompts.special.get("eos_token"), config.get("eos_token"))
    named = [prompts.tokenizer.token_to_id(name) for name in names if name]
    return frozenset(
        token for token in [*(ids if isinstance(ids, list) else [ids]), *named] if token is not None
    )


def thread_count() -> int:
    """OMP_NUM_THREADS, or the cores that this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

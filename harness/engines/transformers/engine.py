"""The engine without a server: a transformers model in this process, on a CPU or a GPU.

    async with TransformersEngine(location, revision=None, chat=True) as engine:
        answers = await engine.generate("Anna has 12 apples. ...", 64, sampling, seed=7)

One thread works on the model, so that answers can be stored meanwhile. Requests that wait join as soon as
others have left room.
"""

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, Self

import torch
import transformers

from harness.engines.base import Completion, EngineError, EngineGone, Sampling
from harness.engines.tokens import PromptTokens
from harness.engines.transformers.decoding import Decoder, Request
from harness.engines.transformers.stopping import StopRule
from harness.server.gpus import usable_gpus
from results import BadInput

BATCH_ROWS = 256
"""Answers under way at a time. On two cores, more are no faster and fewer are slower."""


class TransformersEngine:
    """Draws answers from a model, which it loads on entering the context."""

    name = "transformers"
    version = transformers.__version__

    def __init__(
        self, model: str, *, revision: str | None, chat: bool, device: str = "auto", dtype: str = "auto"
    ) -> None:
        """`dtype` auto: float32 on a CPU, the model's own on a GPU. Raises BadInput: no tokenizer, no GPU."""
        self._location, self._revision = model, revision
        self._device = "cuda" if usable_gpus(device) else "cpu"
        self._dtype = "float32" if dtype == "auto" and self._device == "cpu" else dtype
        self._prompts = PromptTokens(model, revision, chat)
        self._asked: dict[Request, asyncio.Future[list[list[int]]]] = {}
        """The requests without answers, of which some wait to be begun."""
        self._waiting: deque[Request] = deque()
        self._arrived = asyncio.Event()
        self._closed: str | None = None

    async def __aenter__(self) -> Self:
        """Raises BadInput: no such model, no such device, or a kind of model that this engine cannot run."""
        self._model = await asyncio.to_thread(self._load)
        ends = (self._model.generation_config.eos_token_id, self._prompts.tokenizer.eos_token_id)
        flat = [token for end in ends for token in (end if isinstance(end, list) else [end])]
        end_tokens = frozenset(token for token in flat if token is not None)
        self._stop_rule = cache(partial(StopRule, self._prompts.tokenizer, end_tokens))
        self._working = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = "the engine was closed"
        self._arrived.set()
        await self._working

    def _load(self) -> Any:
        transformers.utils.logging.disable_progress_bar()
        try:
            model = transformers.AutoModelForCausalLM.from_pretrained(
                self._location,
                revision=self._revision,
                dtype=self._dtype,
                local_files_only=self._prompts.local_only,
            )
            model = model.to(self._device).eval()
            self._decoder = Decoder(model)
            self._decoder.check()
        except (OSError, ValueError, AssertionError, RuntimeError) as error:  # no such model, no such device
            raise BadInput(f"model {self._location}: cannot be loaded on {self._device}: {error}") from None
        return model

    def describe(self) -> dict[str, Any]:
        """Where and in which precision the model runs."""
        return {
            "torch": torch.__version__,
            "device": self._device,
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "threads": torch.get_num_threads(),
        }

    async def generate(
        self, prompt: str, n: int, sampling: Sampling, seed: int, said: str = ""
    ) -> list[Completion]:
        """`n` answers to `prompt`. The same seed gives the same answers, up to rounding in the model."""
        if self._closed:
            raise EngineGone(self._closed)
        ids, start = self._prompts.go_on(prompt, said), self._prompts.encode(prompt)
        if max(ids) >= self._model.get_input_embeddings().num_embeddings:
            raise EngineError("the prompt has tokens that are not in the model: its tokenizer is not its own")
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context is not None and len(ids) + sampling.max_new_tokens > context:
            raise EngineError(
                f"the prompt has {len(ids)} tokens and the answer may have {sampling.max_new_tokens}: "
                f"together more than the model's context of {context}"
            )
        rule = self._stop_rule(sampling.stop)
        request = Request(start, ids[len(start) :], n, seed, sampling, rule.ends)
        self._asked[request] = asyncio.get_running_loop().create_future()
        # What goes on from an answer comes first, while the prompt's keys and values are still there.
        (self._waiting.appendleft if said else self._waiting.append)(request)
        self._arrived.set()
        answers = await self._asked[request]
        try:
            return [
                Completion(rule.text(row), len(row), len(ids), "stop" if rule.ends(row) else "length", seed)
                for row in answers
            ]
        except Exception as error:  # whatever it is: a fault of the tokenizer's code fails this request only
            raise EngineError(f"{type(error).__name__}: {error}") from None

    async def _work(self) -> None:
        """Answer requests until the engine is closed. Whatever goes wrong fails requests only."""
        with ThreadPoolExecutor(1) as thread:
            while not self._closed:
                if not self._asked:
                    self._arrived.clear()
                    await self._arrived.wait()
                    continue
                try:
                    finished = await asyncio.get_running_loop().run_in_executor(thread, self._draw)
                except Exception as error:  # whatever it is: out of memory, a fault of the model's code
                    self._decoder.clear()
                    self._fail(EngineError(f"{type(error).__name__}: {error}"))
                else:
                    for request, answers in finished:
                        future = self._asked.pop(request)
                        if not future.done():  # cancelled meanwhile
                            future.set_result(answers)
        self._waiting.clear()
        self._fail(EngineGone(self._closed))

    def _draw(self) -> list[tuple[Request, list[list[int]]]]:
        """In the thread: begin with requests while there is room, and draw until some are finished."""
        finished: list[tuple[Request, list[list[int]]]] = []
        decoder, waiting = self._decoder, self._waiting
        while not finished and not self._closed:
            while waiting and (not decoder.rows or decoder.rows + waiting[0].n <= BATCH_ROWS):
                decoder.add(waiting.popleft())
            finished = decoder.step()
        return finished

    def _fail(self, error: EngineError) -> None:
        """Fail the requests that have been begun."""
        for request in self._asked.keys() - set(self._waiting):
            future = self._asked.pop(request)
            if not future.done():
                future.set_exception(error)

"""The engine without a server: a transformers model in this process, on a CPU or a GPU.

    async with TransformersEngine(location, revision=None, chat=True) as engine:
        answers = await engine.generate("Anna has 12 apples. ...", 64, sampling, seed=7)

Requests that wait at the same time and have the same sampling are answered in one batch.
"""

import asyncio
import threading
from dataclasses import dataclass
from typing import Any, Self

import torch
import transformers

from harness.engines.base import Completion, EngineError, Sampling
from harness.engines.tokens import PromptTokens
from harness.engines.transformers.decoding import Request, decode
from harness.engines.transformers.next_token import next_token_rule
from harness.engines.transformers.stopping import StopRule
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from results import BadInput

BATCH_ROWS = 256
"""Answers drawn at a time. On two cores, more are no faster and fewer are slower."""


@dataclass(frozen=True)
class _Waiting:
    request: Request
    sampling: Sampling
    answers: "asyncio.Future[list[Completion]]"


class TransformersEngine:
    """Draws answers from a model, which it loads on entering the context."""

    name = "transformers"
    version = transformers.__version__

    def __init__(
        self, model: str, *, revision: str | None, chat: bool, device: str = "auto", dtype: str = "auto"
    ) -> None:
        """`dtype` auto is float32 on a CPU, the model's own on a GPU. Raises BadInput: no tokenizer."""
        self._location, self._revision = model, revision
        self._device = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        self._dtype = "float32" if dtype == "auto" and self._device == "cpu" else dtype
        self._prompts = PromptTokens(model, revision, chat)
        self._rules: dict[tuple[str, ...], StopRule] = {}
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._closing = threading.Event()

    async def __aenter__(self) -> Self:
        self._model = await asyncio.to_thread(self._load)
        ends = (self._model.generation_config.eos_token_id, self._prompts.tokenizer.eos_token_id)
        flat = [token for end in ends for token in (end if isinstance(end, list) else [end])]
        self._end_tokens = frozenset(token for token in flat if token is not None)
        self._worker = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self._worker.cancel()
        await asyncio.gather(self._worker, return_exceptions=True)

    def _load(self) -> Any:
        declare_torchvision_operations()
        transformers.utils.logging.disable_progress_bar()
        try:
            model = transformers.AutoModelForCausalLM.from_pretrained(
                self._location, revision=self._revision, dtype=self._dtype
            )
            return model.to(self._device).eval()
        except (OSError, ValueError, AssertionError, RuntimeError) as error:  # no such model, no such device
            raise BadInput(f"model {self._location}: cannot be loaded on {self._device}: {error}") from None

    def describe(self) -> dict[str, Any]:
        """Where and in which precision the model runs."""
        return {
            "torch": torch.__version__,
            "device": self._device,
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "threads": torch.get_num_threads(),
        }

    async def generate(self, prompt: str, n: int, sampling: Sampling, seed: int) -> list[Completion]:
        """`n` answers to `prompt`. The same seed gives the same answers, up to rounding in the model."""
        ids = self._prompts.encode(prompt)
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context is not None and len(ids) + sampling.max_new_tokens > context:
            raise EngineError(
                f"the prompt has {len(ids)} tokens and the answer may have {sampling.max_new_tokens}: "
                f"together more than the model's context of {context}"
            )
        answers: asyncio.Future[list[Completion]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(Request(ids, n, seed), sampling, answers))
        self._wake.set()
        return await answers

    async def _work(self) -> None:
        """Answer batch after batch, each in a thread, so that answers can be stored meanwhile."""
        while True:
            await self._wake.wait()
            while batch := self._next_batch():
                try:
                    found = await asyncio.to_thread(self._answers, batch)
                except RuntimeError as error:  # out of memory, for one
                    for item in batch:
                        if not item.answers.done():
                            item.answers.set_exception(EngineError(f"{type(error).__name__}: {error}"))
                    continue
                for item, completions in zip(batch, found, strict=True):
                    if not item.answers.done():
                        item.answers.set_result(completions)
                await asyncio.sleep(0)  # lets new requests join the next batch
            self._wake.clear()

    def _next_batch(self) -> list[_Waiting]:
        """The request that has waited longest, and others with its sampling, up to BATCH_ROWS answers."""
        batch: list[_Waiting] = []
        left: list[_Waiting] = []
        rows = 0
        for item in self._waiting:
            fits = not batch or (item.sampling == batch[0].sampling and rows + item.request.n <= BATCH_ROWS)
            if fits:
                rows += item.request.n
            (batch if fits else left).append(item)
        self._waiting = left
        return batch

    def _answers(self, batch: list[_Waiting]) -> list[list[Completion]]:
        sampling = batch[0].sampling
        rule = self._rule(sampling.stop)
        requests = [item.request for item in batch]
        draw = next_token_rule(sampling)

        def draw_while_open(logits: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
            if self._closing.is_set():
                raise RuntimeError("the engine was closed")
            return draw(logits, uniform)

        found = decode(self._model, requests, sampling.max_new_tokens, draw_while_open, rule.ends)
        return [
            [
                Completion(
                    text=rule.text(tokens),
                    tokens=len(tokens),
                    prompt_tokens=len(request.prompt),
                    finish_reason="stop" if rule.ends(tokens) else "length",
                    seed=request.seed,
                )
                for tokens in answers
            ]
            for request, answers in zip(requests, found, strict=True)
        ]

    def _rule(self, stop: tuple[str, ...]) -> StopRule:
        if stop not in self._rules:
            self._rules[stop] = StopRule(self._prompts.tokenizer, self._end_tokens, stop)
        return self._rules[stop]

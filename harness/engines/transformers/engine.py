"""The engine without a server: a transformers model in this process, on a CPU or a GPU.

    async with TransformersEngine(location, revision=None, chat=True) as engine:
        answers = await engine.generate("Anna has 12 apples. ...", 64, sampling, seed=7)

One thread works on the model, token by token, so that answers can be stored meanwhile. Requests that wait
join as soon as others have left room.
"""

import asyncio
import queue
import threading
from dataclasses import dataclass
from typing import Any, Self

import torch
import transformers

from harness.engines.base import Completion, EngineError, EngineGone, Sampling
from harness.engines.tokens import PromptTokens
from harness.engines.transformers.decoding import Decoder, Request
from harness.engines.transformers.next_token import next_token_rule
from harness.engines.transformers.stopping import StopRule
from harness.server.gpus import usable_gpus
from results import BadInput

BATCH_ROWS = 256
"""Answers under way at a time. On two cores, more are no faster and fewer are slower."""


@dataclass(frozen=True, eq=False)
class _Waiting:
    request: Request
    rule: StopRule
    answers: "asyncio.Future[list[Completion]]"


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
        self._rules: dict[tuple[str, ...], StopRule] = {}
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="transformers", daemon=True)
        self._closed: str | None = None

    async def __aenter__(self) -> Self:
        """Raises BadInput: no such model, no such device, or a kind of model that this engine cannot run."""
        self._model = await asyncio.to_thread(self._load)
        ends = (self._model.generation_config.eos_token_id, self._prompts.tokenizer.eos_token_id)
        flat = [token for end in ends for token in (end if isinstance(end, list) else [end])]
        self._end_tokens = frozenset(token for token in flat if token is not None)
        self._loop = asyncio.get_running_loop()
        self._worker.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = "the engine was closed"
        self._waiting.put(None)
        await asyncio.to_thread(self._worker.join)

    def _load(self) -> Any:
        transformers.utils.logging.disable_progress_bar()
        try:
            model = transformers.AutoModelForCausalLM.from_pretrained(
                self._location, revision=self._revision, dtype=self._dtype
            )
            model = model.to(self._device).eval()
        except (OSError, ValueError, AssertionError, RuntimeError) as error:  # no such model, no such device
            raise BadInput(f"model {self._location}: cannot be loaded on {self._device}: {error}") from None
        self._decoder = Decoder(model)
        if difference := self._decoder.difference():
            raise BadInput(
                f"model {self._location}: {difference}: sample it with engine 'sglang' or 'openai'"
            )
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
        ids = self._prompts.go_on(prompt, said)
        if max(ids) >= self._model.get_input_embeddings().num_embeddings:
            raise EngineError("the prompt has tokens that are not in the model: its tokenizer is not its own")
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context is not None and len(ids) + sampling.max_new_tokens > context:
            raise EngineError(
                f"the prompt has {len(ids)} tokens and the answer may have {sampling.max_new_tokens}: "
                f"together more than the model's context of {context}"
            )
        if sampling.stop not in self._rules:
            rule = StopRule(self._prompts.tokenizer, self._end_tokens, sampling.stop)
            self._rules[sampling.stop] = rule
        rule = self._rules[sampling.stop]
        request = Request(ids, n, seed, sampling.max_new_tokens, next_token_rule(sampling), rule.ends)
        answers: asyncio.Future[list[Completion]] = asyncio.get_running_loop().create_future()
        self._waiting.put(_Waiting(request, rule, answers))
        return await answers

    def _work(self) -> None:
        """The thread: answer requests until the engine is closed. Whatever goes wrong fails requests only."""
        under_way: dict[Request, _Waiting] = {}
        late: _Waiting | None = None
        try:
            while not self._closed:
                try:
                    late = self._admit(late, under_way)
                    for request, answers in self._decoder.step():
                        self._answer(under_way.pop(request), answers)
                except Exception as error:  # whatever it is: out of memory, a fault of the model's code
                    self._decoder.clear()
                    self._fail(under_way, EngineError(f"{type(error).__name__}: {error}"))
        finally:
            self._closed = self._closed or "the engine has ended"
            while not self._waiting.empty():
                if item := self._waiting.get():
                    under_way[item.request] = item
            if late:
                under_way[late.request] = late
            self._fail(under_way, EngineGone(self._closed))

    def _admit(self, item: _Waiting | None, under_way: dict[Request, _Waiting]) -> _Waiting | None:
        """Begin with `item` and with those that wait, while there is room; returns one that has to wait on.

        Waits for a request if there is none under way.
        """
        while not self._closed:
            if item is None and (not self._waiting.empty() or not under_way):
                item = self._waiting.get()
            if item is None or (under_way and self._decoder.rows + item.request.n > BATCH_ROWS):
                return item
            if not item.answers.cancelled():
                under_way[item.request] = item
                self._decoder.add(item.request)
            item = None
        return item

    def _answer(self, item: _Waiting, answers: list[list[int]]) -> None:
        completions = [
            Completion(
                text=item.rule.text(tokens),
                tokens=len(tokens),
                prompt_tokens=len(item.request.prompt),
                finish_reason="stop" if item.rule.ends(tokens) else "length",
                seed=item.request.seed,
            )
            for tokens in answers
        ]
        self._loop.call_soon_threadsafe(_settle, item.answers, completions)

    def _fail(self, under_way: dict[Request, _Waiting], error: EngineError) -> None:
        for item in under_way.values():
            self._loop.call_soon_threadsafe(_settle, item.answers, error)
        under_way.clear()


def _settle(answers: "asyncio.Future[list[Completion]]", outcome: list[Completion] | EngineError) -> None:
    if answers.done():  # cancelled meanwhile
        return
    if isinstance(outcome, EngineError):
        answers.set_exception(outcome)
    else:
        answers.set_result(outcome)

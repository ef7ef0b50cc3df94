"""What the sampler asks of an engine, whichever one it is.

Sampling(max_new_tokens=64, temperature=1.0, top_p=1.0, top_k=-1, stop=("[END]",))
-> Completion(text=" The answer is ##18##.", tokens=9, prompt_tokens=71, finish_reason="stop", seed=None)
"""

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, Self


@dataclass(frozen=True)
class Sampling:
    """How answers are drawn. Temperature 0 is greedy; `top_k` -1 is no limit."""

    max_new_tokens: int
    temperature: float
    top_p: float = 1.0
    top_k: int = -1
    stop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Completion:
    """One answer of a model.

    `text` ends before the stop string. `tokens` counts every generated token, those of the stop string and
    the end token too. `seed` is None where the engine drew its own.
    """

    text: str
    tokens: int
    prompt_tokens: int
    finish_reason: Literal["stop", "length"]
    seed: int | None


class EngineError(Exception):
    """A request that brought no answers; its samples are absent, not wrong."""


class RequestRefused(EngineError):
    """The server refused the request (status 400, 413, …), and would refuse it again."""


class EngineGone(EngineError):
    """No request will be answered any more."""


class Engine(Protocol):
    """Draws answers to prompts, many requests at a time; used as an async context manager."""

    name: str
    version: str

    def describe(self) -> dict[str, Any]:
        """What else a reader of the samples needs to know of the engine, for run.json."""
        ...

    async def generate(self, prompt: str, n: int, sampling: Sampling, seed: int) -> list[Completion]:
        """`n` independent answers to `prompt`.

        `seed` differs from request to request; an engine that cannot honour it ignores it and leaves
        `Completion.seed` None. Raises EngineError where there are no `n` answers.
        """
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

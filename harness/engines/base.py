"""The interface between the sampler and an engine.

Sampling(max_new_tokens=64, temperature=1.0, top_p=1.0, top_k=-1, stop=("[END]",))
-> Completion(text=" The answer is ##18##.", tokens=9, prompt_tokens=71, finish_reason="stop", seed=None)
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

Candidate = tuple[str, float]
"""A possible next token, and its log-probability (natural logarithm)."""


@dataclass(frozen=True)
class Sampling:
    """Sampling parameters of a request. Temperature 0 is greedy; `top_k` -1 sets no limit."""

    max_new_tokens: int
    temperature: float
    top_p: float = 1.0
    top_k: int = -1
    stop: tuple[str, ...] = ()
    thinking: int | None = None
    """The token budget at which the engine ends the model's thinking; None sets no limit."""
    logprobs: bool = False
    """Whether to return `Completion.logprob`."""
    candidates: int = 0
    """How many of the likeliest first tokens to return in `Completion.candidates`."""


@dataclass(frozen=True)
class Completion:
    """One answer of a model."""

    text: str
    """Ends before the stop string; empty if the model was still thinking."""
    tokens: int | None
    """All generated tokens, including thinking, the stop string and the end token; None if the server's
    count is impossible."""
    prompt_tokens: int
    finish_reason: Literal["stop", "length", "forced"]
    """`forced`: cut off at its limit, then continued with a request for the final answer only."""
    seed: int | None
    """None if the engine chose its own."""
    reasoning: str | None = None
    """The thinking before the answer; None if there was none or the server hides it."""
    reasoning_tokens: int | None = None
    """How many of `tokens` are thinking, by the server's count or else by the model's tokenizer."""
    logprob: float | None = None
    """The mean log-probability of its tokens (of a forced answer: of its final answer); None if it was
    not requested or not returned."""
    candidates: tuple[Candidate, ...] | None = None
    """The likeliest first tokens; None if they were not requested or not returned."""
    cached_tokens: int | None = None
    """How many of `prompt_tokens` the server had in its cache; None if it does not say."""


def likeliest(pairs: Iterable[tuple[Any, Any]]) -> tuple[Candidate, ...]:
    """The (token, log-probability) pairs of a text and a finite number; servers return others too."""
    numbers = (int, float)
    return tuple(
        (token, float(value))
        for token, value in pairs
        if isinstance(token, str) and isinstance(value, numbers) and math.isfinite(value)
    )


def mean_logprob(values: Sequence[float | None]) -> float | None:
    """The mean log-probability of an answer's tokens; None unless all of them are known."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def same_model(ours: str, theirs: str) -> bool:
    """Whether a server's name for its model may refer to ours.

    Two folders with one model may differ in their path, but not in their name; names on the hub, such as
    `org/model`, are compared whole.
    """
    if "/" not in ours or "/" not in theirs or Path(ours).is_dir() or theirs.startswith("/"):
        return Path(ours).name == Path(theirs).name
    return ours == theirs


class Engine(Protocol):
    """Samples answers to prompts, many requests at a time."""

    name: str
    version: str

    def describe(self) -> dict[str, Any]:
        """Further facts about the engine for run.json."""
        ...

    async def generate(self, prompt: str, sampling: Sampling, seed: int, said: str = "") -> Completion:
        """An answer to `prompt`, continuing `said` if the model has already said that much.

        The text begins after `said`; `prompt_tokens` include it. `seed` differs between requests; an engine
        that cannot use it ignores it. Raises EngineError if there is no answer.
        """
        ...

    def opens_thinking(self, prompt: str) -> bool:
        """Whether the prompt, as the model reads it, ends with the mark that opens its thinking."""
        ...

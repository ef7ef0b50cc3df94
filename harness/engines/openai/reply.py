"""Reads a reply of a server with OpenAI's interface.

{"choices": [{"message": {"content": " The answer is ##18##."}, "finish_reason": "stop"}],
 "usage": {"prompt_tokens": 71, "completion_tokens": 9}, "model": "org/model"}
"""

from contextlib import suppress
from typing import Any, Literal

from pydantic import AliasChoices, AliasPath, Field, TypeAdapter

from harness.engines.base import Candidate, Completion, likeliest, mean_logprob
from harness.errors import RequestRefused
from harness.http.attempt import Fault, FromServer, TokenCount, check_length, inside, parse

FINISHED: dict[str | None, Literal["stop", "length"]] = {"stop": "stop", "eos": "stop", "length": "length"}
BROKEN_OFF = {None, "abort", "error"}


class _Choice(FromServer):
    """One answer. The text is null if reasoning used up the limit."""

    finish_reason: str | None = None
    text: str | None = Field(None, validation_alias=AliasChoices("text", AliasPath("message", "content")))
    refusal: str | None = inside("message", "refusal", default=None)
    reasoning: Any = inside("message", "reasoning", default=None)
    reasoning_content: Any = inside("message", "reasoning_content", default=None)
    logprobs: Any = None

    def logprob(self) -> float | None:
        """The mean log-probability of the tokens: chats have a list of objects, completions of numbers."""
        with suppress(TypeError, LookupError, ValueError):
            if "token_logprobs" in self.logprobs:
                return mean_logprob([float(value) for value in self.logprobs["token_logprobs"]])
            return mean_logprob([float(token["logprob"]) for token in self.logprobs["content"]])
        return None

    def candidates(self) -> tuple[Candidate, ...] | None:
        """The likeliest first tokens: chats have a list of objects, completions one object."""
        with suppress(TypeError, LookupError, AttributeError):
            if "top_logprobs" in self.logprobs:
                return likeliest(self.logprobs["top_logprobs"][0].items()) or None
            first = self.logprobs["content"][0]["top_logprobs"]
            return likeliest((one["token"], one["logprob"]) for one in first) or None
        return None

    def thought(self) -> str | None:
        """The thinking, if any; some servers put things other than text into these fields."""
        texts = [text for text in (self.reasoning_content, self.reasoning) if isinstance(text, str)]
        return max(texts, key=len, default=None)


class _Reply(FromServer):
    """The reply to one request; `tokens` includes those of reasoning."""

    choices: list[_Choice]
    prompt_tokens: TokenCount = inside("usage", "prompt_tokens")
    tokens: TokenCount = inside("usage", "completion_tokens")
    reasoning_tokens: TokenCount | None = inside(
        "usage", "completion_tokens_details", "reasoning_tokens", default=None
    )
    cached_tokens: TokenCount | None = inside("usage", "prompt_tokens_details", "cached_tokens", default=None)
    model: str | None = None


REPLY = TypeAdapter(_Reply)


def read_completion(content: bytes, limit: int, seed: int | None = None) -> Completion:
    """The one answer in a reply, of at most `limit` tokens; empty if the model said nothing.

    seed: what was sent, for the record.
    Raises Fault for an answer cut short, RequestRefused for one withheld, EngineError for one too long.
    """
    reply = parse(REPLY, content)
    if len(reply.choices) != 1:
        raise Fault(f"{len(reply.choices)} answers, expected 1")
    (choice,) = reply.choices
    given = choice.finish_reason
    if given in BROKEN_OFF:
        raise Fault(f"an answer that was broken off (finish_reason {given})")
    if given not in FINISHED:
        # Asking until one gets through would select among the model's answers.
        raise RequestRefused(f"an answer was withheld (finish_reason {given})")
    check_length(reply.tokens, limit)
    text = choice.text or choice.refusal or ""
    return Completion(
        text,
        reply.tokens,
        reply.prompt_tokens,
        FINISHED[given],
        seed=seed,
        reasoning=choice.thought(),
        reasoning_tokens=reply.reasoning_tokens,
        logprob=choice.logprob(),
        candidates=choice.candidates(),
        cached_tokens=reply.cached_tokens,
    )

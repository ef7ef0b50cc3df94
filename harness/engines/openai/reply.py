"""The reply of a server with OpenAI's interface, checked, and the answers in it.

    {"choices": [{"finish_reason": "stop", "message": {"content": " The answer is ##18##."},
                  "logprobs": {"content": [{...}, ...]}}, ...], "usage": {"completion_tokens": 18, ...}}
    -> [Completion(text=" The answer is ##18##.", tokens=9, ...), ...]

`usage` counts the tokens of all answers together. Those of one answer are known only if it is alone, or if
the server lists a log probability for each token and the lists add up to `usage`.
"""

from typing import Any, Literal

from pydantic import TypeAdapter

from harness.engines.base import Completion, RequestRefused
from harness.engines.http.reply import Fault, FromServer, TokenCount, parse

STOPPED = {"stop", "eos"}
BROKEN_OFF = {None, "abort", "error"}


class _Usage(FromServer):
    """`completion_tokens` includes those of reasoning."""

    prompt_tokens: TokenCount
    completion_tokens: TokenCount


class _Message(FromServer):
    """`content` is null if reasoning used up the limit."""

    content: str | None = None
    refusal: str | None = None


class _Choice(FromServer):
    """One answer: `message` of a chat completion, `text` of a completion.

    `logprobs` lists the tokens: as `content` in a chat completion, as `tokens` in most servers' completions.
    """

    finish_reason: str | None = None
    message: _Message | None = None
    text: str | None = None
    logprobs: Any = None


class Reply(FromServer):
    """The reply to one request."""

    choices: list[_Choice]
    usage: _Usage
    model: str | None = None


class _Model(FromServer):
    id: str


class Models(FromServer):
    """The reply to GET /v1/models."""

    data: list[_Model]


_REPLY = TypeAdapter(Reply)


def read_reply(content: bytes) -> Reply:
    """The reply. Raises Fault if it is anything else, such as one without token counts."""
    return parse(_REPLY, content)


def completions(reply: Reply, n: int) -> list[Completion]:
    """The answers in the reply to a request for `n`: none if the tokens of each cannot be told.

    A server may give fewer than `n`. Raises Fault for an answer broken off, RequestRefused for one withheld.
    """
    if not 1 <= len(reply.choices) <= n:
        raise Fault(f"{len(reply.choices)} answers, expected {n}")
    reasons = [_finish_reason(choice) for choice in reply.choices]
    return [
        Completion(_text(choice), tokens, reply.usage.prompt_tokens, reason, seed=None)
        for choice, reason, tokens in zip(reply.choices, reasons, _token_counts(reply), strict=False)
    ]


def _token_counts(reply: Reply) -> list[int]:
    """The tokens of each answer, or an empty list if they cannot be told."""
    if len(reply.choices) == 1:
        return [reply.usage.completion_tokens]
    counts = [len(_listed_tokens(choice.logprobs)) for choice in reply.choices]
    return counts if sum(counts) == reply.usage.completion_tokens else []


def _listed_tokens(logprobs: Any) -> list[Any]:
    if not isinstance(logprobs, dict):
        return []
    listed = logprobs.get("content") or logprobs.get("tokens")
    return listed if isinstance(listed, list) else []


def _text(choice: _Choice) -> str:
    """The answer; empty if the model said nothing, or had no tokens left to say it."""
    if choice.message is None:
        return choice.text or ""
    return choice.message.content or choice.message.refusal or ""


def _finish_reason(choice: _Choice) -> Literal["stop", "length"]:
    if choice.finish_reason in STOPPED:
        return "stop"
    if choice.finish_reason == "length":
        return "length"
    if choice.finish_reason in BROKEN_OFF:
        raise Fault(f"an answer that was broken off (finish_reason {choice.finish_reason})")
    # Asking until one gets through would select among the model's answers.
    raise RequestRefused(f"an answer was withheld (finish_reason {choice.finish_reason})")

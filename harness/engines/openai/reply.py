"""The reply of a server with OpenAI's interface, checked, and the answer in it.

{"choices": [{"finish_reason": "stop", "message": {"content": " The answer is ##18##."}}],
 "usage": {"prompt_tokens": 71, "completion_tokens": 9}, "model": "org/model"}
-> Completion(text=" The answer is ##18##.", tokens=9, prompt_tokens=71, finish_reason="stop", seed=None)
"""

from typing import Literal

from pydantic import TypeAdapter

from harness.engines.base import Completion, RequestRefused
from harness.engines.http.reply import Fault, FromServer, TokenCount, check_length, parse

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
    """One answer: `message` of a chat completion, `text` of a completion."""

    finish_reason: str | None = None
    message: _Message | None = None
    text: str | None = None


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


def read_completion(content: bytes, limit: int) -> Completion:
    """The one answer in a reply, of at most `limit` tokens.

    Raises Fault for an answer broken off, RequestRefused for one withheld, EngineError for one too long.
    """
    reply = read_reply(content)
    if len(reply.choices) != 1:
        raise Fault(f"{len(reply.choices)} answers, expected 1")
    choice, usage = reply.choices[0], reply.usage
    reason = _finish_reason(choice.finish_reason)
    check_length(usage.completion_tokens, limit)
    return Completion(_text(choice), usage.completion_tokens, usage.prompt_tokens, reason, seed=None)


def _text(choice: _Choice) -> str:
    """The answer; empty if the model said nothing, or had no tokens left to say it."""
    if choice.message is None:
        return choice.text or ""
    return choice.message.content or choice.message.refusal or ""


def _finish_reason(given: str | None) -> Literal["stop", "length"]:
    if given in STOPPED:
        return "stop"
    if given == "length":
        return "length"
    if given in BROKEN_OFF:
        raise Fault(f"an answer that was broken off (finish_reason {given})")
    # Asking until one gets through would select among the model's answers.
    raise RequestRefused(f"an answer was withheld (finish_reason {given})")

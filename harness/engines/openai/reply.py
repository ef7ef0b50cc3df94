"""What a server with OpenAI's interface replies, checked, and the answers in it.

    {"choices": [{"finish_reason": "stop", "message": {"content": " The answer is ##18##."},
                  "logprobs": {"content": [{...}, ...]}}, ...], "usage": {"completion_tokens": 18, ...}}
    -> [Completion(text=" The answer is ##18##.", tokens=9, ...), ...]

`usage` counts all answers together. Each one's tokens are its own only where it is alone, or where log
probabilities came along, one a token, that add up to the count.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.engines.base import Completion, RequestRefused
from harness.engines.http.retrying import TryAgain

TokenCount = Annotated[int, Field(ge=0)]

STOPPED = {"stop", "eos"}
FAILED = {None, "abort", "error"}


class _FromServer(BaseModel):
    model_config = ConfigDict(strict=True)


class Usage(_FromServer):
    """The tokens of one request; those of reasoning are among `completion_tokens`."""

    prompt_tokens: TokenCount
    completion_tokens: TokenCount


class Message(_FromServer):
    """`content` is null where nothing was left of the limit after the reasoning."""

    content: str | None = None
    refusal: str | None = None


class Choice(_FromServer):
    """One answer: `message` of a chat completion, `text` of a completion.

    `logprobs` lists the tokens: as `content` in a chat completion, as `tokens` in most servers' completions.
    """

    finish_reason: str | None = None
    message: Message | None = None
    text: str | None = None
    logprobs: Any = None


class Reply(_FromServer):
    """The reply to one request."""

    choices: list[Choice]
    usage: Usage
    model: str | None = None


class Model(_FromServer):
    """One model of a server."""

    id: str


class Models(_FromServer):
    """The reply to GET /v1/models."""

    data: list[Model]


def read_reply(content: bytes) -> Reply:
    """The reply as it should be. Raises TryAgain where it is another, such as one that counts no tokens."""
    try:
        return Reply.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise TryAgain(f"a reply that is not as expected: {where}: {first['msg']}") from None


def completions(reply: Reply, n: int) -> list[Completion]:
    """The answers in the reply to a request for `n`, or none where each one's tokens are not known.

    A server may give fewer. Raises TryAgain where one is not whole, RequestRefused where one was withheld.
    """
    if not 1 <= len(reply.choices) <= n:
        raise TryAgain(f"{len(reply.choices)} answers, expected {n}")
    reasons = [_reason(choice) for choice in reply.choices]
    return [
        Completion(_text(choice), tokens, reply.usage.prompt_tokens, reason, seed=None)
        for choice, reason, tokens in zip(reply.choices, reasons, _token_counts(reply), strict=False)
    ]


def _token_counts(reply: Reply) -> list[int]:
    """The tokens of each answer, or an empty list where they cannot be told apart."""
    if len(reply.choices) == 1:
        return [reply.usage.completion_tokens]
    counts = [len(_listed_tokens(choice.logprobs)) for choice in reply.choices]
    return counts if sum(counts) == reply.usage.completion_tokens else []


def _listed_tokens(logprobs: Any) -> list[Any]:
    if not isinstance(logprobs, dict):
        return []
    listed = logprobs.get("content") or logprobs.get("tokens")
    return listed if isinstance(listed, list) else []


def _text(choice: Choice) -> str:
    """The answer; an empty one where the model said nothing, or had no tokens left to say it."""
    if choice.message is None:
        return choice.text or ""
    return choice.message.content or choice.message.refusal or ""


def _reason(choice: Choice) -> Literal["stop", "length"]:
    if choice.finish_reason in STOPPED:
        return "stop"
    if choice.finish_reason == "length":
        return "length"
    if choice.finish_reason in FAILED:
        raise TryAgain(f"an answer that was broken off (finish_reason {choice.finish_reason})")
    # Asking until one gets through would choose among the model's answers.
    raise RequestRefused(f"an answer was withheld (finish_reason {choice.finish_reason})")

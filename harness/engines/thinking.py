"""Thinking models: separates thinking from the answer, and tells whether a budget is kept.

    "<think>21 - 15 is 6.</think>It is ##6##." -> reasoning "21 - 15 is 6.", text "It is ##6##."

A server with a reasoning parser does this itself; raw text is taken apart here. Only what comes after the
last thought is an answer.

gpt-oss writes channels instead of such marks; `reasoning` then ends with the header of the final channel:

    "<|channel|>analysis<|message|>21 - 15<|end|><|start|>assistant<|channel|>final<|message|>It is ##6##."
    "analysis21 - 15assistantfinalIt is ##6##."    if the server leaves out special tokens
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.engines.base import Completion, Engine, Sampling
from harness.errors import EngineError
from harness.grading.thoughts import CHANNEL, CLOSE, END_OF_CHANNEL, FINAL, OPEN

CLOSING = f"\n{CLOSE}"
"""Appended to end a thought that the model has not ended itself."""

BUDGET_FORMS: dict[str, Callable[[int], dict[str, Any]]] = {
    "thinking_token_budget": lambda budget: {"thinking_token_budget": budget},  # vLLM
    "custom_params.thinking_budget": lambda budget: {"custom_params": {"thinking_budget": budget}},  # SGLang
}
"""How a request with OpenAI's interface states a thinking budget. The first that is kept stays in use."""
TRIAL_PROMPT = (
    "Find all three-digit primes whose digits add up to 11. Check each candidate by division, one after the "
    "other, before you answer."
)
"""No thinking model finishes this within TRIAL_BUDGET tokens unless it is stopped."""
TRIAL_BUDGET = 32
TRIAL_SAMPLING = Sampling(max_new_tokens=512, temperature=1.0, thinking=TRIAL_BUDGET)
SLACK = 16
"""Tokens by which a kept budget may be exceeded: marks, an ending that a server adds, other counting."""

CLOSING_CHANNEL = "<|end|><|start|>assistant<|channel|>final<|message|>"


def apart(answer: Completion, opened: bool) -> Completion:
    """`answer` with any thinking moved out of its text, unless the server has done so.

    `opened`: whether the prompt has opened the thinking. A server that sends only an empty thought may
    not have separated anything.
    """
    if in_channels(answer.text):
        return _apart_by_channel(answer)
    shown = answer.text.lstrip()
    opened = opened and answer.reasoning is None
    if answer.reasoning or not (opened or shown.startswith(OPEN) or CLOSE in shown):
        return answer
    reasoning, _, text = shown.removeprefix(OPEN).partition(CLOSE)
    while OPEN in text and (CLOSE in text.partition(OPEN)[2] or answer.finish_reason == "length"):
        thought, _, text = text.partition(CLOSE)
        reasoning += CLOSE + thought
    return replace(answer, reasoning=reasoning, text=text)


def in_channels(text: str) -> bool:
    """Whether `text` is an answer in channels, or the thinking of one."""
    return CHANNEL.search(text) is not None


def _apart_by_channel(answer: Completion) -> Completion:
    final = FINAL.search(answer.text)
    end = final.end() if final else len(answer.text)
    text = END_OF_CHANNEL.split(answer.text[end:])[0]
    return replace(answer, reasoning=(answer.reasoning or "") + answer.text[:end], text=text)


def together(reasoning: str | None, text: str, opened: bool) -> str:
    """An answer as the model wrote it; thinking without an answer is left open."""
    if reasoning is None:
        return text
    if in_channels(reasoning):
        return reasoning + text
    return ("" if opened else OPEN) + reasoning + (CLOSE + text if text else "")


def closed(begun: str, opened: bool) -> str:
    """`begun`, the beginning of an answer, with its thinking closed if it is still open."""
    if in_channels(begun):
        return begun if FINAL.search(begun) else begun + CLOSING_CHANNEL
    thinks = opened or begun.lstrip().startswith(OPEN)
    is_open = begun.rfind(OPEN) > begun.rfind(CLOSE) if CLOSE in begun else thinks
    return begun + CLOSING if is_open else begun


async def budget_trouble(engine: Engine) -> str | None:
    """Why the server of `engine` does not keep thinking budgets, by a trial request; None if it does."""
    try:
        return not_kept(await engine.generate(TRIAL_PROMPT, TRIAL_SAMPLING, seed=0), TRIAL_BUDGET)
    except EngineError as error:
        return str(error)


def not_kept(answer: Completion, budget: int) -> str | None:
    """Why `answer` does not keep a budget of `budget` tokens of thinking; None if it does."""
    if answer.reasoning is None and answer.reasoning_tokens is None:
        return "sent an answer without any thinking: does the model think, has the server its parser?"
    if answer.reasoning_tokens is None or answer.reasoning_tokens > budget + SLACK:
        counted = "an unknown number of" if answer.reasoning_tokens is None else answer.reasoning_tokens
        return f"let it think for {counted} tokens where {budget} were asked for"
    return None

"""Budgets that are kept: an answer that reaches its limit is ended, and asked for its final answer only.

    limit 20:  "Clara has 12 eggs. Mia has 2 fewer than Clara, which is" + ENDING + "10##. "
    -> Completion(text=all of it, tokens=31, finish_reason="forced", ...)

Tokens count everything after the prompt: the answer up to its limit, the ending, and the final answer. Of a
model that is still thinking at its limit the ending closes the thinking first.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.thinking import CLOSING, closed, together
from harness.errors import EngineError, EngineGone, RequestRefused

ENDING = "\n\nThe answer is ##"
"""What the budget prompts ask a model to write before its final answer."""
FINAL_TOKENS = 32
"""The limit of the final answer: a number of twenty digits and `##. [END]`."""
ENDING_ATTEMPTS = 4
"""A whole answer hangs on its ending; each attempt is as patient as that of any other request."""
MOST_FORCED = len(CLOSING + ENDING) + FINAL_TOKENS
"""The most tokens that this can add to an answer, as a token holds at least one byte."""


async def _ending(ask: Callable[[], Awaitable[Completion]]) -> Completion:
    for _ in range(ENDING_ATTEMPTS - 1):
        try:
            return await ask()
        except (RequestRefused, EngineGone):  # which would come again
            raise
        except EngineError:
            continue
    return await ask()


async def forced(
    engine: Engine,
    prompt: str,
    cut: Completion,
    sampling: Sampling,
    seed: int,
    final_tokens: int = FINAL_TOKENS,
) -> Completion:
    """An answer to `prompt` as it is, or, if it was cut off at its limit, with its final answer asked for.

    An ending that fails is asked for again, from the same cut text. Raises EngineError if it keeps failing.
    """
    if cut.finish_reason != "length":
        return cut
    final = replace(sampling, max_new_tokens=final_tokens, thinking=None)
    opened = cut.reasoning is not None and engine.opens_thinking(prompt)
    begun = closed(together(cut.reasoning, cut.text, opened), opened) + ENDING
    last = await _ending(partial(engine.generate, prompt, final, seed + 1, begun))
    tokens = None
    if cut.tokens is not None and last.tokens is not None:
        tokens = last.prompt_tokens - cut.prompt_tokens + last.tokens
    text = cut.text + ENDING + last.text
    return replace(cut, text=text, tokens=tokens, finish_reason="forced", logprob=last.logprob)

"""Budget forcing: an answer that reaches its limit is cut off, and the model is asked for a final answer.

    limit 20:  "Clara has 12 eggs. Mia has 2 fewer than Clara, which is" + ENDING + "10##. "
    -> Completion(text=all of it, tokens=31, finish_reason="forced", ...)

`tokens` counts everything after the prompt: the answer up to its limit, the ending, and the final answer. If
the model is still thinking at its limit, the thinking is closed first.
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
"""Token limit of the final answer: room for twenty digits and `##. [END]`."""
ENDING_ATTEMPTS = 4
"""A whole answer depends on its ending; each attempt has the patience of any other request."""
MOST_FORCED = len(CLOSING + ENDING) + FINAL_TOKENS
"""The most tokens that forcing can add to an answer, as a token holds at least one byte."""


async def _ending(ask: Callable[[], Awaitable[Completion]]) -> Completion:
    for _ in range(ENDING_ATTEMPTS - 1):
        try:
            return await ask()
        except (RequestRefused, EngineGone):  # would happen again
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
    """The answer `cut` to `prompt` as it is or, if it was cut off at its limit, with a final answer added.

    A failed ending is requested again, after the same cut text. Raises EngineError if it keeps failing.
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

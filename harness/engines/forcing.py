"""Budgets that are kept: an answer that reaches its limit is ended, and asked for its final answer only.

    limit 20:  "Clara has 12 eggs. Mia has 2 fewer than Clara, which is" + ENDING + "10##. "
    -> Completion(text=all of it, tokens=31, finish_reason="forced", ...)

Tokens count everything after the prompt: the answer up to its limit, the ending, and the final answer. Of a
model that is still thinking at its limit the ending closes the thinking first.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.thinking import CLOSING, closed, together

ENDING = "\n\nThe answer is ##"
"""What the budget prompts ask a model to write before its final answer."""
FINAL_TOKENS = 32
"""The limit of the final answer: a number of twenty digits and `##. [END]`."""
MOST_FORCED = len(CLOSING + ENDING) + FINAL_TOKENS
"""Tokens that this adds to an answer at most: none is shorter than a byte."""


async def forced(
    engine: Engine,
    prompt: str,
    answers: Sequence[Completion],
    sampling: Sampling,
    seed: int,
    final_tokens: int = FINAL_TOKENS,
) -> list[Completion]:
    """`answers` to `prompt`, of which each that was cut off at its limit is asked for its final answer.

    Raises EngineError if one of them brings none.
    """
    final = replace(sampling, max_new_tokens=final_tokens, thinking=None)

    async def finish(number: int, cut: Completion) -> Completion:
        if cut.finish_reason != "length":
            return cut
        opened = cut.reasoning is not None and engine.opens_thinking(prompt)
        said = closed(together(cut.reasoning, cut.text, opened), opened) + ENDING
        (last,) = await engine.generate(prompt, 1, final, seed + number, said)
        tokens = last.prompt_tokens - cut.prompt_tokens + last.tokens
        text = cut.text + ENDING + last.text
        return replace(cut, text=text, tokens=tokens, finish_reason="forced", logprob=last.logprob)

    return await asyncio.gather(*(finish(*numbered) for numbered in enumerate(answers, start=1)))

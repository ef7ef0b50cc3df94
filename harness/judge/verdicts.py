"""Asks a judge about one answer, for its verdict: P(yes), or a reward.

>>> p_yes([("Yes", math.log(0.6)), (" yes", math.log(0.1)), ("No", math.log(0.3))])
0.7
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import prompts
from harness.engines.base import Candidate, Engine, Sampling
from harness.engines.rewards import OpenAIRewards, SGLangRewards
from harness.judge.distinct import Asked
from results import BadInput

CANDIDATES = 20
"""How many of the likeliest first tokens are used: the most that hosted models and vLLM return."""
SAMPLING = Sampling(max_new_tokens=1, temperature=1.0, candidates=CANDIDATES)
"""At temperature 1 all servers' log-probabilities are the model's own; the drawn token is not used."""
SPACES = " \t\r\n▁Ġ"
"""Spaces around the word in a token: some servers return tokens in the tokenizer's spelling."""


class Verdict(NamedTuple):
    """A judge's score of one answer, None for neither yes nor no, and the tokens it read and wrote."""

    score: float | None
    prompt_tokens: int
    tokens: int


Judge = Callable[[Asked], Awaitable[Verdict]]
"""Gives a verdict on an answer. Raises EngineError, or BadInput if it cannot give any verdicts."""


async def asked_yes_or_no(engine: Engine, prompt: str, asked: Asked) -> Verdict:
    """P(yes) by the model's first token after the template `prompt`. Raises as `Judge` does."""
    filled = prompts.fill(prompt, problem=asked.problem, answer=asked.text)
    if engine.opens_thinking(filled):
        raise BadInput(
            "this model thinks before it answers, so its first token is not a verdict: give "
            "--set request_fields='{chat_template_kwargs={enable_thinking=false}}', or another --model"
        )
    reply = await engine.generate(filled, SAMPLING, seed=0)
    if reply.candidates is None:
        raise BadInput(
            "the server returns no log-probabilities of the likeliest tokens, which a verdict needs: "
            "give the --url of one that does, such as vLLM, SGLang or llama.cpp"
        )
    written = reply.tokens or SAMPLING.max_new_tokens  # some servers count none
    return Verdict(p_yes(reply.candidates), reply.prompt_tokens, written)


async def rewarded(engine: SGLangRewards | OpenAIRewards, asked: Asked) -> Verdict:
    """The reward of a reward model. Raises EngineError."""
    reward = await engine.reward(asked.problem, asked.text)
    return Verdict(reward.value, reward.prompt_tokens, 0)


def p_yes(candidates: Sequence[Candidate]) -> float | None:
    """P(yes) given yes or no, from the log-probabilities of the likeliest tokens; None if neither occurs.

    Tokens count in upper or lower case, with or without spaces around them.
    """
    words = [(token.strip(SPACES).casefold(), math.exp(value)) for token, value in candidates]
    yes, no = (math.fsum(chance for word, chance in words if word == meant) for meant in ("yes", "no"))
    return yes / (yes + no) if yes + no > 0 else None

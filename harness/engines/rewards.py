"""Reward models behind a server, which score one answer at a time.

    SGLang   POST /classify {"input_ids": [2, 71, ...]}        -> {"embedding": [1.37], "meta_info": {...}}
    vLLM     POST /classify {"messages": [{...}, {...}], ...}  -> {"data": [{"probs": [0.8]}], "usage": {...}}
             POST /pooling  the same                           -> {"data": [{"data": [1.37]}], "usage": {...}}

The question is the user's turn and the answer the model's, in the chat template of the reward model. SGLang
is sent their ids; vLLM applies the template itself. vLLM's /classify returns the sigmoid of the reward,
unless `request_fields` say `use_activation = false`. SGLang's own /v1/classify is not used: for a model with
a single reward it returns 1.0 for every answer.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import AliasChoices, AliasPath, Field, TypeAdapter

from harness.engines.factory import asking
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.errors import EngineError
from harness.experiment import Experiment
from harness.http.attempt import FromServer, TokenCount, parse
from results import BadInput

ENDPOINTS = ("/classify", "/pooling")
"""Where vLLM serves reward models, depending on version and model. The first that answers is used."""
TRIAL = ("Is 2 even?", "Yes, 2 is even.")
"""A question and its answer, to try out a server."""


class Reward(NamedTuple):
    """An answer's reward (higher is better), and the number of tokens that the model has read for it."""

    value: float
    prompt_tokens: int


class _RewardReply(FromServer):
    told: Any = Field(
        validation_alias=AliasChoices(
            "embedding", AliasPath("data", 0, "probs"), AliasPath("data", 0, "data")
        )
    )
    prompt_tokens: TokenCount = Field(
        validation_alias=AliasChoices(
            AliasPath("meta_info", "prompt_tokens"), AliasPath("usage", "prompt_tokens")
        )
    )


_REPLY = TypeAdapter(_RewardReply)


class SGLangRewards(SGLangEngine):
    """A reward model behind SGLang."""

    hint = "start one with `tts serve MODEL -- --is-embedding`"
    _tried = False

    async def reward(self, problem: str, answer: str) -> Reward:
        """The reward of `answer`. Raises EngineError."""
        body = {**self._fields, "input_ids": self._prompts.turns(problem, answer)}
        return await self.ask("/classify", body, read_reward, max_tokens=1)

    async def greet(self) -> None:
        """Read the server's settings and, at the start, try out a reward. Raises BadInput if that fails."""
        await super().greet()
        if not self._tried and (trouble := await _trouble(self)):
            raise BadInput(f"the server at {self.url} gives no rewards ({trouble}): {self.hint}")
        self._tried = True


class OpenAIRewards(OpenAIEngine):
    """A reward model behind vLLM."""

    at_root = (*OpenAIEngine.at_root, *ENDPOINTS)

    async def reward(self, problem: str, answer: str) -> Reward:
        """The reward of `answer`; raises EngineError."""
        turns = [{"role": "user", "content": problem}, {"role": "assistant", "content": answer}]
        body = {"model": self._model, "messages": turns, **self._fields}
        return await self.ask(self._endpoint, body, read_reward, max_tokens=1)

    async def _try_forms(self) -> None:
        """Find the first endpoint that gives a reward. Raises BadInput if none does."""
        troubles = []
        for self._endpoint in ENDPOINTS:
            trouble = await _trouble(self)
            if trouble is None:
                return
            troubles.append(f"{self._endpoint}: {trouble}")
        raise BadInput(
            f"the server at {self.url} gives no rewards ({'; '.join(troubles)}): start vLLM with "
            "--runner pooling, or give --engine sglang for a SGLang server"
        )


async def _trouble(engine: SGLangRewards | OpenAIRewards) -> str | None:
    """Why the server gives no reward for TRIAL; None if it does."""
    try:
        await engine.reward(*TRIAL)
    except EngineError as error:
        return str(error)
    return None


def rewards_for(experiment: Experiment, say: Callable[[str], None]) -> SGLangRewards | OpenAIRewards:
    """The reward model that runs at the experiment's URL. Raises BadInput, here or on entering."""
    if not experiment.url:
        raise BadInput(f"a reward model needs --url: {SGLangRewards.hint}")
    in_turns = experiment.model_copy(update={"chat": True})
    sglang = experiment.engine == "sglang"
    kind: Callable[..., SGLangRewards | OpenAIRewards] = SGLangRewards if sglang else OpenAIRewards
    return asking(in_turns, experiment.url, say, kind)


def read_reward(content: bytes) -> Reward:
    """The one reward in a reply. Raises Fault, or EngineError if the model returns something else."""
    reply = parse(_REPLY, content)
    reward = single(reply.told)
    if reward is None:
        raise EngineError(f"the model says {str(reply.told)!r:.60} of an answer, expected one finite number")
    return Reward(reward, reply.prompt_tokens)


def single(value: Any) -> float | None:
    """The reward in a server's reply: a number, a list of one number, or one such list per token.

    Of these the last counts, as it has read the whole answer. None for anything else.

    >>> single([1.5]), single([[0.1], [0.9]]), single([0.1, 0.9]), single([])
    (1.5, 0.9, None, None)
    """
    if isinstance(value, list):
        if len(value) > 1 and not all(isinstance(each, list) for each in value):
            return None
        return single(value[-1]) if value else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)

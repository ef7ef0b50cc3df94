"""The engine for any server with OpenAI's interface: vLLM, llama.cpp, SGLang, hosted models.

    POST /v1/chat/completions {"model": "org/model", "messages": [{"role": "user", "content": "..."}],
                               "max_tokens": 164, "temperature": 1.0, "top_p": 1.0, "stop": ["[END]"], ...}
    -> {"choices": [{"message": {"content": " The answer is ##18##."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 71, "completion_tokens": 9}, "model": "org/model"}

The message of a thinking model has `reasoning` (vLLM) or `reasoning_content` (SGLang)
beside its content.

Each request has a seed of its own. Without one, vLLM samples with a generator that it seeds
with 0 when it starts: a run that continues after a restart would get the same answers
again.
"""

import json
import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import product, starmap
from typing import Any, NamedTuple

from harness.engines.base import Completion, Sampling, same_model
from harness.engines.openai.reply import REPLY, read_completion
from harness.engines.thinking import BUDGET_FORMS, apart, budget_trouble
from harness.engines.token_ids import PromptTokens, counted
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.grading.thoughts import opens
from harness.http.attempt import parse
from harness.http.connection import Connection
from harness.http.sockets import ApiKey
from results import BadInput
from results.terminal import visible

PENALTIES: dict[str, float] = {"presence_penalty": 0.0, "frequency_penalty": 0.0}
NO_EFFECT = {**PENALTIES, "min_p": 0.0, "repetition_penalty": 1.0, "top_k": -1}
"""Sent because vLLM, SGLang and llama.cpp otherwise use the model's files or their own defaults."""


class RequestForm(NamedTuple):
    """Which of NO_EFFECT a request has, how it names its token limit, and whether it has a seed."""

    no_effect: dict[str, float]
    limit: str
    seeded: bool


FORMS = tuple(
    starmap(
        RequestForm,
        product((NO_EFFECT, PENALTIES, {}), ("max_tokens", "max_completion_tokens"), (True, False)),
    )
)
"""The first that a server accepts is used: hosted models know less, some thinking ones no penalties."""
SEED_BITS = 31
"""Every server accepts that many; some store a seed as a signed 32-bit integer."""
TRIAL = "Say yes."
TRIAL_TOKENS = {True: 256, False: 8}
"""The token limit of the trial request, by `chat`: thinking models may refuse one that is too small."""
MODELS_SHOWN = 5
BARE = re.compile("https?://[^/]+/?")
COMPLETIONS = "/completions"


class OpenAIEngine(Connection):
    """Sends requests to one server. The key is from the environment and in no message, file or log."""

    name = "openai"
    version = ""  # the interface has no place for it
    ready = "/models"
    hint = "expected a server with OpenAI's interface there"

    def __init__(
        self,
        url: str,
        model: str,
        *,
        chat: bool,
        key: ApiKey,
        prompts: PromptTokens | None = None,
        fields: Mapping[str, Any] | None = None,
        thinking: bool = False,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """`url` may leave out the path /v1; `model` is the server's name for the model, or a folder.

        Chats that continue a begun answer need the model's `prompts`: the interface can continue
        only plain text. `fields` go into every request; `thinking`: the server must enforce
        thinking budgets.
        """
        super().__init__(f"{url.rstrip('/')}/v1" if BARE.fullmatch(url) else url, say=say, key=key)
        self._model, self._chat, self._prompts = model, chat, prompts
        self._fields, self._thinking = dict(fields or {}), thinking
        self._form, self._thinking_form = FORMS[0], ""
        self._tried = False
        self._answered_by: str | None = None

    def describe(self) -> dict[str, Any]:
        """The server's name for the model, and the form of the requests."""
        path = "/chat/completions" if self._chat else COMPLETIONS
        return {
            "url": self.url,
            "server": {"model": self._model, "answered_by": self._answered_by},
            "request": {
                "path": path,
                "limit": self._form.limit,
                "seed_sent": self._form.seeded,
                "top_k_and_penalties_sent": self._form.no_effect == NO_EFFECT,
                "no_effect_sent": list(self._form.no_effect),
                **({"thinking_budget": self._thinking_form} if self._thinking else {}),
            },
        }

    async def generate(self, prompt: str, sampling: Sampling, seed: int, said: str = "") -> Completion:
        """An answer to `prompt`. The request has its own seed, as vLLM's would repeat after a restart."""
        sent = random.Random(f"{seed} 0").getrandbits(SEED_BITS) if self._seeded else None
        read = partial(read_completion, limit=sampling.max_new_tokens, seed=sent)
        answer: Completion = await self._ask(prompt, said, sampling, read, sent)
        if not said:
            answer = apart(answer, self.opens_thinking(prompt))
        return counted(answer, self._prompts)

    @property
    def _seeded(self) -> bool:
        """Whether requests have a seed chosen here; one in the run's `request_fields` takes precedence."""
        return self._form.seeded and "seed" not in self._fields

    def opens_thinking(self, prompt: str) -> bool:
        """Whether `prompt` ends with the mark that opens the thinking; False if that is unknown."""
        if self._prompts is not None:
            return self._prompts.opens_thinking(prompt)
        return not self._chat and opens(prompt)

    async def _ask(
        self, prompt: str, said: str, sampling: Sampling, read: Callable[[bytes], Any], seed: int | None
    ) -> Any:
        body: dict[str, Any] = {"model": self._model, self._form.limit: sampling.max_new_tokens}
        body |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
        if seed is not None:
            body["seed"] = seed
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        body |= self._form.no_effect
        if "top_k" in body:
            body["top_k"] = sampling.top_k
        elif sampling.top_k != -1:
            raise EngineGone(f"the server at {self.url} does not accept top_k, expected top_k = -1")
        if sampling.logprobs:  # chats take a bool, completions a number of tokens per position
            body["logprobs"] = True if self._chat and not said else 1
        if sampling.candidates and self._chat:
            body |= {"logprobs": True, "top_logprobs": sampling.candidates}
        elif sampling.candidates:
            body["logprobs"] = sampling.candidates
        body |= self._fields
        if sampling.thinking is not None and not said:
            body |= BUDGET_FORMS[self._thinking_form](sampling.thinking)
        path = COMPLETIONS
        if not self._chat:
            body["prompt"] = prompt + said
        elif said:
            assert self._prompts is not None
            body["prompt"] = self._prompts.go_on(prompt, said)
        else:
            body["messages"], path = [{"role": "user", "content": prompt}], "/chat/completions"
        return await self.ask(path, body, read, sampling.max_new_tokens)

    async def greet(self) -> None:
        """Find the server's name for the model and, at the start, the form of its requests."""
        reply, served = await self.get("/models"), list[str]()
        # Not every server lists its models.
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            served = [str(model["id"]) for model in json.loads(reply.content)["data"]]
        if served and self._model not in served:
            alike = [name for name in served if same_model(self._model, name)]
            if not alike:
                shown = ", ".join(map(visible, served[:MODELS_SHOWN]))
                raise BadInput(
                    f"the server at {self.url} serves {shown}, expected {self._model}: give --set model=…"
                )
            self._model = alike[0]
        if not self._tried:
            await self._try_forms()
            if self._thinking:
                await self._try_budgets()
        self._tried = True

    async def _try_forms(self) -> None:
        """Find the first form of request that the server accepts."""
        trial = Sampling(TRIAL_TOKENS[self._chat], temperature=1.0)
        refusal: EngineError
        for self._form in FORMS:
            try:
                reply = await self._ask(TRIAL, "", trial, partial(parse, REPLY), 0 if self._seeded else None)
                self._answered_by = reply.model
                return
            except EngineError as error:
                refusal = error
                if not isinstance(error, RequestRefused):
                    break
        raise BadInput(f"the server at {self.url}: {refusal}")

    async def _try_budgets(self) -> None:
        """Find the first way to state a thinking budget that the server keeps."""
        troubles = []
        for self._thinking_form in BUDGET_FORMS:
            trouble = await budget_trouble(self)
            if trouble is None:
                return
            troubles.append(f"{self._thinking_form}: {trouble}")
        raise BadInput(
            f"the server at {self.url} does not enforce budgets of thinking ({'; '.join(troubles)}): start "
            "vLLM with --reasoning-parser NAME, or give --set budget_by=force"
        )

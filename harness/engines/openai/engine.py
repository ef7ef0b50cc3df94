"""The engine for any server with OpenAI's interface: vLLM, llama.cpp, SGLang, hosted models.

    POST /v1/chat/completions {"model": "org/model", "messages": [{"role": "user", "content": "..."}],
                               "max_tokens": 164, "temperature": 1.0, "top_p": 1.0, "stop": ["[END]"], ...}
    -> {"choices": [{"message": {"content": " The answer is ##18##."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 71, "completion_tokens": 9}, "model": "org/model"}

Such a server counts the tokens of a request and not those of each answer, so each request asks for one.
"""

import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Self

from pydantic import ValidationError

from harness.engines.base import Completion, EngineError, EngineGone, RequestRefused, Sampling, same_model
from harness.engines.http.api_key import ApiKey
from harness.engines.http.connection import Connection
from harness.engines.openai.reply import Models, read_completion, read_reply
from harness.engines.tokens import PromptTokens
from results import BadInput
from results.visible import visible

NO_EFFECT = {"min_p": 0.0, "repetition_penalty": 1.0}
"""Otherwise vLLM, SGLang and llama.cpp take these from the model's files, or use defaults of their own."""
FORMS = (("max_tokens", True), ("max_tokens", False), ("max_completion_tokens", False))
"""How a request names its limit, and whether it holds `top_k` and NO_EFFECT. The first one accepted stays."""
TRIAL = "Say yes."
TRIAL_TOKENS = {True: 256, False: 8}
"""The limit of the trial request, by `chat`: models that reason may refuse a limit that is too small."""
MODELS_SHOWN = 5
COMPLETIONS = "/completions"


class OpenAIEngine:
    """Asks one server. The key comes from the environment and is in no message, file or log."""

    name = "openai"
    version = ""  # the interface has no place for it

    def __init__(
        self,
        url: str,
        model: str,
        *,
        chat: bool,
        key: ApiKey,
        prompts: PromptTokens | None = None,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """`url` may leave out the path /v1; `model` is the server's name for the model, or a folder.

        Chats in which an answer goes on need the model's `prompts`: the interface has that for text only.
        """
        self._model = model
        self._chat = chat
        self._prompts = prompts
        self._path = "/chat/completions" if chat else COMPLETIONS
        if re.fullmatch("https?://[^/]+/?", url):
            url = f"{url.rstrip('/')}/v1"
        self._server = Connection(url, ready="/models", key=key, say=say)
        self._form = FORMS[0]
        self._answered_by: str | None = None

    async def __aenter__(self) -> Self:
        """Connect, and try one request.

        Raises BadInput: no server there, one without that model, a key it does not accept, or no form of
        request that it accepts.
        """
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._server)
            await self._server.wait_for_start(hint="expected a server with OpenAI's interface there")
            self._model = await self._served_model()
            await self._try_forms()
            self._close = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close.aclose()

    def describe(self) -> dict[str, Any]:
        """The server's name for the model, and the form of the requests."""
        limit, plain = self._form
        return {
            "url": self._server.url,
            "server": {"model": self._model, "answered_by": self._answered_by},
            "request": {"path": self._path, "limit": limit, "top_k_and_penalties_sent": plain},
        }

    async def generate(
        self,
        prompt: str,
        n: int,
        sampling: Sampling,
        seed: int,  # noqa: ARG002
        said: str = "",
    ) -> list[Completion]:
        """`n` answers to `prompt`, each by a request of its own. Sends no seed."""
        body, limit, path = self._body(prompt, sampling), sampling.max_new_tokens, self._path
        if said and self._chat:
            assert self._prompts is not None
            del body["messages"]
            body["prompt"], path = self._prompts.go_on(prompt, said), COMPLETIONS
        elif said:
            body["prompt"] += said
        read = partial(read_completion, limit=limit)
        return [await self._server.ask(path, body, read, limit) for _ in range(n)]

    def _body(self, prompt: str, sampling: Sampling) -> dict[str, Any]:
        limit, plain = self._form
        body: dict[str, Any] = {"model": self._model, limit: sampling.max_new_tokens}
        body |= {"messages": [{"role": "user", "content": prompt}]} if self._chat else {"prompt": prompt}
        body |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if plain:
            body |= NO_EFFECT | {"top_k": sampling.top_k}
        elif sampling.top_k != -1:
            raise EngineGone(f"the server at {self._server.url} does not accept top_k, expected top_k = -1")
        return body

    async def _served_model(self) -> str:
        """The server's name for the model; the experiment's name if the server does not list its models."""
        reply = await self._server.get("/models")
        try:
            served = [model.id for model in Models.model_validate_json(reply.content).data]
        except ValidationError:
            return self._model
        alike = [name for name in served if same_model(self._model, name)]
        if served and not alike:
            shown = ", ".join(map(visible, served[:MODELS_SHOWN])) + (", …" * (len(served) > MODELS_SHOWN))
            raise BadInput(
                f"the server at {self._server.url} serves {shown}, expected {self._model}: give --set model=…"
            )
        return self._model if self._model in served or not served else alike[0]

    async def _try_forms(self) -> None:
        """Find the first form of request that the server accepts."""
        trial = Sampling(TRIAL_TOKENS[self._chat], temperature=1.0)
        refusal: EngineError
        for self._form in FORMS:
            try:
                body = self._body(TRIAL, trial)
                reply = await self._server.ask(self._path, body, read_reply, trial.max_new_tokens)
            except RequestRefused as error:
                refusal = error
            except EngineError as error:
                raise BadInput(f"the server at {self._server.url}: {error}") from None
            else:
                self._answered_by = reply.model
                return
        raise BadInput(f"the server at {self._server.url}: {refusal}")

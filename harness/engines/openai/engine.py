"""The engine for any server with OpenAI's interface: vLLM, llama.cpp, SGLang, hosted models.

    POST /v1/chat/completions {"model": "org/model", "messages": [{"role": "user", "content": "..."}],
                               "max_tokens": 164, "temperature": 1.0, "top_p": 1.0, "stop": ["[END]"], ...}
    -> {"choices": [{"message": {"content": " The answer is ##18##."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 71, "completion_tokens": 9}, "model": "org/model"}

Such a server counts the tokens of a request, not those of each answer. Several answers are asked for in one
request only while their tokens can be told apart (see openai_reply); else it is one request an answer.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import openai
from pydantic import ValidationError

from harness.engines.base import Completion, EngineError, EngineGone, RequestRefused, Sampling
from harness.engines.http.api_key import ApiKey
from harness.engines.http.connection import Connection, Reply
from harness.engines.http.retrying import FIRST_REPLY, Away
from harness.engines.http.status import excerpt
from harness.engines.openai.reply import Models, completions, read_reply
from results import BadInput

CONNECT_SECONDS = 10.0
PLAIN = {"min_p": 0.0, "repetition_penalty": 1.0}
"""What vLLM, SGLang and llama.cpp would otherwise take from the model's files or defaults of their own."""
FORMS = (("max_tokens", True), ("max_tokens", False), ("max_completion_tokens", False))
"""How a request names its limit, and whether it has `top_k` and PLAIN: a server gets the first it takes."""
TRIAL = "Say yes."
TRIAL_TOKENS = {True: 256, False: 8}
"""The limit of the first request, by `chat`: models that reason may refuse one that they cannot keep."""
MODELS_SHOWN = 5


class _Client(Connection):
    """A connection whose requests go through the openai package; the server never gets to repeat the key."""

    def __init__(self, url: str, key: ApiKey, say: Callable[[str], None]) -> None:
        super().__init__(url, ready="/models", say=say)
        self._key = key
        self._openai = openai.AsyncOpenAI(
            base_url=url,
            api_key=key.sent,
            max_retries=0,
            timeout=httpx.Timeout(FIRST_REPLY, connect=CONNECT_SECONDS),
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
            ),
        )

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self._openai.close()

    async def _fetch(self, path: str) -> tuple[int, bytes]:
        reply = await self._request(self._openai.get(path, cast_to=httpx.Response))
        return reply.status, reply.content

    async def _send(self, path: str, body: dict[str, Any], limit: int) -> Reply:  # noqa: ARG002 -- comes whole
        reply = await self._request(self._openai.post(path, cast_to=httpx.Response, body=body))
        if reply.status == 401:
            known = "not accepted" if self._key.value else "not set"
            raise EngineGone(f"{self.url} asks for a key: the one in {self._key.name} is {known}")
        if reply.status == 429 and b"insufficient_quota" in reply.content:
            raise EngineGone(f"{self.url}: {excerpt(reply.content)}")
        return reply

    async def _request(self, sent: Awaitable[httpx.Response]) -> Reply:
        """The reply as far as it may be known: without the key, and an error also without parts of it."""
        try:
            response = await sent
        except openai.APIStatusError as error:
            response = error.response
        except openai.APIConnectionError as error:
            raise Away(self._key.hide(str(error.__cause__ or error))) from None
        content = self._key.remove(response.content)
        if response.status_code != 200:
            content = self._key.hide(content.decode(errors="replace")).encode()
        return Reply(response.status_code, response.headers.get("Retry-After", ""), content)

    def _is_ready(self, status: int) -> bool:
        return status < 500  # not every server lists its models


class OpenAIEngine:
    """Asks one server; the key comes from the environment, and is in no message, file or log."""

    name = "openai"
    version = f"client {openai.__version__}"

    def __init__(
        self,
        url: str,
        model: str,
        *,
        chat: bool,
        key: ApiKey,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """`url` with its path, or without where that is /v1; `model` is the server's name of it, or a folder.

        Raises BadInput where `url` is none. `say` is told when the server goes away and comes back.
        """
        self._model = model
        self._chat = chat
        self._client = _Client(_base(url), key, say)
        self._form = FORMS[0]
        self._answered_by: str | None = None
        self._several: bool | None = None
        self._first_of_several = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Open the session and try one request.

        Raises BadInput: no server there, one without that model, a key it does not accept, no form of request
        that it takes.
        """
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._client)
            await self._client.wait_until_ready(hint="expected a server with OpenAI's interface there")
            self._model = await self._served_model()
            await self._try_forms()
            self._close = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close.aclose()

    def describe(self) -> dict[str, Any]:
        """The model as the server names it, and what it was asked for."""
        limit, plain = self._form
        return {
            "url": self._client.url,
            "server": {"model": self._model, "answered_by": self._answered_by},
            "request": {"path": self._path, "limit": limit, "top_k_and_penalties_sent": plain},
        }

    async def generate(self, prompt: str, n: int, sampling: Sampling, seed: int) -> list[Completion]:  # noqa: ARG002
        """`n` answers to `prompt`. No seed is sent: a server may give all `n` the same one."""
        found: list[Completion] = []
        if n > 1 and self._several is None:
            async with self._first_of_several:  # the answers of servers that do not count them are lost
                if self._several is None:
                    found = await self._at_once(prompt, n, sampling)
        if n > 1 and self._several and not found:
            found = await self._at_once(prompt, n, sampling)
        while len(found) < n:
            found += await self._ask(prompt, 1, sampling)
        return found

    async def _at_once(self, prompt: str, n: int, sampling: Sampling) -> list[Completion]:
        """As many of `n` answers as one request brings, and whether to ask in this way again."""
        try:
            found = await self._ask(prompt, n, sampling)
        except RequestRefused:
            found = await self._ask(prompt, 1, sampling)  # refused too where it is not for the number
        self._several = len(found) == n
        return found

    async def _ask(self, prompt: str, n: int, sampling: Sampling) -> list[Completion]:
        body = self._body(prompt, n, sampling)
        return await self._client.ask(
            self._path, body, lambda content: completions(read_reply(content), n), n * sampling.max_new_tokens
        )

    def _body(self, prompt: str, n: int, sampling: Sampling) -> dict[str, Any]:
        limit, plain = self._form
        body: dict[str, Any] = {"model": self._model, limit: sampling.max_new_tokens}
        body |= {"messages": [{"role": "user", "content": prompt}]} if self._chat else {"prompt": prompt}
        body |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if plain:
            body |= PLAIN | {"top_k": sampling.top_k}
        elif sampling.top_k != -1:
            raise EngineGone(f"the server at {self._client.url} takes no top_k, expected top_k = -1")
        if n > 1:
            body |= {"n": n, "logprobs": True if self._chat else 1}
        return body

    async def _served_model(self) -> str:
        """The server's name of the model; the experiment's where the server does not list its models."""
        status, content = await self._client.get("/models")
        try:
            served = [model.id for model in Models.model_validate_json(content).data] if status == 200 else []
        except ValidationError:
            served = []
        if not served or self._model in served:
            return self._model
        # Folders of one model may differ in path.
        alike = [name for name in served if Path(name).name == Path(self._model).name]
        if not alike:
            shown = ", ".join(served[:MODELS_SHOWN]) + (", …" if len(served) > MODELS_SHOWN else "")
            raise BadInput(
                f"the server at {self._client.url} serves {shown}, expected {self._model}: give --set model=…"
            )
        return alike[0]

    async def _try_forms(self) -> None:
        """Find the first form of request that the server takes."""
        trial = Sampling(TRIAL_TOKENS[self._chat], temperature=1.0)
        refusals = []
        for self._form in FORMS:
            try:
                body = self._body(TRIAL, 1, trial)
                reply = await self._client.ask(self._path, body, read_reply, trial.max_new_tokens)
            except RequestRefused as error:
                refusals.append(str(error))
            except EngineError as error:
                raise BadInput(f"the server at {self._client.url}: {error}") from None
            else:
                self._answered_by = reply.model
                return
        raise BadInput(f"the server at {self._client.url}: {refusals[-1]}")

    @property
    def _path(self) -> str:
        return "/chat/completions" if self._chat else "/completions"


def _base(url: str) -> str:
    """The address under which the paths of the interface begin."""
    try:
        found = httpx.URL(url)
    except httpx.InvalidURL:
        found = httpx.URL("")
    if found.scheme not in ("http", "https") or not found.host:
        raise BadInput(f"{url}: not the address of a server, expected http://HOST:PORT")
    return url.rstrip("/") if found.path != "/" else f"{url.rstrip('/')}/v1"

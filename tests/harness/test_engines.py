"""Engines: what the SGLang client makes of every fault a server can have, and the local engine's answers."""

import asyncio
import gzip
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from harness.config import model_location
from harness.engines import connection, retrying
from harness.engines.base import Completion, EngineError, EngineGone, RequestRefused, Sampling
from harness.engines.local import TransformersEngine
from harness.engines.retrying import ATTEMPTS
from harness.engines.sglang import SGLangEngine
from harness.engines.tokens import PromptTokens
from results import BadInput

TINY = model_location("tiny")
SAMPLING = Sampling(max_new_tokens=64, temperature=1.0, stop=("[END]",))
PROMPT = "Clara has 12 eggs. Mia has 2 fewer than Clara. How many eggs does Mia have?\nUse around 40 tokens."
PROMPT_TOKENS = len(PromptTokens(TINY, None, chat=True).encode(PROMPT))


def answer(text: str = " The answer is ##18##.", reason: str = "stop", tokens: int = 9) -> dict[str, Any]:
    meta = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": tokens, "finish_reason": {"type": reason}}
    return {"text": text, "output_ids": [1, 2], "meta_info": meta}


class FaultyServer:
    """Speaks SGLang's protocol and answers each /generate with the next of `replies`, the last for ever."""

    def __init__(
        self, *replies: Any, model: str = TINY, info: dict[str, Any] | None = None, prefix: str = ""
    ) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.unready = 0
        app = web.Application()
        app.router.add_get("/health", self._health)
        app.router.add_get(
            f"/{prefix}model_info", _constant({"model_path": model, "served_model_name": "served"})
        )
        app.router.add_get(
            f"/{prefix}server_info", _constant({"version": "0.5.23", "api_key": "secret", **(info or {})})
        )
        app.router.add_post("/generate", self._generate)
        self.app = app

    async def _health(self, _request: web.Request) -> web.Response:
        self.unready -= 1
        return web.Response(status=503 if self.unready >= 0 else 200)

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if reply == "cut":
            assert request.transport is not None
            request.transport.abort()
        if isinstance(reply, int):
            return web.Response(status=reply, text="what is wrong")
        if callable(reply):
            sent: web.Response = reply()
            return sent
        return web.Response(text=reply if isinstance(reply, str) else json.dumps(reply))


def raw(body: bytes, **headers: str) -> Callable[[], web.Response]:
    """A reply with exactly these bytes; a reply can be sent only once, so it is made anew each time."""
    return lambda: web.Response(body=body, headers=headers)


def changed(**values: Any) -> list[dict[str, Any]]:
    """Two answers, the second with other values in its account of itself."""
    return [answer(), answer() | {"meta_info": answer()["meta_info"] | values}]


def _constant(content: Any) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def reply(_request: web.Request) -> web.Response:
        return web.json_response(content)

    return reply


def ask(server: FaultyServer, n: int = 2) -> list[Completion]:
    """The answers that the client gets from `server` to one request."""

    async def run() -> list[Completion]:
        async with TestServer(server.app) as running:
            url = str(running.make_url("/"))
            async with SGLangEngine(url, TINY, revision=None, chat=True) as engine:
                return await engine.generate(PROMPT, n, SAMPLING, seed=1)

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.001)


def test_a_request_says_everything_and_sends_tokens() -> None:
    server = FaultyServer([answer(), answer(" 7", "length", 64)])
    first, second = ask(server)
    assert first == Completion(" The answer is ##18##.", 9, PROMPT_TOKENS, "stop", None)
    assert second == Completion(" 7", 64, PROMPT_TOKENS, "length", None)
    (request,) = server.requests
    params = request["sampling_params"]
    expected = {
        "n": 2,
        "max_new_tokens": 64,
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": -1,
        "stop": ["[END]"],
    }
    assert params == expected
    assert request["input_ids"][:1] == [2]  # one <|user|>, and no other token before it
    assert request.keys() == {"input_ids", "sampling_params"}


def test_one_answer_may_come_without_a_list() -> None:
    assert len(ask(FaultyServer(answer()), n=1)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(500, id="server error"),
        pytest.param(503, id="not ready"),
        pytest.param("cut", id="connection cut"),
        pytest.param("<html>", id="not JSON"),
        pytest.param("", id="nothing"),
        pytest.param([], id="no answers"),
        pytest.param([answer()], id="too few answers"),
        pytest.param([answer()] * 3, id="too many answers"),
        pytest.param([answer(), answer(reason="abort")], id="an aborted answer"),
        pytest.param([answer(), {"text": "x"}], id="an answer without its account"),
        pytest.param([answer(), answer(reason="odd")], id="an unknown reason"),
        pytest.param({"error": {"message": "out of memory"}}, id="an error in place of answers"),
        pytest.param([[answer()], [answer()]], id="a list of lists"),
        pytest.param(changed(completion_tokens=-1), id="fewer tokens than none"),
        pytest.param(changed(completion_tokens=2.5), id="half a token"),
        pytest.param(changed(completion_tokens="9"), id="tokens as text"),
        pytest.param(changed(completion_tokens=float("nan")), id="NaN tokens"),
        pytest.param(changed(finish_reason=None), id="no reason"),
        pytest.param([answer(), answer() | {"text": None}], id="no text"),
        pytest.param([answer(), answer("\ud800")], id="half a surrogate pair"),
        pytest.param("[" * 100_000, id="deep nesting"),
        pytest.param(raw(b'[{"text": "\xff"}]'), id="not UTF-8"),
        pytest.param(raw(b"no gzip", **{"Content-Encoding": "gzip"}), id="not what it says it is"),
        pytest.param(raw(b" " * (2 << 20)), id="huge"),
        pytest.param(raw(gzip.compress(b" " * (1 << 28)), **{"Content-Encoding": "gzip"}), id="a bomb"),
    ],
)
def test_a_fault_is_asked_again_and_never_taken_for_an_answer(fault: Any) -> None:
    server = FaultyServer(fault, fault, [answer(), answer()])
    assert len(ask(server)) == 2
    assert len(server.requests) == 3

    lasting = FaultyServer(fault)
    with pytest.raises(EngineError, match=f"{ATTEMPTS} attempts failed"):
        ask(lasting)
    assert len(lasting.requests) == ATTEMPTS


def test_text_of_any_characters_is_an_answer() -> None:
    text = "\x00 \u2028 \u202e \U0001f95a"
    assert ask(FaultyServer([answer(text), answer()]))[0].text == text


def test_an_answer_to_part_of_the_prompt_is_none() -> None:
    server = FaultyServer(changed(prompt_tokens=PROMPT_TOKENS - 1))
    with pytest.raises(EngineError, match=rf"to {PROMPT_TOKENS - 1} tokens, expected to all {PROMPT_TOKENS}"):
        ask(server)
    assert len(server.requests) == 1


def test_a_busy_server_is_asked_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "LONGEST_PAUSE", 0.01)
    server = FaultyServer(*[429] * 2 * ATTEMPTS, [answer(), answer()])
    assert len(ask(server)) == 2
    monkeypatch.setattr(retrying, "BUSY_PATIENCE", 0.1)
    with pytest.raises(EngineError, match="put off for 0 s: status 429: what is wrong"):
        ask(FaultyServer(429))


def test_a_server_whose_queue_is_full_is_overloaded_and_not_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "LONGEST_PAUSE", 0.01)

    def full() -> web.Response:
        return web.json_response({"error": {"message": "The request queue is full."}}, status=503)

    server = FaultyServer(*[full] * 2 * ATTEMPTS, [answer(), answer()])

    async def run() -> int:
        async with TestServer(server.app) as running, connected(running) as engine:
            assert len(await engine.generate(PROMPT, 2, SAMPLING, seed=1)) == 2
            return engine.overloads

    def connected(running: TestServer) -> SGLangEngine:
        return SGLangEngine(str(running.make_url("/")), TINY, revision=None, chat=True)

    assert asyncio.run(run()) == 2 * ATTEMPTS


@pytest.mark.parametrize("status", [400, 403, 413, 422])
def test_a_refused_request_is_not_sent_again(status: int) -> None:
    server = FaultyServer(status)
    with pytest.raises(RequestRefused, match=rf"refused with status {status}: what is wrong"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 307, 401, 404, 405])
def test_a_server_that_refuses_every_request_is_as_good_as_gone(status: int) -> None:
    server = FaultyServer(status)
    with pytest.raises(EngineGone, match=rf"/generate refuses every request with status {status}: what is"):
        ask(server)
    assert len(server.requests) == 1


def test_the_client_waits_for_a_server_that_is_starting() -> None:
    server = FaultyServer([answer(), answer()])
    server.unready = 2
    assert len(ask(server)) == 2


def test_a_router_in_front_of_servers_will_do() -> None:
    assert len(ask(FaultyServer([answer(), answer()], prefix="get_"))) == 2


@pytest.mark.parametrize("info", [[], "text", 7])
def test_another_program_at_the_url_is_refused(info: Any) -> None:
    server = FaultyServer(answer(), prefix="unknown_")
    server.app.router.add_get("/model_info", _constant(info))
    with pytest.raises(BadInput, match="not the reply of an SGLang server"):
        ask(server)
    with pytest.raises(BadInput, match="get_model_info: not the reply of an SGLang server: 404"):
        ask(FaultyServer(answer(), prefix="unknown_"))


def open_engine(url: str) -> None:
    async def run() -> None:
        async with SGLangEngine(url, TINY, revision=None, chat=True):
            pass

    asyncio.run(run())


def test_no_server_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "START_PATIENCE", 0.1)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(BadInput, match=rf"server at {url} does not answer .*python -m harness serve"):
            open_engine(url)


@pytest.mark.parametrize("url", ["localhost:30000", "http://", "nonsense", "ftp://host"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match=r"not the address of a server|does not answer"):
        open_engine(url)


def test_another_model_is_refused() -> None:
    with pytest.raises(BadInput, match=r"serves org/Other-8B, expected .*model"):
        ask(FaultyServer([answer(), answer()], model="org/Other-8B"))


def test_a_server_that_repeats_its_answers_is_refused() -> None:
    server = FaultyServer([answer(), answer()], info={"enable_deterministic_inference": True})
    with pytest.raises(BadInput, match="copies of one another"):
        ask(server)


def test_settings_go_on_record_and_keys_do_not() -> None:
    server = FaultyServer(answer(), info={"dtype": "bfloat16", "dp_size": 8})

    async def run() -> dict[str, Any]:
        async with TestServer(server.app) as running:
            url = str(running.make_url("/"))
            async with SGLangEngine(url, TINY, revision=None, chat=True) as engine:
                return {"version": engine.version, **engine.describe()}

    found = asyncio.run(run())
    assert found["version"] == "0.5.23"
    assert found["server"] == {"dtype": "bfloat16", "dp_size": 8}


def draw(*requests: tuple[str, int, Sampling, int]) -> list[list[Completion]]:
    """The local engine's answers to requests that are made at the same time."""

    async def run() -> list[list[Completion]]:
        async with TransformersEngine(TINY, revision=None, chat=True) as engine:
            return await asyncio.gather(*(engine.generate(*request) for request in requests))

    return asyncio.run(run())


def test_local_answers_are_cut_before_the_stop_string_and_counted_with_it() -> None:
    (answers,) = draw((PROMPT, 8, SAMPLING, 1))
    assert len(answers) == 8
    for completion in answers:
        assert "[END]" not in completion.text
        assert completion.prompt_tokens == PROMPT_TOKENS
        assert 1 <= completion.tokens <= 64
    stopped = [completion for completion in answers if completion.finish_reason == "stop"]
    assert stopped
    assert all(completion.text.endswith(". ") for completion in stopped)


def test_local_requests_of_different_kinds_are_answered_side_by_side() -> None:
    greedy = Sampling(max_new_tokens=64, temperature=0.0, stop=("[END]",))
    short = Sampling(max_new_tokens=2, temperature=1.0)
    first, second, third = draw((PROMPT, 3, greedy, 1), (PROMPT, 200, short, 2), (PROMPT, 100, short, 3))
    assert len({completion.text for completion in first}) == 1
    assert {(c.tokens, c.finish_reason) for c in [*second, *third]} == {(2, "length")}
    assert (len(second), len(third)) == (200, 100)


def test_local_answers_can_be_drawn_again() -> None:
    assert draw((PROMPT, 4, SAMPLING, 7)) == draw((PROMPT, 4, SAMPLING, 7))


def test_a_prompt_beyond_the_context_is_an_error_of_its_request() -> None:
    with pytest.raises(EngineError, match=r"\d+ tokens of prompt and 64 new ones: the model has 4096"):
        draw(("egg " * 5000, 2, SAMPLING, 1))


def test_a_local_model_that_is_none_is_refused(tmp_path: Any) -> None:
    with pytest.raises(BadInput, match="no tokenizer could be loaded"):
        TransformersEngine(str(tmp_path), revision=None, chat=True)


def test_closing_the_local_engine_ends_its_batch() -> None:
    async def run() -> None:
        async with TransformersEngine(TINY, revision=None, chat=True) as engine:
            endless = Sampling(max_new_tokens=480, temperature=1.0)
            request = asyncio.create_task(engine.generate("egg", 256, endless, 1))
            await asyncio.sleep(0.5)
            request.cancel()

    started = asyncio.run(_timed(run))
    assert started < 20  # drawing it all takes minutes on a slow machine


async def _timed(run: Callable[[], Awaitable[None]]) -> float:
    loop = asyncio.get_running_loop()
    start = loop.time()
    await run()
    return loop.time() - start

"""What the SGLang client makes of every fault a server can have."""

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest
from aiohttp.test_utils import TestServer

from harness.engines.base import Completion, EngineError, EngineGone, RequestRefused, same_model
from harness.engines.http import connection
from harness.engines.http.connection import ATTEMPTS
from harness.engines.sglang import SGLangEngine
from results import BadInput
from tests.harness.engines.sglang_faults import BUSY, FAULTS, last_meta, status
from tests.harness.engines.sglang_responder import (
    PROMPT_TOKENS,
    SAMPLING,
    TINY,
    FaultyServer,
    answer,
    ask,
    constant,
)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)


def test_a_request_says_everything_and_sends_tokens() -> None:
    server = FaultyServer([answer(), answer(" 7", "length", 64)])
    first, second = ask(server)
    assert first == Completion(" The answer is ##18##.", 9, PROMPT_TOKENS, "stop", None)
    assert second == Completion(" 7", 64, PROMPT_TOKENS, "length", None)
    (request,) = server.requests
    drawn = {"temperature": 1.0, "top_p": 1.0, "top_k": -1, "stop": ["[END]"]}
    assert request["sampling_params"] == drawn | {"n": 2, "max_new_tokens": 64}
    assert request["input_ids"][:1] == [2]  # one <|user|>, and no other token before it
    assert request.keys() == {"input_ids", "sampling_params"}


def test_one_answer_may_come_without_a_list() -> None:
    assert len(ask(FaultyServer(answer()), n=1)) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_asked_again_and_never_taken_for_an_answer(fault: str) -> None:
    server = FaultyServer(FAULTS[fault], FAULTS[fault], [answer(), answer()])
    assert len(ask(server)) == 2
    assert len(server.requests) == 3

    lasting = FaultyServer(FAULTS[fault])
    with pytest.raises(EngineError, match=f"{ATTEMPTS} attempts"):
        ask(lasting)
    assert len(lasting.requests) == ATTEMPTS


@pytest.mark.parametrize("fault", ["busy", "busy until a date", "full queue"])
def test_a_busy_server_is_asked_for_longer(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_PAUSE", 0.01)
    full = {"full queue": status(503, b'{"error": {"message": "The request queue is full."}}')}
    server = FaultyServer(*[(BUSY | full)[fault]] * 2 * ATTEMPTS, [answer(), answer()])
    assert len(ask(server)) == 2
    assert len(server.requests) == 2 * ATTEMPTS + 1


def test_text_of_any_characters_is_an_answer() -> None:
    text = "\x00 \u2028 \u202e \U0001f95a"
    assert ask(FaultyServer([answer(text), answer()]))[0].text == text


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        *(("\ud83e", "\ufffd"), ("\udd5a!", "\ufffd!"), ("\ud83e\ud83e\udd5a", "\ufffd\U0001f95a")),
        *(("\\ud83e \U0001f95a", "\\ud83e \U0001f95a"), ("\udd5a\ud83e", "\ufffd\ufffd")),
    ],
)
def test_half_a_character_is_shown_as_one_that_is_missing(sent: str, read: str) -> None:
    server = FaultyServer([answer(sent), answer()])
    assert ask(server)[0].text == read
    assert len(server.requests) == 1


@pytest.mark.parametrize("tokens", [SAMPLING.max_new_tokens + 1, 10**25])
def test_more_tokens_than_allowed_are_no_answer(tokens: int) -> None:
    with pytest.raises(EngineError, match=str(SAMPLING.max_new_tokens)):
        ask(FaultyServer([answer(), answer(tokens=tokens)]))


def test_each_answer_of_a_reply_has_room_of_its_own() -> None:
    room = connection.REPLY_BYTES + connection.REPLY_BYTES_PER_TOKEN * 2 * SAMPLING.max_new_tokens
    long = answer("x" * (room // 2 - 1000))
    assert len(ask(FaultyServer([long, long]))) == 2


@pytest.mark.parametrize("tokens", [PROMPT_TOKENS - 1, PROMPT_TOKENS + 1])
def test_an_answer_to_another_prompt_is_none(tokens: int) -> None:
    server = FaultyServer(last_meta(prompt_tokens=tokens))
    with pytest.raises(EngineError, match=rf"{tokens} tokens, but {PROMPT_TOKENS} were sent"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [400, 403, 413, 422])
def test_a_refused_request_is_not_sent_again(code: int) -> None:
    server = FaultyServer(status(code))
    with pytest.raises(RequestRefused, match=rf"status {code}"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [301, 307, 401, 404, 405])
def test_a_server_that_refuses_every_request_is_as_good_as_gone(code: int) -> None:
    server = FaultyServer(status(code))
    with pytest.raises(EngineGone, match=rf"/generate .* status {code}"):
        ask(server)
    assert len(server.requests) == 1


def test_the_client_waits_for_a_server_that_is_starting() -> None:
    server = FaultyServer([answer(), answer()])
    server.unready = 2
    assert len(ask(server)) == 2
    assert server.unready == -1  # asked three times


def test_a_router_in_front_of_servers_will_do() -> None:
    assert len(ask(FaultyServer([answer(), answer()], prefix="get_"))) == 2


@pytest.mark.parametrize("info", [[], "text", 7])
def test_another_program_at_the_url_is_refused(info: Any) -> None:
    server = FaultyServer(answer(), prefix="unknown_")
    server.app.router.add_get("/model_info", constant(info))
    with pytest.raises(BadInput, match="/model_info: "):
        ask(server)
    with pytest.raises(BadInput, match=r"/get_model_info: .* 404"):
        ask(FaultyServer(answer(), prefix="unknown_"))


def test_another_model_is_refused() -> None:
    with pytest.raises(BadInput, match=r"serves org/Other-8B, expected .*model"):
        ask(FaultyServer([answer(), answer()], model="org/Other-8B"))


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        *(("org/model", "org/model", True), ("org/model", "other/model", False)),
        *(("org/model", "/srv/model", True), ("/srv/a/model", "/mnt/model", True)),
        *(("org/model", "model", True), ("/srv/model-a", "/srv/model-b", False)),
    ],
)
def test_a_model_of_another_owner_is_another_model(ours: str, theirs: str, same: bool) -> None:
    assert same_model(ours, theirs) == same


def account(server: FaultyServer, revision: str | None = None) -> dict[str, Any]:
    """What the engine says of a server."""

    async def run() -> dict[str, Any]:
        async with TestServer(server.app) as running:
            url = str(running.make_url("/"))
            async with SGLangEngine(url, TINY, revision=revision, chat=True) as engine:
                return {"version": engine.version, **engine.describe()}

    return asyncio.run(run())


@pytest.mark.parametrize(("theirs", "refused"), [("abc", False), (None, False), ("def", True)])
def test_another_revision_of_the_model_is_refused(theirs: str | None, refused: bool) -> None:
    server = FaultyServer(answer(), info={"revision": theirs})
    with pytest.raises(BadInput, match="revision def") if refused else nullcontext():
        account(server, "abc")


@pytest.mark.parametrize(
    ("setting", "refused"), [("random_seed", False), ("max_total_num_tokens", False), ("dtype", True)]
)
def test_a_server_may_come_back_with_what_it_draws_or_measures_anew(setting: str, refused: bool) -> None:
    server = FaultyServer(answer(), info={setting: 1})

    async def run() -> None:
        async with (
            TestServer(server.app) as running,
            SGLangEngine(str(running.make_url("/")), TINY, revision=None, chat=True) as engine,
        ):
            engine._settings = {setting: 2}
            await engine._check_unchanged()

    with pytest.raises(BadInput, match=setting) if refused else nullcontext():
        asyncio.run(run())


def test_a_server_that_repeats_its_answers_is_refused() -> None:
    server = FaultyServer([answer(), answer()], info={"enable_deterministic_inference": True})
    with pytest.raises(BadInput, match="copies of one another"):
        ask(server)


def test_settings_go_on_record_and_keys_do_not() -> None:
    found = account(FaultyServer(answer(), info={"dtype": "bfloat16", "dp_size": 8}))
    assert found["version"] == "0.5.23"
    assert found["server"] == {"dtype": "bfloat16", "dp_size": 8}

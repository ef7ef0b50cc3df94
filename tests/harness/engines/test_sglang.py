"""What the SGLang client makes of every fault a server can have."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import harness.engines.sglang
from harness.engines.base import Completion, same_model
from harness.engines.factory import engine_for
from harness.engines.sglang import SGLangEngine
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.http import connection
from harness.http.connection import ATTEMPTS
from results import BadInput
from tests.harness.engines.opened import sglang, with_engine
from tests.harness.engines.sglang_faults import FAULTS, meta, status
from tests.harness.engines.sglang_responder import (
    PROMPT_TOKENS,
    SAMPLING,
    TINY,
    FaultyServer,
    answer,
    ask,
)
from tests.harness.run.real_run import experiment


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.02)


def test_a_request_says_everything_and_sends_tokens() -> None:
    server = FaultyServer(answer())
    assert ask(server) == Completion(" The answer is ##18##.", 9, PROMPT_TOKENS, "stop", None)
    cut = ask(FaultyServer(answer(" 7", "length", 64)))
    assert cut == Completion(" 7", 64, PROMPT_TOKENS, "length", None)
    (request,) = server.requests
    drawn = {"temperature": 1.0, "top_p": 1.0, "top_k": -1, "stop": ["[END]"]}
    assert request["sampling_params"] == drawn | {"n": 1, "max_new_tokens": 64}
    assert request["input_ids"][:1] == [2]  # one <|user|>, and no other token before it
    assert request["model"] == "served"  # a gateway that finds its servers by itself needs it
    assert request.keys() == {"input_ids", "sampling_params", "model"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_asked_again_and_never_taken_for_an_answer(fault: str) -> None:
    server = FaultyServer(FAULTS[fault], FAULTS[fault], answer())
    assert ask(server).tokens == 9
    assert len(server.requests) == 3

    lasting = FaultyServer(FAULTS[fault])
    with pytest.raises(EngineError, match=f"{ATTEMPTS} attempts"):
        ask(lasting)
    assert len(lasting.requests) == ATTEMPTS


def test_a_reply_is_given_up_as_soon_as_it_is_too_large() -> None:
    with pytest.raises(EngineError, match=r"more than \d+ bytes"):
        ask(FaultyServer(FAULTS["huge"]))


def test_a_full_queue_is_asked_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_PAUSE", 0.01)
    full = status(503, b'{"error": {"message": "The request queue is full."}}')
    assert ask(FaultyServer(*[full] * 2 * ATTEMPTS, answer())).tokens == 9


def test_text_of_any_characters_is_an_answer() -> None:
    text = "\x00 \u2028 \u202e \U0001f95a"
    assert ask(FaultyServer(answer(text))).text == text


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        *(("\ud83e", "\ufffd"), ("\udd5a!", "\ufffd!"), ("\ud83e\ud83e\udd5a", "\ufffd\U0001f95a")),
        *(("\\ud83e \U0001f95a", "\\ud83e \U0001f95a"), ("\udd5a\ud83e", "\ufffd\ufffd")),
    ],
)
def test_half_a_character_is_shown_as_one_that_is_missing(sent: str, read: str) -> None:
    server = FaultyServer(answer(sent))
    assert ask(server).text == read
    assert len(server.requests) == 1


@pytest.mark.parametrize("tokens", [SAMPLING.max_new_tokens + 1, 10**25])
def test_more_tokens_than_allowed_are_no_answer(tokens: int) -> None:
    with pytest.raises(EngineError, match=str(SAMPLING.max_new_tokens)):
        ask(FaultyServer(answer(tokens=tokens)))


def test_a_long_answer_has_room() -> None:
    room = connection.REPLY_BYTES + connection.REPLY_BYTES_PER_TOKEN * SAMPLING.max_new_tokens
    long = "x" * (room - 1000)
    assert ask(FaultyServer(answer(long))).text == long


@pytest.mark.parametrize("tokens", [PROMPT_TOKENS - 1, PROMPT_TOKENS + 1])
def test_an_answer_to_another_prompt_is_none(tokens: int) -> None:
    server = FaultyServer(meta(prompt_tokens=tokens))
    with pytest.raises(EngineError, match=rf"{tokens} tokens, not of {PROMPT_TOKENS}"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("codes", "error"), [((400, 403, 413, 422), RequestRefused), ((301, 307, 401, 404, 405, 501), EngineGone)]
)
def test_what_would_be_refused_again_is_not_sent_again(
    codes: Sequence[int], error: type[EngineError]
) -> None:
    for code in codes:
        server = FaultyServer(status(code))
        with pytest.raises(error, match=rf"status {code}"):
            ask(server)
        assert len(server.requests) == 1


def test_what_a_server_says_is_shown_as_text() -> None:
    with pytest.raises(RequestRefused, match="too long") as refusal:
        ask(FaultyServer(status(400, b"\x1b[31mtoo long\x00\n")))
    assert str(refusal.value).isprintable()


def test_the_client_waits_for_a_server_that_is_starting() -> None:
    server = FaultyServer(answer())
    server.unready = 2
    assert ask(server).tokens == 9
    assert server.unready == -1  # asked three times


@pytest.mark.parametrize(("prefix", "ill"), [("", 503), ("get_", 503), ("get_", 500), ("", 502)])
def test_a_router_that_does_not_know_its_servers_yet_or_which_are_dead_is_waited_for(
    prefix: str, ill: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.engines.sglang, "POLL_SECONDS", 0.01)
    server = FaultyServer(answer(), prefix=prefix)
    server.alone, server.ill = 3, ill
    assert ask(server).tokens == 9
    assert server.alone == 0


@pytest.mark.parametrize("info", [[], "text", 7])
def test_another_program_at_the_url_is_refused(info: Any) -> None:
    server = FaultyServer(answer(), prefix="unknown_")
    server.routes["GET /model_info"] = info
    with pytest.raises(BadInput, match="/model_info: "):
        ask(server)
    with pytest.raises(BadInput, match=r"/get_model_info: .* 404"):
        ask(FaultyServer(answer(), prefix="unknown_"))


def test_another_model_is_refused_and_one_that_is_served_by_our_name_is_not() -> None:
    named = FaultyServer(answer(), model="org/Other-8B")
    named.names["served_model_name"] = TINY
    assert ask(named).tokens == 9
    with pytest.raises(BadInput, match=r"serves org/Other-8B, expected .*model"):
        ask(FaultyServer(answer(), model="org/Other-8B"))


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        *(("org/model", "org/model", True), ("org/model", "other/model", False)),
        *(("org/model", "/srv/model", True), ("/srv/a/model", "/mnt/model", True)),
        *(
            ("org/model", "model", True),
            ("model", "org/model", True),
            ("/srv/model-a", "/srv/model-b", False),
        ),
        *((TINY, "mounted/model", True), ("no/model", "mounted/model", False)),  # TINY is a folder
    ],
)
def test_a_model_of_another_owner_is_another_model(ours: str, theirs: str, same: bool) -> None:
    assert same_model(ours, theirs) == same


def account(server: FaultyServer) -> dict[str, Any]:
    """What the engine says of a server."""

    async def describe(engine: SGLangEngine) -> dict[str, Any]:
        return {"version": engine.version, **engine.describe()}

    found: dict[str, Any] = with_engine(server, sglang, describe)
    return found


@pytest.mark.parametrize(
    ("said", "asked", "refused"),
    [
        *(({"revision": "abc"}, "abc", False), ({"revision": None}, "abc", False)),
        *(({"revision": "def"}, "abc", True), ({"revision": "def"}, None, False)),
        ({"enable_deterministic_inference": True}, None, True),  # all answers would be copies of one another
    ],
)
def test_another_revision_and_answers_without_chance_are_refused(
    said: dict[str, Any], asked: str | None, refused: bool
) -> None:
    def opened(url: str) -> Any:
        return engine_for(experiment(engine="sglang", url=url, revision=asked), Path("log"), print)

    with pytest.raises(BadInput, match=r"revision def|deterministic") if refused else nullcontext():
        with_engine(FaultyServer(answer(), info=said), opened, lambda _engine: asyncio.sleep(0))


@pytest.mark.parametrize(
    ("setting", "refused"), [("random_seed", False), ("max_total_num_tokens", False), ("dtype", True)]
)
def test_a_server_may_come_back_with_what_it_draws_or_measures_anew(setting: str, refused: bool) -> None:
    async def come_back(engine: SGLangEngine) -> None:
        engine._settings = {setting: 2}
        await engine.greet()

    with pytest.raises(BadInput, match=setting) if refused else nullcontext():
        with_engine(FaultyServer(answer(), info={setting: 1}), sglang, come_back)


def test_settings_go_on_record_and_keys_do_not() -> None:
    found = account(FaultyServer(answer(), info={"dtype": "bfloat16", "dp_size": 8}))
    assert found["version"] == "0.5.23"
    assert found["server"] == {"version": "0.5.23", "dtype": "bfloat16", "dp_size": 8}

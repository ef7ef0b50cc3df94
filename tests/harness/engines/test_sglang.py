"""How the SGLang client handles every fault that a server can have."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import harness.engines.sglang
from harness.engines.base import Completion, same_model
from harness.engines.factory import engine_for
from harness.engines.sglang import SGLangEngine
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.fields import RESERVED
from harness.http import connection
from harness.http.connection import ATTEMPTS
from results import BadInput
from tests.harness.engines.servers import (
    PROMPT,
    PROMPT_TOKENS,
    SAMPLING,
    TINY,
    FaultyServer,
    answer,
    sglang,
    with_engine,
)
from tests.harness.engines.sglang_faults import FAULTS, meta, status
from tests.harness.run.real_run import experiment


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.02)


def ask(server: FaultyServer) -> Completion:
    """The answer that the client gets from `server`."""
    found: Completion = with_engine(server, sglang, lambda engine: engine.generate(PROMPT, SAMPLING, seed=1))
    return found


def test_a_request_says_everything_and_sends_tokens() -> None:
    server = FaultyServer(answer())
    assert ask(server) == Completion(" The answer is ##18##.", 9, PROMPT_TOKENS, "stop", None)
    cut = ask(FaultyServer(answer(" 7", "length", 64)))
    assert cut == Completion(" 7", 64, PROMPT_TOKENS, "length", None)
    (request,) = server.requests
    drawn = {"temperature": 1.0, "top_p": 1.0, "top_k": -1, "stop": ["[END]"]}
    assert request["sampling_params"] == drawn | {"n": 1, "max_new_tokens": 64}
    assert request["input_ids"][:1] == [2]  # one <|user|>, and no other token before it
    assert request["model"] == "served"  # needed by a gateway that discovers its servers
    assert request.keys() == {"input_ids", "sampling_params", "model"}
    assert {"input_ids", "model", *request["sampling_params"]} <= RESERVED  # no request_fields replace these


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_asked_again_and_never_taken_for_an_answer(fault: str) -> None:
    server = FaultyServer(FAULTS[fault], FAULTS[fault], answer())
    assert ask(server).tokens == 9
    assert len(server.requests) == 3


def test_a_full_queue_is_asked_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_PAUSE", 0.01)
    full = status(503, b'{"error": {"message": "The request queue is full."}}')
    assert ask(FaultyServer(*[full] * 2 * ATTEMPTS, answer())).tokens == 9


@pytest.mark.parametrize(
    ("reply", "said", "times"),
    [
        (FAULTS["huge"], r"more than \d+ bytes", ATTEMPTS),  # given up as soon as it is too large
        (answer(tokens=65), "65 tokens", 1),
        (answer(tokens=10**25), f"{10**25}", 1),
        (meta(prompt_tokens=PROMPT_TOKENS - 1), f"{PROMPT_TOKENS - 1} tokens, not of {PROMPT_TOKENS}", 1),
        (meta(prompt_tokens=PROMPT_TOKENS + 1), f"{PROMPT_TOKENS + 1} tokens, not of {PROMPT_TOKENS}", 1),
    ],
)
def test_what_is_too_large_or_answers_another_prompt_is_no_answer(reply: Any, said: str, times: int) -> None:
    server = FaultyServer(reply)
    with pytest.raises(EngineError, match=said):
        ask(server)
    assert len(server.requests) == times


ROOM = connection.REPLY_BYTES + connection.REPLY_BYTES_PER_TOKEN * SAMPLING.max_new_tokens


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        *((text, text) for text in ("\x00 \u2028 \u202e \U0001f95a", "x" * (ROOM - 1000))),
        *(("\ud83e", "\ufffd"), ("\udd5a!", "\ufffd!"), ("\ud83e\ud83e\udd5a", "\ufffd\U0001f95a")),
        *(("\\ud83e \U0001f95a", "\\ud83e \U0001f95a"), ("\udd5a\ud83e", "\ufffd\ufffd")),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_any_text_is_an_answer_with_half_a_character_shown_as_one_that_is_missing(
    sent: str, read: str
) -> None:
    server = FaultyServer(answer(sent))
    assert ask(server).text == read
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [400, 403, 413, 422, 301, 307, 401, 404, 405, 501])
def test_what_would_be_refused_again_is_not_sent_again_and_what_is_said_is_shown_as_text(code: int) -> None:
    server = FaultyServer(status(code, b"\x1b[31mtoo long\x00\n"))
    error = RequestRefused if code in (400, 403, 413, 422) else EngineGone
    with pytest.raises(error, match=rf"status {code}.*too long") as refusal:
        ask(server)
    assert str(refusal.value).isprintable()
    assert len(server.requests) == 1


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
        *(("org/model", "model", True), ("model", "org/model", True)),
        *(("/srv/model-a", "/srv/model-b", False), ("no/model", "mounted/model", False)),
        (TINY, "mounted/model", True),  # TINY is a folder
    ],
)
def test_a_model_of_another_owner_is_another_model(ours: str, theirs: str, same: bool) -> None:
    assert same_model(ours, theirs) == same


@pytest.mark.parametrize(
    ("said", "asked", "refused"),
    [
        *(({"revision": "abc"}, "abc", False), ({"revision": None}, "abc", False)),
        *(({"revision": "def"}, "abc", True), ({"revision": "def"}, None, False)),
        ({"enable_deterministic_inference": True}, None, True),  # all answers would be the same
        # It came back with 1 in place of 2: fine for values drawn or measured at the start, not for settings.
        *(({"random_seed": 1}, None, False), ({"max_total_num_tokens": 1}, None, False)),
        ({"dtype": 1}, None, True),
    ],
)
def test_another_revision_other_settings_and_answers_without_chance_are_refused(
    said: dict[str, Any], asked: str | None, refused: bool
) -> None:
    def opened(url: str) -> Any:
        return engine_for(experiment(engine="sglang", url=url, revision=asked), Path("log"), print)

    async def come_back(engine: SGLangEngine) -> None:
        assert engine.version == "0.5.23"
        assert engine.describe()["server"] == {"version": "0.5.23", **said}  # without its API key
        engine._settings |= dict.fromkeys(said.keys() - {"revision"}, 2)
        await engine.greet()

    with pytest.raises(BadInput, match=r"revision def|deterministic|dtype") if refused else nullcontext():
        with_engine(FaultyServer(answer(), info=said), opened, come_back)

"""The engine for OpenAI's API against servers with every known quirk."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion
from harness.engines.openai.engine import NO_EFFECT, TRIAL, OpenAIEngine
from harness.errors import EngineError, RequestRefused
from harness.fields import RESERVED
from harness.http.connection import ATTEMPTS
from results import BadInput
from tests.harness.engines.servers import ANSWERS, MODEL, SAMPLING, OpenAIServer, ask, openai, with_engine

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.mark.parametrize("chat", [True, False])
def test_a_request_says_everything_and_asks_for_one_answer(chat: bool) -> None:
    server = OpenAIServer()
    answer, *others = ask(server, 3, chat=chat)
    trial, *asked = server.requests
    seeds = [request.pop("seed") for request in asked]
    assert answer == Completion(" The answer is ##18##.", 9, 71, "stop", seeds[0])
    assert [(other.text, other.tokens) for other in others] == list(ANSWERS[1:])
    assert (trial["max_tokens"] > 100, len(asked)) == (chat, 3)  # a model that reasons needs room
    text = "How many eggs?"
    prompt = {"messages": [{"role": "user", "content": text}]} if chat else {"prompt": text}
    drawn = {"temperature": 1.0, "top_p": 1.0, "top_k": -1, "stop": ["[END]"]}
    assert asked[0] == {**prompt, **NO_EFFECT, **drawn, "model": MODEL, "max_tokens": 64}
    assert {*prompt, *drawn, "model", "max_tokens"} <= RESERVED  # no request_fields replace these


@pytest.mark.parametrize(
    ("refuses", "limit", "seeded", "plain"),
    [
        ([], "max_tokens", True, True),
        (["top_k"], "max_tokens", True, False),
        (["seed"], "max_tokens", False, True),
        (["seed", "top_k"], "max_tokens", False, False),
        (["min_p", "max_tokens"], "max_completion_tokens", True, False),
        (["min_p", "max_tokens", "seed"], "max_completion_tokens", False, False),
    ],
)
def test_a_request_takes_the_form_that_the_server_takes(
    refuses: list[str], limit: str, seeded: bool, plain: bool
) -> None:
    server, described = OpenAIServer(refuses=refuses), {}
    (answer,) = ask(server, described=described)
    asked = server.requests[-1]
    assert asked[limit] == 64
    assert ("seed" in asked, "top_k" in asked) == (seeded, plain)
    assert answer.seed == asked.get("seed")
    form = described["request"]
    assert (form["limit"], form["seed_sent"], form["top_k_and_penalties_sent"]) == (limit, seeded, plain)


def test_every_request_has_a_seed_of_its_own_and_the_same_one_again_unless_the_run_gives_one() -> None:
    def seed_sent(seed: int, said: str = "", fields: Any = None) -> Any:
        server = OpenAIServer()
        draw = partial(OpenAIEngine.generate, prompt="Eggs?", sampling=SAMPLING, seed=seed, said=said)
        answer = with_engine(server, partial(openai, chat=False, fields=fields), draw)
        assert answer.seed == (None if fields else server.requests[-1]["seed"])
        return server.requests[-1]["seed"]

    drawn = [seed_sent(7), seed_sent(8), seed_sent(9, " The answer is ##")]
    assert len(set(drawn)) == 3
    assert drawn[0] == seed_sent(7)
    assert all(0 <= seed < 2**31 for seed in drawn)
    assert seed_sent(7, fields={"seed": None}) is None


def test_the_form_is_tried_at_the_start_and_not_when_the_server_comes_back() -> None:
    server = OpenAIServer()
    with_engine(server, openai, OpenAIEngine.greet)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        *(("http://host:8000", "http://host:8000/v1"), ("https://host/", "https://host/v1")),
        *(("http://host/v1/", "http://host/v1"), ("http://host/api/v3", "http://host/api/v3")),
    ],
)
def test_the_path_v1_may_be_left_out_and_no_other(url: str, asked: str) -> None:
    assert openai(url).url == asked


CHOICE = '{"finish_reason": "stop", "text": "7"}'
COUNTED = '{"choices": [%s], "usage": {"prompt_tokens": 71, "completion_tokens": 2}}'


@pytest.mark.parametrize(
    "fault", [429, 500, 503, "cut", "<html>", "[]", COUNTED % "", COUNTED % f"{CHOICE}, {CHOICE}"]
)
def test_a_fault_is_asked_again_and_never_taken_for_an_answer(fault: int | str) -> None:
    server = OpenAIServer(faults=[fault, fault])
    (answer,) = ask(server)
    assert answer.text == ANSWERS[0][0]
    assert len(server.requests) == 1 + 3


@pytest.mark.parametrize(
    ("content", "finish_reason", "expected"),
    [(None, "length", ("", "length")), (None, "stop", ("", "stop")), ("x", "eos", ("x", "stop"))],
)
def test_an_empty_answer_is_one(content: str | None, finish_reason: str, expected: tuple[str, str]) -> None:
    server = OpenAIServer(content=content, finish_reason=finish_reason)
    (answer,) = ask(server)
    assert (answer.text, answer.finish_reason) == expected


@pytest.mark.parametrize(
    ("habit", "error", "said", "asked"),
    [
        # Retrying until a withheld answer gets through would bias the sample of answers.
        ({"finish_reason": "content_filter"}, RequestRefused, r"withheld .*content_filter", 1),
        ({"finish_reason": None}, EngineError, "attempts .*broken off", ATTEMPTS),
        ({"finish_reason": "abort"}, EngineError, "attempts .*abort", ATTEMPTS),
        ({"tokens": 65}, EngineError, "65 tokens", 1),
        ({"refuses": ["top_k"]}, EngineError, "top_k = -1", 0),
        ({"usage": False}, BadInput, "usage", 0),
        ({"refuses": ["model"]}, BadInput, "400: .*unsupported", 0),
        ({"models": ["org/other"]}, BadInput, "serves org/other, expected org/model: give --set model=", 0),
        ({"models": ["a"] * 20}, BadInput, r"serves a, a, a, a, a, expected", 0),
    ],
)
def test_what_is_no_whole_answer_of_the_model_as_asked_is_none(
    habit: dict[str, Any], error: type[Exception], said: str, asked: int
) -> None:
    server = OpenAIServer(**habit)
    with pytest.raises(error, match=said):
        ask(server, sampling=replace(SAMPLING, top_k=20))
    assert sum(TRIAL not in str(request) for request in server.requests) == asked


def test_a_model_goes_by_the_servers_name_of_it(tmp_path: Path) -> None:
    server = OpenAIServer(models=["other", "/srv/models/mine"])
    ask(server, model=str(tmp_path / "mine"))
    assert server.requests[-1]["model"] == "/srv/models/mine"
    unlisted = OpenAIServer(models=None)
    ask(unlisted, 1, model="anything")
    assert unlisted.requests[-1]["model"] == "anything"

"""Log-probabilities of answers: requested only if a run wants them, and only their mean is kept."""

from dataclasses import replace
from typing import Any

import pytest

from harness.engines.base import Completion, Sampling
from tests.harness.engines.servers import PROMPT, FaultyServer, OpenAIServer, answer, ask, sglang, with_engine

pytestmark = pytest.mark.usefixtures("impatient")

ASKED = Sampling(64, temperature=1.0, logprobs=True)
TOP = Sampling(2, temperature=1.0, candidates=3)
CHAT = {"content": [{"token": "a", "logprob": -1.0, "bytes": [97]}, {"token": "b", "logprob": -0.5}]}
LISTS = {"tokens": ["a", "b"], "token_logprobs": [-1.0, -0.5], "top_logprobs": None}
TOLD = [{"token": "Yes", "logprob": -0.5, "bytes": None}, {"token": " no", "logprob": -1}]
TOP_CHAT = {"content": [{"token": "Yes", "logprob": -0.5, "top_logprobs": TOLD}]}
TOP_LISTS = {"token_logprobs": [-0.5], "top_logprobs": [{"Yes": -0.5, " no": -1}]}
TWO = (("Yes", -0.5), (" no", -1.0))


def told(logprobs: Any, chat: bool, asked: Sampling) -> tuple[Completion, dict[str, Any]]:
    """The answer of a server that returns `logprobs`, and the last request."""
    server = OpenAIServer(logprobs=logprobs, content="ab", tokens=2)
    (answer,) = ask(server, chat=chat, sampling=asked)
    return answer, server.requests[-1]


@pytest.mark.parametrize(
    ("chat", "logprobs", "sampling", "asked", "mean", "candidates"),
    [
        (True, CHAT, ASKED, (True, None), -0.75, None),
        (False, LISTS, ASKED, (1, None), -0.75, None),
        (True, TOP_CHAT, TOP, (True, 3), None, TWO),
        (False, TOP_LISTS, TOP, (3, None), None, TWO),
        (False, TOP_CHAT, TOP, (3, None), None, TWO),
    ],
)
def test_the_mean_and_the_likeliest_first_tokens_that_a_server_tells_are_kept(
    chat: bool, logprobs: Any, sampling: Sampling, asked: Any, mean: float | None, candidates: Any
) -> None:
    found, request = told(logprobs, chat, sampling)
    assert (request["logprobs"], request.get("top_logprobs")) == asked
    assert type(request["logprobs"]) is type(asked[0])
    assert (found.logprob if sampling is ASKED else None, found.candidates) == (mean, candidates)


@pytest.mark.parametrize(
    "logprobs",
    [
        *(None, {}, 7, {"content": None}, {"content": []}, {"content": [{"token": "Yes"}]}),
        *({"token_logprobs": [None, -1.0]}, {"token_logprobs": ["-inf", -1.0]}),
        *({"content": [{"top_logprobs": []}]}, {"content": [{"top_logprobs": [{"token": "Yes"}]}]}),
        *({"top_logprobs": None}, {"top_logprobs": []}, {"top_logprobs": [None]}, {"top_logprobs": [{}]}),
        {"content": [{"top_logprobs": [{"token": None, "logprob": -1.0}, {"token": "a", "logprob": None}]}]},
    ],
)
def test_what_is_not_told_as_a_whole_is_null(logprobs: Any) -> None:
    found, _ = told(logprobs, True, replace(TOP, logprobs=True))
    assert (found.logprob, found.candidates) == (None, None)


def test_sglang_is_asked_and_believed() -> None:
    reply = answer(tokens=2)
    top = [[-0.5, 3, "Yes"], [-1.0, 4, " no"], [None, 5, "x"], [-3.0, 6, None]]
    reply["meta_info"] |= {"output_token_logprobs": [[-1.0, 3, None], [-0.5, 4, "b"]]}
    reply["meta_info"] |= {"output_top_logprobs": [top]}
    for sampling, more in ((ASKED, {}), (TOP, {"top_logprobs_num": 3, "return_text_in_logprobs": True})):
        server = FaultyServer(reply)
        found = with_engine(server, sglang, lambda engine, s=sampling: engine.generate(PROMPT, s, seed=1))
        assert (found.logprob, found.candidates) == (-0.75, TWO)
        request = server.requests[-1]
        drawn = request.pop("sampling_params")
        assert request.keys() == {"input_ids", "model", "return_logprob", *more}
        assert request | {"return_logprob": True, **more} == request
        assert not drawn.keys() & {"logprobs", "candidates", "thinking"}

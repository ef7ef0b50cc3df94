"""Answers that reach their limit: ended, asked for the final answer only, counted whole, marked."""

import asyncio
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestServer

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.forcing import ENDING, FINAL_TOKENS, forced
from harness.engines.http.api_key import ApiKey
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.engines.tokens import PromptTokens
from harness.engines.transformers.engine import TransformersEngine
from harness.experiment import read_experiment
from harness.grader import Grader
from results import BadInput
from tests.harness.engines.openai.responder import Responder
from tests.harness.engines.sglang_responder import PROMPT, PROMPT_TOKENS, TINY, FaultyServer

CUT = Completion(
    "Clara has 12 eggs, so", tokens=8, prompt_tokens=PROMPT_TOKENS, finish_reason="length", seed=1
)
WHOLE = Completion(" ##18##.", tokens=4, prompt_tokens=PROMPT_TOKENS, finish_reason="stop", seed=1)
SHORT = Sampling(8, temperature=1.0, stop=("[END]",))
TOKENS = PromptTokens(TINY, None, chat=True)
READ = Grader(("hashes",))
GOES_ON = TOKENS.go_on(PROMPT, CUT.text + ENDING)


def finish(engine: Any, answers: list[Completion]) -> list[Completion]:
    async def run() -> list[Completion]:
        async with engine as opened:
            return await forced(opened, PROMPT, answers, SHORT, seed=3)

    return asyncio.run(run())


def test_an_answer_at_its_limit_is_ended_and_the_others_stay() -> None:
    engine: Engine = TransformersEngine(TINY, revision=None, chat=True)
    whole, one, other = finish(engine, [WHOLE, CUT, CUT])
    assert whole == WHOLE
    for found in (one, other):
        assert found.finish_reason == "forced"
        assert found.text.startswith(CUT.text + ENDING)
        assert found.prompt_tokens == PROMPT_TOKENS
        ending = len(GOES_ON) - PROMPT_TOKENS
        assert ending < found.tokens <= ending + FINAL_TOKENS
    assert READ.read(one.text)[0] is not None


def test_final_answers_are_drawn_as_the_others_with_random_numbers_of_their_own() -> None:
    asked: list[tuple[Sampling, int]] = []

    class Noting:
        async def generate(self, _prompt: str, _n: int, how: Sampling, seed: int, _said: str) -> Any:
            asked.append((how, seed))
            return [WHOLE]

    asyncio.run(forced(cast(Engine, Noting()), PROMPT, [CUT, WHOLE, CUT], SHORT, seed=3))
    assert [how for how, _ in asked] == [Sampling(FINAL_TOKENS, 1.0, stop=("[END]",))] * 2
    assert len({seed for _, seed in asked} - {3}) == 2


def test_the_limit_changes_how_answers_end_and_not_how_they_begin() -> None:
    async def run() -> list[list[Completion]]:
        async with TransformersEngine(TINY, revision=None, chat=True) as engine:
            cut = await engine.generate(PROMPT, 16, SHORT, seed=3)
            return [cut, await forced(engine, PROMPT, cut, SHORT, seed=3)]

    cut, ended = asyncio.run(run())
    assert [after.text[: len(before.text)] for before, after in zip(cut, ended, strict=True)] == [
        before.text for before in cut
    ]
    assert {answer.finish_reason for answer in ended} <= {"stop", "forced"}
    readable = [READ.read(answer.text)[0] for answer in ended if answer.finish_reason == "forced"]
    assert sum(answer is not None for answer in readable) >= 0.9 * len(readable) > 0


def test_sglang_is_sent_the_beginning_of_the_answer() -> None:
    reply = {"prompt_tokens": len(GOES_ON), "completion_tokens": 3, "finish_reason": {"type": "stop"}}
    server = FaultyServer([{"text": "10##.", "meta_info": reply}])

    async def run() -> list[Completion]:
        async with TestServer(server.app) as running:
            engine = SGLangEngine(str(running.make_url("/")), TINY, revision=None, chat=True)
            async with engine:
                return await forced(engine, PROMPT, [CUT], SHORT, seed=3)

    (found,) = asyncio.run(run())
    assert (found.text, found.tokens) == (f"{CUT.text}{ENDING}10##.", len(GOES_ON) - PROMPT_TOKENS + 3)
    (request,) = server.requests
    assert request["input_ids"] == list(GOES_ON)
    assert request["sampling_params"]["max_new_tokens"] == FINAL_TOKENS


@pytest.mark.parametrize("chat", [True, False])
def test_servers_with_openais_interface_go_on_in_completions(chat: bool) -> None:
    server = Responder(content="10##.")

    async def run() -> list[Completion]:
        async with TestServer(server.app) as running:
            url = str(running.make_url("/"))
            key = ApiKey("THE_KEY", "")
            async with OpenAIEngine(url, "org/model", chat=chat, key=key, prompts=TOKENS) as engine:
                return await forced(engine, PROMPT, [CUT], SHORT, seed=3)

    (found,) = asyncio.run(run())
    assert found.text == f"{CUT.text}{ENDING}10##."
    request = server.requests[-1]
    assert request["prompt"] == (list(GOES_ON) if chat else PROMPT + CUT.text + ENDING)
    assert "messages" not in request
    assert request["max_tokens"] == FINAL_TOKENS


def test_the_experiment_cuts_at_the_budget_and_asks_for_what_is_read() -> None:
    experiment = read_experiment("gsm8k-forced")
    assert experiment.at_limit == "force"
    assert [experiment.max_new_tokens(budget) for budget in experiment.budgets] == list(experiment.budgets)
    with pytest.raises(BadInput, match="hashes"):
        read_experiment("gsm8k-forced", {"readers": "boxed"})

"""Answers that reach their limit: ended, asked for the final answer only, counted whole, marked."""

import asyncio
import json
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.engines.factory import engine_for
from harness.engines.forcing import ENDING, FINAL_TOKENS, forced
from harness.engines.token_ids import PromptTokens
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.experiment import read_experiment
from harness.grader import Grader
from results import BadInput
from tests.harness.engines.openai_responder import OpenAIServer
from tests.harness.engines.opened import openai, sglang, with_engine
from tests.harness.engines.sglang_responder import PROMPT, PROMPT_TOKENS, TINY, FaultyServer, several
from tests.harness.run.real_run import experiment, really

CUT = Completion(
    "Clara has 12 eggs, so", tokens=8, prompt_tokens=PROMPT_TOKENS, finish_reason="length", seed=1
)
WHOLE = Completion(" ##18##.", tokens=4, prompt_tokens=PROMPT_TOKENS, finish_reason="stop", seed=1)
SHORT = Sampling(8, temperature=1.0, stop=("[END]",))
TOKENS = PromptTokens(TINY, None, chat=True)
READ = Grader(("hashes",))
GOES_ON = TOKENS.go_on(PROMPT, CUT.text + ENDING)


def test_final_answers_are_drawn_as_the_others_with_random_numbers_of_their_own() -> None:
    asked: list[tuple[Sampling, int]] = []

    class Noting:
        async def generate(self, _prompt: str, how: Sampling, seed: int, _said: str) -> Any:
            asked.append((how, seed))
            return WHOLE

    for answer in (CUT, WHOLE):
        asyncio.run(forced(cast(Engine, Noting()), PROMPT, answer, SHORT, seed=3))
    ((how, seed),) = asked
    assert how == Sampling(FINAL_TOKENS, 1.0, stop=("[END]",))
    assert seed != 3


@pytest.mark.parametrize(
    ("failures", "error", "asked"),
    [
        (1, EngineError, 2),
        (3, EngineError, 4),
        (4, EngineError, None),
        (1, RequestRefused, None),
        (1, EngineGone, None),
    ],
)
def test_an_ending_that_fails_is_asked_for_again_from_the_same_text(
    failures: int, error: type[EngineError], asked: int | None
) -> None:
    said: list[str] = []

    class Failing:
        async def generate(self, _prompt: str, _how: Sampling, _seed: int, begun: str) -> Any:
            said.append(begun)
            if len(said) <= failures:
                raise error("broken")
            return WHOLE

    ending = forced(cast(Engine, Failing()), PROMPT, CUT, SHORT, seed=3)
    with nullcontext() if asked else pytest.raises(error):
        found = asyncio.run(ending)
        assert (found.finish_reason, len(said)) == ("forced", asked)
        assert found.text == CUT.text + ENDING + WHOLE.text
    assert set(said) == {CUT.text + ENDING}


def test_the_limit_changes_how_answers_end_and_not_how_they_begin() -> None:
    async def run() -> list[list[Completion]]:
        async with CTranslate2Engine(TINY, revision=None, chat=True) as engine:
            cut = await several(engine, PROMPT, 64, SHORT)
            ended = (forced(engine, PROMPT, answer, SHORT, seed=3) for answer in cut)
            return [cut, await asyncio.gather(*ended)]

    cut, ended = asyncio.run(run())
    for before, after in zip(cut, ended, strict=True):
        assert after.finish_reason == {"length": "forced", "stop": "stop"}[before.finish_reason]
        assert after.prompt_tokens == PROMPT_TOKENS
        if after.finish_reason == "forced":
            assert after.text.startswith(before.text + ENDING)
            said = len(TOKENS.go_on(PROMPT, before.text + ENDING)) - PROMPT_TOKENS
            assert said < after.tokens <= said + FINAL_TOKENS
    # CTranslate2 takes no seed. One ending in 200 cannot be read; more than six of 64 is one in a million.
    readable = [READ.read(answer.text)[0] for answer in ended if answer.finish_reason == "forced"]
    assert sum(answer is not None for answer in readable) >= 0.9 * len(readable) > 0


def test_a_run_forces_what_reaches_its_limit(tmp_path: Path) -> None:
    really(tmp_path, budget_by="force", tokens_per_budget=0.5, tokens_extra=0, limit=2)
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    assert "forced" in {row["finish_reason"] for row in rows} <= {"forced", "stop"}


@pytest.mark.parametrize(
    ("chat", "budget_by", "needed"), [(True, "prompt", False), (True, "force", True), (False, "force", False)]
)
def test_only_a_chat_that_goes_on_needs_the_tokenizer_of_a_model_elsewhere(
    chat: bool, budget_by: str, needed: bool, tmp_path: Path
) -> None:
    asked = {"engine": "openai", "url": "http://elsewhere", "model": str(tmp_path)}
    plan = experiment(**asked, chat=chat, budget_by=budget_by)
    with pytest.raises(BadInput, match="tokenizer") if needed else nullcontext():
        engine_for(plan, tmp_path / "log", print)


async def ended(engine: Engine) -> Completion:
    """The cut answer, with its final answer asked for."""
    return await forced(engine, PROMPT, CUT, SHORT, seed=3)


def test_sglang_is_sent_the_beginning_of_the_answer() -> None:
    reply = {"prompt_tokens": len(GOES_ON), "completion_tokens": 3, "finish_reason": {"type": "stop"}}
    server = FaultyServer({"text": "10##.", "meta_info": reply})
    found = with_engine(server, sglang, ended)
    assert (found.text, found.tokens) == (f"{CUT.text}{ENDING}10##.", len(GOES_ON) - PROMPT_TOKENS + 3)
    (request,) = server.requests
    assert request["input_ids"] == list(GOES_ON)
    assert request["sampling_params"]["max_new_tokens"] == FINAL_TOKENS


@pytest.mark.parametrize("chat", [True, False])
def test_servers_with_openais_interface_go_on_in_completions(chat: bool) -> None:
    server = OpenAIServer(content="10##.")
    found = with_engine(server, partial(openai, chat=chat, prompts=TOKENS), ended)
    assert found.text == f"{CUT.text}{ENDING}10##."
    request = server.requests[-1]
    assert request["prompt"] == (list(GOES_ON) if chat else PROMPT + CUT.text + ENDING)
    assert ("messages" in request, server.paths[-1]) == (False, "/v1/completions")
    assert request["max_tokens"] == FINAL_TOKENS


def test_the_experiment_cuts_at_the_budget_and_asks_for_what_is_read() -> None:
    shipped = read_experiment("gsm8k-forced")
    assert shipped.budget_by == "force"
    assert [shipped.max_new_tokens(budget) for budget in shipped.budgets] == list(shipped.budgets)
    with pytest.raises(BadInput, match="hashes"):
        read_experiment("gsm8k-forced", {"readers": "boxed"})

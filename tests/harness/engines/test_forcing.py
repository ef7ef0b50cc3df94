"""Answers cut at their limit: only the final answer is requested; all tokens count; they are marked."""

import asyncio
import json
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import ANY

import pytest

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.engines.factory import engine_for
from harness.engines.forcing import ENDING, FINAL_TOKENS, forced
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.token_ids import PromptTokens
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.experiment import read_experiment
from harness.grader import Grader
from results import BadInput
from tests.harness.engines.servers import (
    PROMPT,
    PROMPT_TOKENS,
    TINY,
    FaultyServer,
    OpenAIServer,
    openai,
    several,
    sglang,
    with_engine,
)
from tests.harness.engines.tiny_copy import changed
from tests.harness.run.real_run import experiment, really

CUT = Completion(
    "Clara has 12 eggs, so", tokens=8, prompt_tokens=PROMPT_TOKENS, finish_reason="length", seed=1
)
WHOLE = Completion(" ##18##.", tokens=4, prompt_tokens=PROMPT_TOKENS, finish_reason="stop", seed=1)
SHORT = Sampling(8, temperature=1.0, stop=("[END]",))
TOKENS = PromptTokens(TINY, None, chat=True)
READ = Grader(("hashes",))
GOES_ON = TOKENS.go_on(PROMPT, CUT.text + ENDING)


class Replying:
    """An engine that returns or raises the given replies in turn, and records its requests."""

    def __init__(self, *replies: Completion | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[Sampling, int, str]] = []

    def opens_thinking(self, _prompt: str) -> bool:
        return False

    async def generate(self, _prompt: str, how: Sampling, seed: int, said: str) -> Completion:
        self.asked.append((how, seed, said))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def end(self, answer: Completion, how: Sampling = SHORT) -> Completion:
        return asyncio.run(forced(cast(Engine, self), PROMPT, answer, how, seed=3))


@pytest.mark.parametrize(
    ("failures", "error", "given_up"),
    [
        *((0, EngineError, False), (1, EngineError, False), (3, EngineError, False), (4, EngineError, True)),
        *((1, RequestRefused, True), (1, EngineGone, True)),
    ],
)
def test_an_ending_that_fails_is_asked_for_again_from_the_same_text_with_random_numbers_of_its_own(
    failures: int, error: type[EngineError], given_up: bool
) -> None:
    engine = Replying(*[error("broken")] * failures, WHOLE)
    with pytest.raises(error) if given_up else nullcontext():
        found = engine.end(CUT)
        assert found == replace(
            WHOLE, text=CUT.text + ENDING + WHOLE.text, tokens=ANY, finish_reason="forced"
        )
        assert len(engine.asked) == failures + 1
    ((how, seed, said),) = set(engine.asked)
    assert how == Sampling(FINAL_TOKENS, 1.0, stop=("[END]",))
    assert (seed != 3, said) == (True, CUT.text + ENDING)
    assert Replying().end(WHOLE) == WHOLE


def test_an_ending_after_the_thinking_does_not_close_it_again_and_has_the_log_probability() -> None:
    engine = Replying(Completion("10##.", 3, PROMPT_TOKENS + 40, "stop", None, logprob=-0.1))
    cut = Completion(" So it is", 30, PROMPT_TOKENS, "length", None, "12 - 2", 20, logprob=-2.0)
    found = engine.end(cut, Sampling(200, temperature=1.0, thinking=60, logprobs=True))
    assert [said for _, _, said in engine.asked] == [f"<think>12 - 2</think> So it is{ENDING}"]
    assert (found.text, found.tokens, found.reasoning_tokens) == (f" So it is{ENDING}10##.", 43, 20)
    assert found.logprob == -0.1


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
    # CTranslate2 takes no seed. 1 in 200 endings is unreadable; more than 6 of 64: one in a million.
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


def test_what_goes_on_was_rendered_with_the_arguments_of_the_run(tmp_path: Path) -> None:
    template = "{{ messages[0].content }}{% if enable_thinking %}<think>{% endif %}"
    folder = changed(tmp_path / "model", {"chat_template.jinja": template})
    asked = {"engine": "openai", "url": "http://elsewhere", "model": folder, "budget_by": "force"}
    for thinks in (True, False):
        given = {"chat_template_kwargs": {"enable_thinking": thinks}}
        plan = experiment(**asked, chat=True, request_fields=given)
        engine = cast(OpenAIEngine, engine_for(plan, tmp_path / "log", print))
        assert engine.opens_thinking(PROMPT) == thinks


GONE_ON = {"prompt_tokens": len(GOES_ON), "completion_tokens": 3, "finish_reason": {"type": "stop"}}


@pytest.mark.parametrize(
    ("server", "engine", "path", "sent", "tokens"),
    [
        (
            FaultyServer({"text": "10##.", "meta_info": GONE_ON}),
            *(sglang, "/generate", {"input_ids": list(GOES_ON)}, len(GOES_ON) + 3),
        ),
        (
            OpenAIServer(content="10##.", tokens=5),
            *(partial(openai, prompts=TOKENS), "/v1/completions", {"prompt": list(GOES_ON)}, 71 + 5),
        ),
        (
            OpenAIServer(content="10##.", tokens=5),
            *(partial(openai, chat=False), "/v1/completions", {"prompt": PROMPT + CUT.text + ENDING}, 71 + 5),
        ),
    ],
)
def test_a_server_is_sent_the_beginning_of_the_answer(
    server: FaultyServer | OpenAIServer, engine: Any, path: str, sent: dict[str, Any], tokens: int
) -> None:
    found = with_engine(server, engine, lambda engine: forced(engine, PROMPT, CUT, SHORT, seed=3))
    assert (found.text, found.tokens) == (f"{CUT.text}{ENDING}10##.", tokens - PROMPT_TOKENS)
    request = server.requests[-1]
    assert (server.paths[-1], request | sent, "messages" in request) == (path, request, False)
    drawn = request.get("sampling_params", request)
    assert drawn.get("max_new_tokens", drawn.get("max_tokens")) == FINAL_TOKENS


def test_a_chat_that_goes_on_asks_for_log_probabilities_as_completions_do() -> None:
    server = OpenAIServer(content="10##.", tokens=2, logprobs={"token_logprobs": [-1.0, -0.5]})
    how, prompts = replace(SHORT, logprobs=True), partial(openai, prompts=TOKENS)
    found = with_engine(server, prompts, lambda engine: forced(engine, PROMPT, CUT, how, seed=3))
    assert (type(server.requests[-1]["logprobs"]), found.logprob) == (int, -0.75)


def test_the_experiment_cuts_at_the_budget_and_asks_for_what_is_read() -> None:
    shipped = read_experiment("gsm8k-forced")
    assert shipped.budget_by == "force"
    assert [shipped.max_new_tokens(budget) for budget in shipped.budgets] == list(shipped.budgets)
    with pytest.raises(BadInput, match="hashes"):
        read_experiment("gsm8k-forced", {"readers": "boxed"})

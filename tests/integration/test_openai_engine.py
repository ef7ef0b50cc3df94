"""The engine for OpenAI's interface against the real SGLang server, which has that interface, too."""

import asyncio
from pathlib import Path

import pytest

from harness.engines.base import Completion, Engine, EngineError, Sampling
from harness.engines.http.api_key import ApiKey
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location, read_experiment
from harness.questions.load import load_questions
from harness.run.plan import prompt_for, remaining_chunks
from results import BadInput

pytestmark = pytest.mark.integration

TINY = model_location("tiny")
GREEDY = Sampling(124, temperature=0.0, stop=("[END]",))
SAMPLED = Sampling(124, temperature=1.0, stop=("[END]",))


@pytest.fixture(scope="module")
def prompts() -> list[str]:
    experiment = read_experiment("tiny", {"budgets": "30", "chunk": "64"})
    questions = load_questions("tiny")[:6]
    return [prompt_for(experiment, chunk) for chunk in remaining_chunks(experiment, questions, {})]


def openai(url: str, chat: bool, model: str = TINY) -> OpenAIEngine:
    return OpenAIEngine(url, model, chat=chat, key=ApiKey("NO_KEY", ""))


def answers(engine: Engine, texts: list[str], n: int, sampling: Sampling) -> list[list[Completion]]:
    async def run() -> list[list[Completion]]:
        async with engine:
            return await asyncio.gather(*(engine.generate(text, n, sampling, seed=1) for text in texts))

    return asyncio.run(run())


@pytest.mark.parametrize("chat", [True, False])
def test_greedy_answers_are_those_of_sglangs_own_interface(
    sglang_url: str, prompts: list[str], chat: bool
) -> None:
    native = SGLangEngine(sglang_url, TINY, revision=None, chat=chat)
    assert answers(openai(sglang_url, chat), prompts, 1, GREEDY) == answers(native, prompts, 1, GREEDY)


@pytest.mark.parametrize("chat", [True, False])
def test_the_tokens_of_each_of_several_answers_are_its_own(
    sglang_url: str, prompts: list[str], chat: bool
) -> None:
    native = SGLangEngine(sglang_url, TINY, revision=None, chat=chat)
    several = answers(openai(sglang_url, chat), prompts, 16, SAMPLED)
    single = answers(native, prompts, 16, SAMPLED)
    assert [len(found) for found in several] == [16] * len(prompts)
    # A text comes about in one way nearly always: both interfaces then count the same tokens for it.
    known = {(prompt, c.text): c.tokens for prompt, found in zip(prompts, single, strict=True) for c in found}
    ours = {(prompt, c.text): c.tokens for prompt, found in zip(prompts, several, strict=True) for c in found}
    shared = known.keys() & ours.keys()
    assert len(shared) > 3
    assert sum(known[key] == ours[key] for key in shared) >= 0.8 * len(shared)
    assert len({c.tokens for found in several for c in found}) > 3
    assert len({c.text for found in several for c in found}) > 2 * len(prompts)


def test_a_prompt_beyond_the_context_fails_at_once(sglang_url: str) -> None:
    with pytest.raises(EngineError, match="refused with status 400"):
        answers(openai(sglang_url, chat=True), ["egg " * 5000], 2, SAMPLED)


def test_a_server_with_another_model_is_refused(sglang_url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"serves .*model, expected org/other"):
        answers(openai(sglang_url, chat=True, model="org/other"), ["egg"], 1, SAMPLED)

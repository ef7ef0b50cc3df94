"""The engine for OpenAI's interface against the real SGLang server, which has that interface, too."""

import asyncio

import pytest

from harness.engines.base import Completion, Engine, EngineError, Sampling
from harness.engines.http.api_key import ApiKey
from harness.engines.openai import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location, read_experiment
from harness.questions.load import load_questions
from harness.run.plan import prompt_for, remaining_chunks

pytestmark = pytest.mark.integration

TINY = model_location("tiny")
GREEDY = Sampling(124, temperature=0.0, stop=("[END]",))


@pytest.fixture(scope="module")
def prompts() -> list[str]:
    experiment = read_experiment("tiny", {"budgets": "30", "chunk": "64"})
    questions = load_questions("tiny")[:6]
    return [prompt_for(experiment, chunk) for chunk in remaining_chunks(experiment, questions, {})]


def openai(url: str, chat: bool) -> OpenAIEngine:
    return OpenAIEngine(url, TINY, chat=chat, key=ApiKey("NO_KEY", ""))


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


def test_a_prompt_beyond_the_context_fails_at_once(sglang_url: str) -> None:
    with pytest.raises(EngineError, match="refused with status 400"):
        answers(openai(sglang_url, chat=True), ["egg " * 5000], 1, GREEDY)

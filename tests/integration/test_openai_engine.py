"""The engine for OpenAI's interface against the real SGLang server, which has that interface, too."""

import pytest

from harness.engines.base import EngineError, Sampling
from harness.engines.http.api_key import ApiKey
from harness.engines.openai import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from tests.integration.test_sglang import QUESTIONS, TINY, answers, prompts

pytestmark = pytest.mark.integration

GREEDY = Sampling(124, temperature=0.0, stop=("[END]",))


def openai(url: str, chat: bool) -> OpenAIEngine:
    return OpenAIEngine(url, TINY, chat=chat, key=ApiKey("NO_KEY", ""))


@pytest.mark.parametrize("chat", [True, False])
def test_greedy_answers_are_those_of_sglangs_own_interface(sglang_url: str, chat: bool) -> None:
    native, texts = SGLangEngine(sglang_url, TINY, revision=None, chat=chat), prompts(QUESTIONS[:6], 30)
    assert answers(openai(sglang_url, chat), texts, 1, GREEDY) == answers(native, texts, 1, GREEDY)


def test_a_prompt_beyond_the_context_fails_at_once(sglang_url: str) -> None:
    with pytest.raises(EngineError, match="refused with status 400"):
        answers(openai(sglang_url, chat=True), ["egg " * 5000], 1, GREEDY)

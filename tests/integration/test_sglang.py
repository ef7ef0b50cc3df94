"""The client against the real SGLang server, and both engines against each other."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from statistics import mean, variance
from typing import Any

import pytest

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.engines.token_ids import PromptTokens
from harness.errors import EngineError
from harness.experiment import model_location, read_experiment
from harness.grader import Grader
from harness.http.sockets import ApiKey
from harness.questions.load import Question, load_questions
from harness.run.queries import prompt_for, remaining
from results import BadInput
from tests.harness.engines.servers import several

pytestmark = pytest.mark.server

TINY = model_location("tiny")
QUESTIONS = load_questions("tiny")[:20]


def local() -> CTranslate2Engine:
    return CTranslate2Engine(TINY, revision=None, chat=True, dtype="float32")


def remote(url: str) -> SGLangEngine:
    return SGLangEngine(url, TINY, revision=None, chat=True)


def prompts(questions: list[Question], budget: int) -> list[str]:
    experiment = read_experiment("tiny", {"budgets": str(budget), "samples": "1"})
    return [prompt_for(experiment, query) for query in remaining(experiment, questions, {})]


def answers(engine: Engine, texts: list[str], n: int, sampling: Sampling) -> list[list[Completion]]:
    async def run() -> list[list[Completion]]:
        async with engine:
            asked = (several(engine, text, n, sampling) for text in texts)
            return await asyncio.gather(*asked)

    return asyncio.run(run())


@pytest.mark.parametrize(("limit", "reasons"), [(184, {"stop"}), (7, {"length"})])
def test_greedy_answers_of_both_engines_are_equal(sglang_url: str, limit: int, reasons: set[str]) -> None:
    texts = prompts(QUESTIONS[:8], 20) + prompts(QUESTIONS[:8], 60)
    sampling = Sampling(limit, temperature=0.0, stop=("[END]",))
    ours, theirs = (answers(engine, texts, 1, sampling) for engine in (local(), remote(sglang_url)))
    for (mine,), (its,) in zip(ours, theirs, strict=True):
        assert replace(mine, seed=None) == replace(its, cached_tokens=None)
    assert reasons <= {answer.finish_reason for (answer,) in ours}


def test_sampled_answers_of_both_engines_come_from_one_distribution(sglang_url: str) -> None:
    n = 24
    texts = prompts(QUESTIONS, 40)
    sampling = Sampling(144, temperature=1.0, stop=("[END]",))
    ours = answers(local(), texts, n, sampling)
    theirs = answers(remote(sglang_url), texts, n, sampling)

    golds = [question.gold for question in QUESTIONS]
    for measure in (_correct, _tokens):
        differences, variances = [], []
        for gold, mine, its in zip(golds, ours, theirs, strict=True):
            a, b = [measure(c, gold) for c in mine], [measure(c, gold) for c in its]
            differences.append(mean(a) - mean(b))
            variances.append((variance(a) + variance(b)) / n)
        z = sum(differences) / math.sqrt(sum(variances))
        assert abs(z) < 4, measure.__name__
    # The bound is tight enough to be meaningful: the standard error of the accuracy is a few per cent.
    correct = [_correct(c, gold) for gold, found in zip(golds, theirs, strict=True) for c in found]
    assert 0.1 < mean(correct) < 0.9
    assert len({c.text for found in theirs for c in found}) > 4 * len(QUESTIONS)  # hardly any duplicates


def _correct(completion: Completion, gold: str) -> float:
    return float(Grader().read(completion.text).value == gold)


def _tokens(completion: Completion, _gold: str) -> float:
    return float(completion.tokens)


GREEDY = Sampling(124, temperature=0.0, stop=("[END]",))


def openai(url: str, chat: bool) -> OpenAIEngine:
    """An engine for the same server's OpenAI-compatible API."""
    return OpenAIEngine(url, TINY, chat=chat, key=ApiKey("NO_KEY", ""))


@pytest.mark.parametrize("chat", [True, False])
def test_greedy_answers_through_openais_interface_are_the_same(sglang_url: str, chat: bool) -> None:
    native, texts = SGLangEngine(sglang_url, TINY, revision=None, chat=chat), prompts(QUESTIONS[:6], 30)
    for (mine,), (its,) in zip(
        answers(openai(sglang_url, chat), texts, 1, GREEDY), answers(native, texts, 1, GREEDY), strict=True
    ):
        assert replace(mine, seed=None, cached_tokens=None) == replace(its, cached_tokens=None)


def test_log_probabilities_of_all_engines_are_equal(sglang_url: str) -> None:
    texts = prompts(QUESTIONS[:6], 30)
    for limit in (20, 124):
        sampling = replace(GREEDY, max_new_tokens=limit, logprobs=True)
        told = [
            [completion.logprob for (completion,) in answers(engine, texts, 1, sampling)]
            for engine in (local(), remote(sglang_url), openai(sglang_url, chat=True))
        ]
        assert all(value is not None and value < 0 for values in told for value in values)
        for values in told[1:]:
            assert values == pytest.approx(told[0], abs=1e-3)


def test_the_likeliest_first_tokens_are_the_same_through_both_interfaces(sglang_url: str) -> None:
    """Greedy decoding takes the first of them, and its reported log-probability is the one listed."""
    texts = prompts(QUESTIONS[:6], 30)
    sampling = Sampling(1, temperature=1.0, candidates=20)
    native, chats = (
        [completion.candidates or () for (completion,) in answers(engine, texts, 1, sampling)]
        for engine in (remote(sglang_url), openai(sglang_url, chat=True))
    )
    greedy = answers(local(), texts, 1, replace(GREEDY, max_new_tokens=1, logprobs=True))
    for here, there, (first,) in zip(native, chats, greedy, strict=True):
        assert len(here) == len(there) == 20
        assert dict(here) == pytest.approx(dict(there), abs=1e-3)
        assert here[0] == (first.text, pytest.approx(first.logprob, abs=1e-3))
        assert 0.5 < math.fsum(math.exp(value) for _, value in here) <= 1 + 1e-4


def test_a_server_that_keeps_no_budgets_of_thinking_is_refused(sglang_url: str) -> None:
    thinking: dict[str, Any] = {"chat": True, "thinking": True}
    native = SGLangEngine(sglang_url, TINY, revision=None, **thinking)
    with pytest.raises(BadInput, match=r"max_thinking_tokens requires .*--enable-strict-thinking"):
        answers(native, [], 1, GREEDY)
    tokens = PromptTokens(TINY, None, chat=True)
    chats = OpenAIEngine(sglang_url, TINY, key=ApiKey("NO_KEY", ""), prompts=tokens, **thinking)
    with pytest.raises(BadInput, match=r"custom_params\.thinking_budget: .* without any thinking"):
        answers(chats, [], 1, GREEDY)


@pytest.mark.parametrize("engine", [remote, lambda url: openai(url, chat=True)], ids=["native", "openai"])
def test_a_prompt_beyond_the_context_fails_at_once(engine: Callable[[str], Engine], sglang_url: str) -> None:
    with pytest.raises(EngineError, match="refused with status 400"):
        answers(engine(sglang_url), ["egg " * 5000], 1, GREEDY)

"""The engine against transformers with the same weights: greedy answers and frequencies of drawn tokens."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from harness.engines.base import Completion, Sampling
from harness.engines.ctranslate2.end_of_answer import EndOfAnswer
from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.engines.token_ids import PromptTokens
from harness.experiment import TINY_MODEL
from harness.questions.load import load_questions
from tests.harness.engines.servers import several

TEXTS = [
    f"{question.problem}\nUse around {budget} tokens."
    for question in load_questions("tiny")[:4]
    for budget in (10, 60)
]
GUESS, SAID = TEXTS[0], "The answer is ##"
"""At budget 10 the model guesses, so many different digits may follow."""
DRAWS = 4096
FEWEST = 5
"""Tokens with fewer expected draws than this are pooled into one class."""


@pytest.fixture(scope="module")
def model(transformers: Any, torch: Any) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(TINY_MODEL, dtype=torch.float32)


@pytest.fixture(scope="module")
def tokens() -> PromptTokens:
    return PromptTokens(str(TINY_MODEL), None, chat=True)


def drawn(texts: list[str], n: int, sampling: Sampling, said: str = "") -> list[list[Completion]]:
    async def run() -> list[list[Completion]]:
        async with CTranslate2Engine(str(TINY_MODEL), revision=None, chat=True) as engine:
            asked = (several(engine, text, n, sampling, said) for text in texts)
            return await asyncio.gather(*asked)

    return asyncio.run(run())


def test_greedy_answers_equal_those_of_generate(model: Any, torch: Any, tokens: PromptTokens) -> None:
    found = drawn(TEXTS, 2, Sampling(200, 0.0))
    for text, answers in zip(TEXTS, found, strict=True):
        prompt = torch.tensor([tokens.encode(text)])
        whole = model.generate(prompt, do_sample=False, max_new_tokens=200)
        expected = whole[0, prompt.shape[1] :].tolist()
        assert [answer.text for answer in answers] == [tokens.tokenizer.decode(expected)] * 2
        assert [answer.tokens for answer in answers] == [len(expected)] * 2


@pytest.mark.parametrize("sampling", [Sampling(40, 1.0), Sampling(200, 2.0, stop=("is",)), Sampling(9, 0.7)])
def test_log_probabilities_are_those_of_the_model_s_logits(
    model: Any, torch: Any, tokens: PromptTokens, sampling: Sampling
) -> None:
    found = drawn(TEXTS[:4], 8, replace(sampling, logprobs=True))
    compared = 0
    for text, answers in zip(TEXTS, found, strict=False):
        prompt = tokens.encode(text)
        for answer in answers:
            ids = tokens.plain(answer.text)
            if answer.finish_reason != "length" or len(ids) != answer.tokens:
                continue  # its end token or stop string is not in its text, or the text has other tokens
            with torch.inference_mode():
                logits = model(torch.tensor([[*prompt, *ids]])).logits[0, len(prompt) - 1 : -1]
            chances = torch.log_softmax(logits.double(), dim=-1)
            expected = chances[range(len(ids)), list(ids)].mean().item()
            assert answer.logprob == pytest.approx(expected, abs=1e-4)
            compared += 1
    assert compared >= 3 or sampling.stop
    assert all(answer.logprob is not None and answer.logprob < 0 for rows in found for answer in rows)


def test_log_probabilities_are_of_the_tokens_that_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small model goes on after a stop string that it spells out in several tokens, as here always."""
    monkeypatch.setattr(EndOfAnswer, "enders", lambda self: (sorted(self._end_tokens), True))
    lengths: list[int] = []
    monkeypatch.setattr(
        CTranslate2Engine, "_mean_logprob", lambda _, _prompt, answer: lengths.append(len(answer))
    )
    found = drawn(TEXTS[:2], 8, Sampling(200, 2.0, stop=("is",), logprobs=True))
    assert sorted(lengths) == sorted(answer.tokens for answers in found for answer in answers)


@pytest.mark.parametrize(
    ("temperature", "top_p", "top_k"),
    [(0.7, 1.0, -1), (3.0, 1.0, 1000), (2.0, 0.8, -1), (2.0, 0.8, 5)],
)
def test_tokens_come_up_as_often_as_the_model_s_logits_say(
    model: Any, torch: Any, tokens: PromptTokens, temperature: float, top_p: float, top_k: int
) -> None:
    """Chi-square test on a guess's first digit; each of the four cases has a false alarm in a million."""
    ids, sampling = tokens.go_on(GUESS, SAID), Sampling(1, temperature, top_p, top_k)
    found = Counter(answer.text for answer in drawn([GUESS], DRAWS, sampling, SAID)[0])
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0, -1].double().numpy()

    wanted = Counter[str]()
    for token, chance in enumerate(definition(logits / temperature, top_p, top_k)):
        wanted[tokens.tokenizer.decode([token], skip_special_tokens=True)] += DRAWS * chance

    assert found.keys() <= {text for text, times in wanted.items() if times > 0}
    common = [text for text, times in wanted.items() if times >= FEWEST]
    observed, expected = [found[text] for text in common], [wanted[text] for text in common]
    if DRAWS - sum(expected) > 1:
        observed.append(DRAWS - sum(observed))
        expected.append(DRAWS - sum(expected))
    assert len(common) >= 3
    assert chisquare(observed, np.array(expected) * (sum(observed) / sum(expected))).pvalue > 1e-6


def definition(logits: np.ndarray, top_p: float, top_k: int) -> np.ndarray:
    """Each token's probability: softmax, then only the k likeliest, then the smallest set reaching top_p."""
    weights = np.exp(logits - logits.max())
    order = np.argsort(-weights)
    if top_k != -1:
        weights[order[top_k:]] = 0
    weights /= weights.sum()
    reached = 0.0
    for token in order:
        if reached >= top_p:
            weights[token] = 0
        reached += weights[token]
    return weights / weights.sum()

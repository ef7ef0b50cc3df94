"""The decoding loop against transformers' own `generate`, and against the model's probabilities."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
import torch

from harness.engines.base import Sampling
from harness.engines.tokens import PromptTokens
from harness.engines.transformers.choosing import chooser
from harness.engines.transformers.decoding import Request, decode
from harness.experiment import model_location
from harness.questions.load import load_questions
from harness.server.cpu.torchvision_names import declare_torchvision_operations

declare_torchvision_operations()

VOCABULARY = 50


def configuration(kind: str) -> Any:
    import transformers

    shape = {"vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256}
    if kind == "gpt2":
        ends = {"bos_token_id": 0, "eos_token_id": 0}
        shape = {"vocab_size": VOCABULARY, "n_positions": 256, "n_embd": 32, "n_layer": 2, "n_head": 4}
        return transformers.GPT2Config(**shape, **ends)
    if kind == "sliding window":
        return transformers.MistralConfig(**shape, **heads, sliding_window=8)
    return transformers.LlamaConfig(**shape, **heads)


def random_model(kind: str) -> Any:
    import transformers

    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(configuration(kind))
    with torch.no_grad():  # far from a tie between two tokens
        model.get_output_embeddings().weight.mul_(20)
    return model.eval()


def never(_tokens: Sequence[int]) -> bool:
    return False


@pytest.mark.parametrize("kind", ["llama", "gpt2", "sliding window"])
def test_greedy_answers_equal_those_of_generate(kind: str) -> None:
    model = random_model(kind)
    rng = torch.Generator().manual_seed(1)
    lengths = (3, 17, 9, 30)
    prompts = [tuple(torch.randint(VOCABULARY, (n,), generator=rng).tolist()) for n in lengths]
    requests = [Request(prompt, n=2, seed=0) for prompt in prompts]
    limit = 45  # past the room of the cache

    def ends(tokens: Sequence[int]) -> bool:
        return sum(tokens) % 11 == 7  # at different times, so that rows leave the batch

    answers = decode(model, requests, limit, chooser(Sampling(limit, 0.0)), ends)
    for prompt, drawn in zip(prompts, answers, strict=True):
        ids = torch.tensor([prompt])
        whole = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=limit,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
        )
        reference = whole[0, len(prompt) :].tolist()
        end = next((index + 1 for index in range(limit) if ends(reference[: index + 1])), limit)
        assert drawn == [reference[:end]] * 2
    assert len({len(drawn[0]) for drawn in answers}) > 1


def test_the_limit_is_kept() -> None:
    model = random_model("llama")
    for limit in (1, 2, 33):
        (drawn,) = decode(model, [Request((1, 2), 3, 0)], limit, chooser(Sampling(limit, 1.0)), never)
        assert [len(tokens) for tokens in drawn] == [limit] * 3


@cache
def tiny_model() -> Any:
    import transformers

    return transformers.AutoModelForCausalLM.from_pretrained(model_location("tiny"), dtype="float32")


def tiny_prompts(count: int) -> list[tuple[int, ...]]:
    tokens = PromptTokens(model_location("tiny"), None, chat=True)
    return [tokens.encode(f"{q.problem}\nUse around 40 tokens.") for q in load_questions("tiny")[:count]]


def test_tokens_are_drawn_with_the_model_s_probabilities() -> None:
    (prompt,) = tiny_prompts(1)
    n = 4000
    (drawn,) = decode(tiny_model(), [Request(prompt, n, seed=3)], 2, chooser(Sampling(2, 1.0)), never)
    with torch.inference_mode():
        first = tiny_model()(torch.tensor([prompt])).logits[0, -1].softmax(-1)
        likeliest = int(first.argmax())
        second = tiny_model()(torch.tensor([[*prompt, likeliest]])).logits[0, -1].softmax(-1)
    after = [tokens[1] for tokens in drawn if tokens[0] == likeliest]
    assert len(after) > n / 10
    for tokens, expected in (([tokens[0] for tokens in drawn], first), (after, second)):
        counts = Counter(tokens)
        for token, probability in enumerate(expected.tolist()):
            spread = math.sqrt(len(tokens) * probability * (1 - probability))
            assert abs(counts[token] - len(tokens) * probability) <= 5 * spread + 3


def test_an_answer_does_not_depend_on_what_else_is_in_the_batch() -> None:
    prompts = tiny_prompts(4)
    requests = [Request(prompt, n=16, seed=index) for index, prompt in enumerate(prompts)]
    end = tiny_model().generation_config.eos_token_id

    def ends(tokens: Sequence[int]) -> bool:
        return tokens[-1] == end

    choose = chooser(Sampling(60, 1.0))
    together = decode(tiny_model(), requests, 60, choose, ends)
    alone = [decode(tiny_model(), [request], 60, choose, ends)[0] for request in requests]
    pairs = [(a, b) for x, y in zip(together, alone, strict=True) for a, b in zip(x, y, strict=True)]
    # Sums of another order may round a number across the border between two tokens, once in a long while.
    assert sum(a == b for a, b in pairs) >= 0.95 * len(pairs)


def test_seeds_make_answers_differ() -> None:
    (prompt,) = tiny_prompts(1)
    requests = [Request(prompt, n=8, seed=0), Request(prompt, n=8, seed=1), Request(prompt, n=8, seed=0)]
    first, second, third = decode(tiny_model(), requests, 20, chooser(Sampling(20, 1.0)), never)
    assert first == third
    assert first != second
    assert len({tuple(tokens) for tokens in first}) > 1

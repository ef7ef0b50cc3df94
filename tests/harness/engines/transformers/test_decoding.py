"""The decoding loop against transformers' own `generate`, and token by token against the model itself."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
import transformers

from harness.engines.base import Sampling
from harness.engines.tokens import PromptTokens
from harness.engines.transformers.decoding import Decoder, Request
from harness.experiment import model_location
from harness.questions.load import load_questions

VOCABULARY = 50
ROUNDING = 1e-3
"""How far a probability may be off: sums in another order, in single precision."""
KINDS = ["tiny", "llama", "gpt2", "another scale", "sliding window"]


def load(kind: str) -> Any:
    """The tiny model, or a random one in which position and context matter as much as the last token."""
    if kind == "tiny":
        return transformers.AutoModelForCausalLM.from_pretrained(model_location("tiny"), dtype="float32")
    shape = {"vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    shape |= {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256}
    if kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=VOCABULARY, n_positions=256, n_embd=32, n_layer=2, n_head=4, bos_token_id=0
        )
    elif kind == "another scale":
        config = transformers.GraniteConfig(**shape, attention_multiplier=0.7)
    elif kind == "sliding window":
        config = transformers.MistralConfig(**shape, sliding_window=8)
    else:
        config = transformers.LlamaConfig(**shape)
    config.initializer_range = 0.5
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def prompts_for(kind: str) -> list[tuple[int, ...]]:
    """Four prompts of different lengths."""
    if kind == "tiny":
        tokens = PromptTokens(model_location("tiny"), None, chat=True)
        found = [tokens.encode(f"{q.problem}\nUse around 10 tokens.") for q in load_questions("tiny")[:40]]
        by_length = list({len(prompt): prompt for prompt in found}.values())
        return by_length[:4]
    rng = torch.Generator().manual_seed(1)
    return [tuple(torch.randint(VOCABULARY, (n,), generator=rng).tolist()) for n in (3, 17, 9, 30)]


def ends_at(kind: str, model: Any) -> Any:
    """Answers end at different times, so that rows leave the batch."""
    if kind == "tiny":
        end = model.generation_config.eos_token_id
        return lambda tokens: tokens[-1] == end
    return lambda tokens: sum(tokens) % 11 == 7


def decode(
    model: Any,
    requests: Sequence[tuple[tuple[int, ...], int, int]],
    sampling: Sampling,
    ends: Any,
    said: int = 0,
) -> list[list[list[int]]]:
    """The answers to requests (prompt, n, seed), of which two join later than the others.

    The last `said` tokens of each prompt are given as the beginning of an answer.
    """
    asked = [
        Request(prompt[: len(prompt) - said], prompt[len(prompt) - said :], n, seed, sampling, ends)
        for prompt, n, seed in requests
    ]
    decoder, found = Decoder(model), dict[Request, list[list[int]]]()
    joining = [*asked]
    while len(found) < len(asked):
        if len(joining) > 2:
            decoder.add(joining.pop(0))
        else:
            found |= dict(decoder.step())
            joining, late = [], joining
            for request in late:
                decoder.add(request)
    model.set_attn_implementation("sdpa")
    return [found[request] for request in asked]


def never(_tokens: Sequence[int]) -> bool:
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_answers_equal_those_of_generate(kind: str) -> None:
    model, prompts = load(kind), prompts_for(kind)
    ends = ends_at(kind, model)
    limit = 45  # past the room of the cache
    answers = decode(model, [(prompt, 2, 0) for prompt in prompts], Sampling(limit, 0.0), ends)
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
    assert kind == "tiny" or len({len(drawn[0]) for drawn in answers}) > 1


@pytest.mark.parametrize("said", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_each_token_follows_from_the_model_and_the_request_s_own_random_numbers(kind: str, said: int) -> None:
    """The model is run anew on each answer alone: no padding, no cache, no other rows."""
    model, prompts = load(kind), prompts_for(kind)
    limit = 40
    requests = [(prompt, 12, index) for index, prompt in enumerate(prompts)]
    requests += [(prompts[0], 12, 7), (prompts[0], 12, 0)]
    ends = ends_at(kind, model)
    answers = decode(model, requests, Sampling(limit, 1.0), ends, said)
    for (prompt, n, seed), drawn in zip(requests, answers, strict=True):
        rng = torch.Generator().manual_seed(seed)
        uniform = torch.stack([torch.rand(n, generator=rng) for _ in range(limit)], dim=1)
        for numbers, tokens in zip(uniform, drawn, strict=True):
            with torch.inference_mode():
                logits = model(torch.tensor([[*prompt, *tokens]])).logits[0]
            probabilities = logits[len(prompt) - 1 : -1].double().softmax(-1)
            chosen = torch.tensor(tokens)[:, None]
            upper = probabilities.cumsum(-1).gather(1, chosen)[:, 0]
            lower = upper - probabilities.gather(1, chosen)[:, 0]
            numbers = numbers[: len(tokens)]
            assert ((lower - ROUNDING < numbers) & (numbers < upper + ROUNDING)).all()
            first_end = next((i + 1 for i in range(len(tokens)) if ends(tokens[: i + 1])), limit)
            assert len(tokens) == first_end
    assert answers[0] == answers[-1]
    assert len({len(tokens) for drawn in answers for tokens in drawn}) > 2  # rows have left the batch early


def test_a_prompt_is_passed_over_once_for_all_that_goes_on_from_it() -> None:
    model, passes = load("llama"), list[int]()
    model.register_forward_pre_hook(
        lambda _model, _given, named: passes.append(named["input_ids"].shape[1]), with_kwargs=True
    )
    decoder = Decoder(model)
    for said in ((), (7, 8), (9,) * 4):
        decoder.add(Request((1, 2, 3, 4, 5), said, 2, 0, Sampling(3, 1.0), never))
        while not decoder.step():
            pass
    assert [tokens for tokens in passes if tokens > 1] == [5, 2, 4]


def test_the_limit_is_kept() -> None:
    model = load("llama")
    for limit in (1, 2, 80):  # also past the room of the cache, twice
        (drawn,) = decode(model, [((1, 2), 3, 0)], Sampling(limit, 1.0), never)
        assert [len(tokens) for tokens in drawn] == [limit] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_whose_attention_is_shared_rightly_is_taken(kind: str) -> None:
    Decoder(load(kind)).check()


def test_a_model_with_another_kind_of_attention_is_refused() -> None:
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    shape |= {
        "num_key_value_heads": 2,
        "head_dim": 8,
        "attn_logit_softcapping": 0.1,
        "initializer_range": 0.5,
    }
    capped = transformers.Gemma2Config(vocab_size=VOCABULARY, **shape)
    bloom = transformers.BloomConfig(vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4)
    for config in (capped, bloom):
        with pytest.raises(ValueError, match="attention"):
            Decoder(transformers.AutoModelForCausalLM.from_config(config).eval()).check()

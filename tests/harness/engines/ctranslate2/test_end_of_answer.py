"""Stop strings, checked against a search of the whole text, where tokens are words, characters or bytes."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.engines.ctranslate2.end_of_answer import EndOfAnswer
from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location


@cache
def tiny() -> Any:
    return PromptTokens(model_location("tiny"), None, chat=True).tokenizer


def of_letters(alphabet: Iterable[str]) -> Any:
    """A tokenizer with one token for each letter of the alphabet."""
    from tokenizers import Tokenizer, models

    vocabulary = {letter: index for index, letter in enumerate(sorted(alphabet))}
    return Tokenizer(models.BPE(vocab=vocabulary, merges=[]))


@cache
def byte_level() -> Any:
    """A tokenizer whose tokens are bytes: a non-ASCII character takes several."""
    from tokenizers import decoders, pre_tokenizers

    tokenizer = of_letters(pre_tokenizers.ByteLevel.alphabet())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@cache
def metaspace() -> Any:
    """A tokenizer of characters whose decoder strips a leading space, as SentencePiece does."""
    from tokenizers import decoders, pre_tokenizers

    tokenizer = of_letters({"▁", *"".join(PIECES)} - {" "})
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    return tokenizer


def ids(tokenizer: Any, text: str) -> list[int]:
    found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return found


PIECES = ["[END]", " [END]", "[", "E", "N", "D", "]", "EN", "Q:", "\n", " ", "é", "終", "。", "x"]


@pytest.mark.parametrize("make", [tiny, byte_level, metaspace])
@settings(max_examples=200)
@example(pieces=["x", " ", "EN"], stop=(" E",))
@example(pieces=["x", "終", "。", "x"], stop=("終。",))
@example(pieces=["x", "[", "EN", "D", "]"], stop=("[END]",))
@given(
    pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=12),
    stop=st.sampled_from([("[END]",), ("\nQ:", "Q:"), ("]", "ND"), ("終。",), (" E",)]),
)
def test_an_answer_ends_where_a_stop_string_is_complete(
    make: Any, stop: tuple[str, ...], pieces: list[str]
) -> None:
    tokenizer = make()
    tokens = [token for piece in pieces for token in ids(tokenizer, piece)]
    rule = EndOfAnswer(tokenizer, frozenset(), stop)
    texts = [tokenizer.decode(tokens[:end], skip_special_tokens=False) for end in range(len(tokens) + 1)]
    first = next((end for end, text in enumerate(texts) if any(s in text for s in stop)), None)

    found = next((end for end in range(1, len(tokens) + 1) if rule.ends(tokens[:end])), None)

    assert found == first
    assert rule.whole(tokens) == tokens[:first]
    whole = tokenizer.decode(tokens[:first], skip_special_tokens=True)
    expected = min([whole.index(s) for s in stop if s in whole], default=len(whole))
    assert rule.text(tokens[:first]) == whole[:expected]


@pytest.mark.parametrize("make", [tiny, byte_level, metaspace])
@pytest.mark.parametrize("stop", [(), ("[END]",), ("]", "ND"), (" E",), ("Q:", "]")])
def test_a_token_that_ends_any_answer_does_so_after_anything(make: Any, stop: tuple[str, ...]) -> None:
    tokenizer = make()
    rule = EndOfAnswer(tokenizer, frozenset({3}), stop)
    enders, covered = rule.enders()
    before = ids(tokenizer, "x E")
    for token in range(tokenizer.get_vocab_size()):
        assert token not in enders or rule.ends([*before, token])
        assert token in enders or not rule.ends([token])
    alone = [all(s not in tokenizer.decode([t], skip_special_tokens=False) for t in enders) for s in stop]
    assert covered == (not any(alone))


def test_end_tokens_end_an_answer_and_are_not_in_its_text() -> None:
    tokenizer = tiny()
    end = tokenizer.token_to_id("<|end|>")
    rule = EndOfAnswer(tokenizer, frozenset({end}), ())
    tokens = ids(tokenizer, "The answer")
    assert not rule.ends(tokens)
    assert rule.ends([*tokens, end])
    assert rule.whole([*tokens, end]) == [*tokens, end]
    assert rule.text([*tokens, end]) == "The answer"

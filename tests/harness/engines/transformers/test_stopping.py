"""Stop strings against a search of the whole text, for tokens that are words, characters and bytes."""

from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.engines.tokens import PromptTokens
from harness.engines.transformers.stopping import StopRule
from harness.experiment import model_location


@cache
def tiny() -> Any:
    return PromptTokens(model_location("tiny"), None, chat=True).tokenizer


@cache
def byte_level() -> Any:
    """A tokenizer with one token a byte: a character outside ASCII takes several."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={char: index for index, char in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False)


@cache
def metaspace() -> Any:
    """A tokenizer with one token a character, whose decoder strips a first space as SentencePiece does."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted({"▁", *"".join(PIECES)} - {" "})
    tokenizer = Tokenizer(models.BPE(vocab={char: index for index, char in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False)


PIECES = ["[END]", " [END]", "[", "E", "N", "D", "]", "EN", "Q:", "\n", " ", "é", "終", "。", "x"]


@pytest.mark.parametrize("make", [tiny, byte_level, metaspace])
@settings(deadline=None)  # the first example loads the tokenizer
@example(pieces=["x", " ", "EN"])
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=12))
@pytest.mark.parametrize("stop", [("[END]",), ("\nQ:", "Q:"), ("]", "ND"), ("終。",), (" E",)])
def test_an_answer_ends_where_a_stop_string_is_complete(
    make: Any, stop: tuple[str, ...], pieces: list[str]
) -> None:
    tokenizer = make()
    tokens = [token for piece in pieces for token in tokenizer(piece, add_special_tokens=False)["input_ids"]]
    rule = StopRule(tokenizer, frozenset(), stop)
    first = next(
        (end for end in range(1, len(tokens) + 1) if any(s in tokenizer.decode(tokens[:end]) for s in stop)),
        None,
    )
    found = next((end for end in range(1, len(tokens) + 1) if rule.ends(tokens[:end])), None)
    assert found == first
    whole = tokenizer.decode(tokens[:first], skip_special_tokens=True)
    expected = min([whole.index(s) for s in stop if s in whole], default=len(whole))
    assert rule.text(tokens[:first]) == whole[:expected]


def test_end_tokens_end_an_answer_and_are_not_in_its_text() -> None:
    tokenizer = tiny()
    end = tokenizer.eos_token_id
    rule = StopRule(tokenizer, frozenset({end}), ())
    tokens = tokenizer("The answer", add_special_tokens=False)["input_ids"]
    assert not rule.ends(tokens)
    assert rule.ends([*tokens, end])
    assert rule.text([*tokens, end]) == "The answer"

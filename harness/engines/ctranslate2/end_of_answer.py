"""When an answer ends: at an end token, or with a stop string.

    tokens of " The answer is ##18##. [END] Then" with stop=("[END]",)
    -> whole(tokens) drops " Then"; text " The answer is ##18##. "

SGLang does the same, so that texts and token counts of the two engines can be compared.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any


class EndOfAnswer:
    """The end tokens and stop strings of one kind of request; `tokenizer` is a tokenizers.Tokenizer."""

    def __init__(self, tokenizer: Any, end_tokens: frozenset[int], stop: tuple[str, ...]) -> None:
        self._tokenizer = tokenizer
        self._end_tokens = end_tokens
        self._stop = stop
        # Each token holds at least one byte of it; plus one, as some decoders strip a leading space.
        self._tail = max((len(text.encode()) for text in stop), default=0) + 1

    def ends(self, tokens: Sequence[int]) -> bool:
        """Whether the newest of `tokens` ends the answer."""
        return tokens[-1] in self._end_tokens or self._stopped(tokens[-self._tail :])

    def enders(self) -> tuple[list[int], bool]:
        """The tokens that end an answer whatever precedes them, and whether each stop string has one.

        A model is likely to write a stop string that it was trained on as one token that holds all of it,
        but it may still spell it out in several.
        """
        if not self._stop:
            return sorted(self._end_tokens), True
        ids = range(self._tokenizer.get_vocab_size())
        texts = {token: self._tokenizer.decode([token], skip_special_tokens=False) for token in ids}
        holders = {stop: [token for token, text in texts.items() if stop in text] for stop in self._stop}
        whole = {token for tokens in holders.values() for token in tokens}
        return sorted(self._end_tokens | whole), all(holders.values())

    def whole(self, tokens: Sequence[int]) -> Sequence[int]:
        """`tokens` up to the one that completes a stop string, if any; an end token is always the last."""
        if not self._stopped(tokens[:-1]):
            return tokens
        return tokens[: bisect_left(range(len(tokens)), True, key=lambda end: self._stopped(tokens[:end]))]

    def text(self, tokens: Sequence[int]) -> str:
        """The answer's text up to the first stop string."""
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        positions = [position for stop in self._stop if (position := text.find(stop)) >= 0]
        return text[: min(positions)] if positions else text

    def _stopped(self, tokens: Sequence[int]) -> bool:
        text = self._tokenizer.decode(list(tokens), skip_special_tokens=False)
        return any(stop in text for stop in self._stop)

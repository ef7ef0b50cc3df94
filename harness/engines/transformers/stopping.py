"""When an answer ends: at an end token, or with a stop string.

    tokens of " The answer is ##18##. [END]" with stop=("[END]",)
    -> ends at the token that completes "[END]"; text " The answer is ##18##. "

SGLang does the same, so that texts and token counts of the two engines can be compared.
"""

from collections.abc import Sequence
from typing import Any


class StopRule:
    """The end tokens and stop strings of one kind of request."""

    def __init__(self, tokenizer: Any, end_tokens: frozenset[int], stop: tuple[str, ...]) -> None:
        self._tokenizer = tokenizer
        self._end_tokens = end_tokens
        self._stop = stop
        # A token holds at least one byte of the stop string; one more, as some decoders strip a first space.
        self._tail = max((len(text.encode()) for text in stop), default=0) + 1

    def ends(self, tokens: Sequence[int]) -> bool:
        """Whether the newest of `tokens` ends the answer."""
        tail = self._tokenizer.decode(tokens[-self._tail :])
        return tokens[-1] in self._end_tokens or any(text in tail for text in self._stop)

    def text(self, tokens: Sequence[int]) -> str:
        """The answer's text up to the first stop string."""
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True)
        found = [position for stop in self._stop if (position := text.find(stop)) >= 0]
        return text[: min(found)] if found else text

"""When an answer ends: at an end token, or with a stop string.

    tokens of " The answer is ##18##. [END]" with stop=("[END]",)
    -> ends at the token that completes "[END]"; text " The answer is ##18##. "

SGLang does the same, so that texts and token counts of the two engines can be compared.
"""

from collections.abc import Sequence
from typing import Any

REPLACEMENT = "\ufffd"  # part of a character decodes to this


class StopRule:
    """The end tokens and stop strings of one kind of request."""

    def __init__(self, tokenizer: Any, end_tokens: frozenset[int], stop: tuple[str, ...]) -> None:
        self._tokenizer = tokenizer
        self._end_tokens = end_tokens
        self._stop = stop
        # A token holds at least one byte of the stop string; one more, as some decoders strip a first space.
        self._tail = max((len(text.encode()) for text in stop), default=0) + 1
        self._suspects = self._tokens_that_may_complete_a_stop()

    def _tokens_that_may_complete_a_stop(self) -> frozenset[int]:
        """The tokens that hold the last character of a stop string: only these need a closer look."""
        if not self._stop:
            return frozenset()
        last = {text[-1] for text in self._stop} | {REPLACEMENT}
        before = self._tokenizer("a", add_special_tokens=False)["input_ids"]  # keeps a token's leading space
        skipped = len(self._tokenizer.decode(before))
        pieces = self._tokenizer.batch_decode([[*before, token] for token in range(len(self._tokenizer))])
        return frozenset(token for token, piece in enumerate(pieces) if not last.isdisjoint(piece[skipped:]))

    def ends(self, tokens: Sequence[int]) -> bool:
        """Whether the newest of `tokens` ends the answer."""
        if tokens[-1] in self._end_tokens:
            return True
        if tokens[-1] not in self._suspects:
            return False
        tail = self._tokenizer.decode(tokens[-self._tail :])
        return any(text in tail for text in self._stop)

    def text(self, tokens: Sequence[int]) -> str:
        """The answer's text up to the first stop string."""
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True)
        found = [position for stop in self._stop if (position := text.find(stop)) >= 0]
        return text[: min(found)] if found else text

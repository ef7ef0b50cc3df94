"""How fast a session samples, in the steady middle of it.

Only answers that have ended can be counted. The beginning thus looks slow, as none has ended yet, and so does
the end, when fewer and fewer are under way. Rates are of the time in between: from when as many answers have
ended as are in flight until nothing is left to ask for.
"""

import time


class Pace:
    """What a session has added, and how fast."""

    def __init__(self, in_flight: int) -> None:
        """`in_flight`: the answers that are asked for at a time."""
        self.answers = self.tokens = 0
        self.ending = False
        """Set once nothing is left to ask for."""
        self._in_flight = in_flight
        self._first: tuple[float, int, int] | None = None
        """Time, answers and tokens where the steady middle begins; `_last` is where it ends."""
        self._last = (0.0, 0, 0)

    def add(self, answers: int, tokens: int) -> None:
        """Count answers that have ended."""
        self.answers += answers
        self.tokens += tokens
        if self.answers >= self._in_flight and not self.ending:
            self._last = (time.monotonic(), self.answers, self.tokens)
            self._first = self._first or self._last

    def rates(self) -> tuple[float, float] | None:
        """Answers and tokens a second; None as long as they are not known."""
        if self._first is None or self._last[0] <= self._first[0]:
            return None
        seconds, answers, tokens = (last - first for last, first in zip(self._last, self._first, strict=True))
        return answers / seconds, tokens / seconds

"""How fast a session samples, measured in its steady phase.

Only finished answers can be counted. The beginning thus looks slow, as none has finished yet,
and so does the end, when fewer and fewer are in flight. Rates are measured in between: from when
as many answers have finished as are in flight until nothing is left to request. The time left is
estimated from the last minutes of that phase.
"""

import time
from collections import deque

RECENT_SECONDS = 300.0
STUCK_SECONDS = 120.0
"""A session that had answers and then none for this long is said to be stuck."""


class Pace:
    """Counts what a session adds, and how fast."""

    def __init__(self, in_flight: int) -> None:
        """`in_flight`: the number of answers requested at a time."""
        self.answers = self.tokens = 0
        self.ending = False
        """Set once nothing is left to request."""
        self._in_flight = in_flight
        self._latest = time.monotonic()
        """When the last answer ended, or the session began."""
        self._marks: deque[tuple[float, int]] = deque()
        """Times in the steady phase, up to RECENT_SECONDS back, and the answers until then."""
        self._first: tuple[float, int, int] | None = None
        """Time, answers and tokens at the beginning of the steady phase; `_last`: at its end."""
        self._last = (0.0, 0, 0)

    def add(self, answers: int, tokens: int) -> None:
        """Count answers that have ended."""
        self.answers += answers
        self.tokens += tokens
        self._latest = time.monotonic()
        if self.answers >= self._in_flight and not self.ending:
            self._last = (self._latest, self.answers, self.tokens)
            self._marks.append((self._latest, self.answers))
            while self._latest - self._marks[0][0] > RECENT_SECONDS and len(self._marks) > 2:
                self._marks.popleft()
            self._first = self._first or self._last

    def rates(self) -> tuple[float, float] | None:
        """Answers/s and tokens/s; None while they are unknown."""
        if self._first is None or self._last[0] <= self._first[0]:
            return None
        seconds, answers, tokens = (last - first for last, first in zip(self._last, self._first, strict=True))
        return answers / seconds, tokens / seconds

    def seconds_left(self, answers: int) -> float | None:
        """How long `answers` more take at the rate of the last minutes, silence included; None if unknown."""
        if self.rates() is None:
            return None
        (first, before), (last, until) = self._marks[0], self._marks[-1]
        seconds = (last if self.ending else time.monotonic()) - first
        return answers * seconds / (until - before) if until > before else None

    def stuck_for(self) -> float | None:
        """Seconds since the last answer, if there was one and they reach STUCK_SECONDS; else None."""
        silent = time.monotonic() - self._latest
        return silent if self.answers and silent >= STUCK_SECONDS else None

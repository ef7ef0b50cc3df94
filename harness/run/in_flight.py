"""How many requests to keep in flight: as many as make the server faster, never more than a ceiling.

    limit       32      64     128      64
    tokens/s  7,600  13,900  13,800  13,900     128 did not pay: back to 64, and tried again later

A server works on many answers at once and queues the rest itself, but only it knows how many. Fewer requests
leave it idle; more wait in its queue, where a slow reply cannot be told from a lost one. So the limit is
doubled while that pays, and lowered by a quarter when the server says that it has too much; after that it
grows in smaller steps. It is judged by tokens: answers in different settings are of very different lengths.
"""

import asyncio
import math
import time
from collections.abc import Callable

START = 32
"""With answers in chunks of 16, enough to fill a small server at once."""
PAYS = 1.05
"""A larger limit is kept where it brings this many times the tokens a second."""
LEAST_GROWTH, MOST_GROWTH = 1.125, 2.0
"""A larger limit, as a multiple of the one before."""
FIRST_HOLD, LONGEST_HOLD = 4, 64
"""Rounds until a larger limit is tried again; every time that one did not pay, twice as many."""


class InFlight:
    """The requests in flight, and the limit on them. A round is as many replies as the limit."""

    def __init__(self, ceiling: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self.now = 0
        self.limit = self.highest = min(START, ceiling)
        self._ceiling = ceiling
        self._clock = clock
        self._freed = asyncio.Event()
        self._growth = MOST_GROWTH
        self._hold = FIRST_HOLD
        self._before: tuple[int, float] | None = None
        """While a larger limit is tried: the limit and the tokens a second before."""
        self._unheard = 0
        """Replies that may still tell of the overload for which the limit was lowered."""
        self._rounds = 1
        self._settling = self.limit
        """Replies until the server has filled up under the limit as it is now, and measuring begins."""

    async def start(self) -> None:
        """Wait until one more may be in flight, and count it."""
        while self.now >= self.limit:
            self._freed.clear()
            await self._freed.wait()
        self.now += 1

    def end(self, tokens: int, overloaded: bool = False) -> None:
        """Count a request that brought `tokens`; `overloaded`: since the last, the server had too much."""
        self.now -= 1
        self._freed.set()
        if overloaded and not self._unheard:
            self._unheard = self.now
            self._growth = max(LEAST_GROWTH, math.sqrt(self._growth))
            self._retreat(self._before[0] if self._before else max(1, self.limit * 3 // 4))
            return
        self._unheard = max(0, self._unheard - 1)
        if self._settling:
            self._settling -= 1
            if not self._settling:
                self._replies, self._tokens, self._since = 0, 0, self._clock()
            return
        self._replies += 1
        self._tokens += tokens
        if self._replies >= self._rounds * self.limit:
            self._judge(self._tokens / max(self._clock() - self._since, 1e-9))

    def _judge(self, rate: float) -> None:
        """Go back from a limit that did not pay, else try a larger one."""
        if self._before:
            if rate < PAYS * self._before[1]:
                self._retreat(self._before[0])
                return
            self._growth, self._hold = min(MOST_GROWTH, self._growth**2), FIRST_HOLD
        self._before = self.limit, rate
        larger = max(self.limit + 1, int(self.limit * self._growth))
        self._change(min(self._ceiling, larger), rounds=1)

    def _retreat(self, limit: int) -> None:
        """Stay at `limit` for a while, the next time for longer."""
        self._before = None
        self._change(limit, self._hold)
        self._hold = min(2 * self._hold, LONGEST_HOLD)

    def _change(self, limit: int, rounds: int) -> None:
        """Measure over so many rounds, once as many requests have come back as are in flight now."""
        self.limit, self._rounds, self._settling = limit, rounds, max(1, self.now)
        self.highest = max(limit, self.highest)

"""When a request is asked again, after which pause, and when it is given up.

    429 with `Retry-After: 3`         -> Busy: after 3 s, and for ten minutes if need be
    500, half a reply, not JSON       -> TryAgain: after about 1, 2, 4, 8 and 16 s
    connection refused, 502, 503      -> Away: likewise, once the server is ready again
    no reply in many times the others -> Stuck: likewise, twice more

A limit on a request's time takes the others' as its measure. A fixed one would be too short for some machine,
and would there cut off long answers more often than short ones: those that are left would be too short.
"""

import email.utils
import time
from contextlib import suppress
from dataclasses import dataclass, field

import tenacity

from harness.engines.base import EngineError

ATTEMPTS = 6
"""Times a request meets a fault before it counts as failed."""
STUCK_ATTEMPTS = 3
"""Times it is given up as stuck; each time it may take twice as long."""
FIRST_PAUSE = 1.0
"""Seconds after the first fault; each pause is twice the one before, and up to this much longer at random."""
LONGEST_PAUSE = 30.0
BUSY_PATIENCE = 600.0
"""Seconds for which a request is put off by a server that says it is busy."""

FIRST_REPLY = 3600.0
"""Seconds for a reply while there was none yet to compare with."""
SLACK = 10.0
"""A reply that takes so many times the longest so far is not slow but lost."""
SHORTEST_LIMIT = 120.0
"""Seconds that every request is given, however fast the others were."""


class TryAgain(Exception):
    """A fault that the same request may not meet again."""


class Busy(TryAgain):
    """The server takes no more requests for now; `pause` is for how many seconds, as far as it says."""

    def __init__(self, message: str, pause: float) -> None:
        super().__init__(message)
        self.pause = pause


class Away(TryAgain):
    """Nothing answers, or a router that has no server to pass the request to."""


class Stuck(Away):
    """No reply in a time that no other reply took."""


@dataclass
class ReplyTimes:
    """How long a request may go without a reply, from how long those took that were answered."""

    seconds: float = 0.0
    """The longest so far."""
    tokens: int = 0
    """The most tokens that an answered request could have drawn."""

    def add(self, seconds: float, tokens: int) -> None:
        """Take in a reply to a request for at most `tokens`."""
        self.seconds, self.tokens = max(self.seconds, seconds), max(self.tokens, tokens)

    def limit(self, tokens: int) -> float:
        """Seconds for a request for at most `tokens`: more where that is more than any before."""
        if not self.tokens:
            return FIRST_REPLY
        return max(SHORTEST_LIMIT, SLACK * self.seconds * max(1.0, tokens / self.tokens))


@dataclass
class Attempts:
    """What one request met so far, and whether to ask again."""

    begun: float = field(default_factory=time.monotonic)
    faults: int = 0
    stuck: int = 0

    def count(self, fault: TryAgain) -> None:
        """Remember a fault; to be put off is none."""
        self.faults += not isinstance(fault, Busy)
        self.stuck += isinstance(fault, Stuck)

    def are_over(self, state: tenacity.RetryCallState) -> bool:
        """Whether not to ask again."""
        if isinstance(_fault(state), Busy):
            return time.monotonic() - self.begun > BUSY_PATIENCE
        return self.faults >= ATTEMPTS or self.stuck >= STUCK_ATTEMPTS

    def failure(self, fault: TryAgain) -> EngineError:
        """What to say of a request that is given up."""
        if isinstance(fault, Busy):
            return EngineError(f"put off for {time.monotonic() - self.begun:.0f} s: {fault}")
        return EngineError(f"{self.faults} attempts failed, the last with: {fault}")


def asking_again(attempts: Attempts) -> tenacity.AsyncRetrying:
    """Calls a function until it raises no TryAgain, or `attempts` are over; then that TryAgain comes out."""
    return tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception_type(TryAgain), stop=attempts.are_over, wait=_pause, reraise=True
    )


def retry_after(header: str) -> float:
    """Seconds from now until the time in a Retry-After header: a number of seconds, or a date; else 0."""
    seconds = 0.0
    with suppress(ValueError, OverflowError):
        seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
    with suppress(ValueError):
        seconds = float(header)
    return min(max(0.0, seconds), BUSY_PATIENCE) if seconds == seconds else 0.0


def _pause(state: tenacity.RetryCallState) -> float:
    """Growing, in part random so that requests do not come back all at once, and never before they may."""
    growing = tenacity.wait_exponential_jitter(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE, jitter=FIRST_PAUSE)
    fault = _fault(state)
    return growing(state) + (fault.pause if isinstance(fault, Busy) else 0.0)


def _fault(state: tenacity.RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None

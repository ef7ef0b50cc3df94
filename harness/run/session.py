"""Sends requests, many at a time, and stores each answer as soon as it arrives.

    class Verdicts(Session):
        async def answer(self, query): ...      # request, store; return the answer and its tokens

A request that fails for good is listed in `failures`, and its answer stays missing. A session
ends early if the server is gone, or if too many requests fail in a row.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from tqdm import tqdm

from harness.errors import EngineError, EngineGone, RequestRefused
from harness.run.blocks import Blocks, PlannedRequests
from harness.run.sizing import duration
from harness.tally.rate import Pace
from results.terminal import plural

T = TypeVar("T")

FEWEST_FAILURES = 16
"""A session ends after this many failures in a row, or as many as are in flight if that is more."""
SHOW_SECONDS = 10.0
FRAME_SECONDS = 0.1
"""The least time between updates of the text beside the progress bar."""


class Session:
    """The requests of one command; subclasses define `answer`."""

    refusals_end_it = False
    """Whether refused requests count as failures."""

    def __init__(self, requests: PlannedRequests | Blocks, in_flight: int, planned: int) -> None:
        """`planned`: the number of answers in the end, including those already stored."""
        self.requests = requests
        self.failures: list[str] = []
        self.pace = Pace(in_flight)
        self.missing, self.asked, self.failed_in_a_row = requests.left, 0, 0
        self.gone = False
        self.shown = 0.0
        self.in_flight = self.wanted = in_flight
        self.working = 0
        """The number of workers, each with one request at a time; it follows `wanted`."""
        self.bar = tqdm(
            total=planned,
            initial=planned - self.missing,
            bar_format="{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} answers [{elapsed}{postfix}]",
            mininterval=0.5 if sys.stderr.isatty() else 10,
        )

    async def answer(self, query: Any) -> tuple[Any, int]:
        """Request an answer and store it; return it and its tokens. Raises EngineError if none comes."""
        raise NotImplementedError

    async def requests_wanted(self) -> int:
        """How many requests should be in flight now."""
        return self.wanted

    def look(self) -> None:
        """Called after each answer."""

    def words(self) -> list[str]:
        """Text to show beside the progress bar, after the rates."""
        return []

    async def draw(self) -> None:
        """Send all requests, `wanted` at a time, unless the session has to end early."""
        self.wanted = await self.requests_wanted()
        beside = None
        try:
            with self.bar:
                async with asyncio.TaskGroup() as group:
                    beside = asyncio.create_task(self._keep_showing(group))
                    self._fill(group)
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            if beside:
                beside.cancel()

    def _fill(self, group: asyncio.TaskGroup) -> None:
        while self.working < self.wanted:
            self.working += 1
            group.create_task(self._work())

    async def _work(self) -> None:
        """Request one answer after the other."""
        while self.working <= self.wanted and not self._is_over() and (query := await self.requests.next()):
            self.asked += 1
            self.pace.ending = self.asked == self.missing
            try:
                row, tokens = await self.answer(query)
            except EngineError as error:
                self._note_failure(query, error)
                self.requests.ended(query, None)
                continue
            self.failed_in_a_row = 0
            self.pace.add(1, tokens)
            needless = self.requests.ended(query, row)
            self.missing -= needless
            self._show_progress(1 + needless)
            self.look()
        self.working -= 1
        if self.working < self.wanted:
            self.requests.close()

    def _is_over(self) -> bool:
        limit = max(FEWEST_FAILURES, self.wanted)
        return self.gone or self.failed_in_a_row >= limit

    def _note_failure(self, query: Any, error: EngineError) -> None:
        if isinstance(error, EngineGone):
            if not self.gone:
                self.failures.append(str(error))
            self.gone = True
            return
        self.failures.append(f"{query}: {error}")
        if self.refusals_end_it or not isinstance(error, RequestRefused):
            self.failed_in_a_row += 1

    async def _keep_showing(self, group: asyncio.TaskGroup) -> None:
        """Show when no answers arrive, and adapt to servers that come and go."""
        while True:
            await asyncio.sleep(SHOW_SECONDS)
            before, self.wanted = self.wanted, await self.requests_wanted()
            if self.wanted > before:
                self._fill(group)
            if self.pace.stuck_for() is not None:
                self._show_progress(0)
                self.bar.refresh()

    def _show_progress(self, answers: int) -> None:
        self.bar.update(answers)
        now = time.monotonic()
        if answers and now - self.shown < FRAME_SECONDS and self.requests.left:
            return
        self.shown = now
        first = f"rate unknown until after {plural(f'{self.in_flight:,}', 'answer')}"
        words = [] if self.pace.ending else [first]
        if rates := self.pace.rates():
            seconds = self.pace.seconds_left(self.requests.left)
            left = "?" if seconds is None else duration(seconds)
            words = [f"{rates[0]:,.1f} answers/s", f"{rates[1]:,.0f} tokens/s", f"{left} left"]
        if (silent := self.pace.stuck_for()) is not None:
            words = [f"stuck: no answer for {duration(silent)}"]
        self.bar.set_postfix_str(", ".join([*words, *self.words()]), refresh=False)


def until_stopped(work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns; None if Ctrl-C or SIGTERM ended it, after its clean-up."""
    try:
        return asyncio.run(_stoppable(work))
    except (asyncio.CancelledError, KeyboardInterrupt):
        return None


async def _stoppable(work: Coroutine[Any, Any, T]) -> T:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None

    def stop() -> None:
        # A second SIGTERM may follow: both make and whoever stopped make send one.
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, stop)
    return await work

"""The number in flight against simulated servers of known capacity, in simulated time."""

import asyncio
import random
import selectors
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.run.in_flight import START, InFlight

TOKENS = 1000
"""Of one reply, in the mean."""
SECONDS = 10.0
"""From a request's turn to its reply, in the mean."""


class _NoWaiting(selectors.DefaultSelector):
    """Passes the time that a loop would wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class _SimulatedTime(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _NoWaiting()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def in_simulated_time(main: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=_SimulatedTime) as runner:
        runner.run(main)


@dataclass
class Simulated:
    """A server that works on `capacity` requests at a time, and queues or puts off what is beyond."""

    capacity: int
    puts_off: bool = False
    speed: Callable[[int], float] = lambda _running: 1.0
    """How fast each answer grows while so many requests are worked on."""
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    running = put_off = most = 0

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.capacity)

    async def reply(self) -> int:
        while self.puts_off and self.running >= self.capacity:
            self.put_off += 1
            await asyncio.sleep(self.rng.uniform(1, 2))
        async with self._slots:
            self.running += 1
            length = self.rng.gauss(1, 0.2)
            await asyncio.sleep(SECONDS * max(0.2, length) / self.speed(self.running))
            self.running -= 1
        return int(TOKENS * max(0.2, length))


@dataclass
class Run:
    """What came of a run: limits as they were at each reply, and tokens a second over the last third."""

    limits: list[int]
    most: int
    rate: float


async def drive(server: Simulated, ceiling: int, requests: int) -> Run:
    loop = asyncio.get_running_loop()
    in_flight = InFlight(ceiling, loop.time)
    limits: list[int] = []
    drawn: list[tuple[float, int]] = []
    most = heard = 0

    async def ask() -> None:
        nonlocal heard
        tokens = await server.reply()
        drawn.append((loop.time(), tokens))
        in_flight.end(tokens, overloaded=server.put_off > heard)
        heard = server.put_off
        limits.append(in_flight.limit)

    async with asyncio.TaskGroup() as group:
        for _ in range(requests):
            await in_flight.start()
            most = max(most, in_flight.now)
            group.create_task(ask())
    late = drawn[2 * requests // 3 : requests - ceiling]  # the last ones come in while no more are sent
    return Run(limits, most, sum(tokens for _, tokens in late) / (late[-1][0] - late[0][0]))


def simulate(capacity: int, ceiling: int, requests: int = 0, **how: Any) -> Run:
    runs: list[Run] = []

    async def main() -> None:
        runs.append(await drive(Simulated(capacity, **how), ceiling, requests or 60 * ceiling))

    in_simulated_time(main())
    return runs[0]


@pytest.mark.parametrize("capacity", [1, 5, 20, 33, 60, 100, 200])
def test_a_server_is_kept_busy_whatever_its_capacity(capacity: int) -> None:
    ceiling = 256
    run = simulate(capacity, ceiling)
    assert run.rate > 0.95 * capacity * TOKENS / SECONDS
    assert run.most <= ceiling
    # What waits at the server is not much more than what it works on.
    assert run.limits[-1] <= max(START, 2 * capacity)


def test_a_large_server_gets_all_that_the_ceiling_allows() -> None:
    run = simulate(10_000, 512)
    assert run.limits[-1] == run.most == 512
    # It doubles every two rounds or so.
    assert run.limits.index(512) < 3 * 512


def test_a_server_that_only_slows_down_is_served_near_its_best() -> None:
    """Every answer grows slower the more there are: c requests bring c / (c + 64) of the most."""
    best = 64 * TOKENS / SECONDS
    run = simulate(10_000, 1024, speed=lambda running: 64 / (running + 64))
    assert run.rate > 0.85 * best


@pytest.mark.parametrize("capacity", [3, 50, 100])
def test_a_server_that_puts_requests_off_is_asked_for_less(capacity: int) -> None:
    run = simulate(capacity, 256, puts_off=True)
    assert max(run.limits) < 3 * max(START, capacity)
    assert run.limits[-1] <= 1.3 * capacity + 1
    assert run.rate > 0.75 * capacity * TOKENS / SECONDS


def test_one_wave_of_refusals_lowers_the_limit_once() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        in_flight = InFlight(64, loop.time)
        for _ in range(START):
            await in_flight.start()
        for _ in range(START):
            in_flight.end(0, overloaded=True)
        assert in_flight.limit == START * 3 // 4

    in_simulated_time(main())


def test_after_a_server_was_overloaded_the_limit_recovers() -> None:
    async def main() -> None:
        server = Simulated(4, puts_off=True)
        in_flight = InFlight(64, asyncio.get_running_loop().time)
        heard = 0

        async def ask() -> None:
            nonlocal heard
            tokens = await server.reply()
            in_flight.end(tokens, overloaded=server.put_off > heard)
            heard = server.put_off

        async def draw(requests: int) -> None:
            async with asyncio.TaskGroup() as group:
                for _ in range(requests):
                    await in_flight.start()
                    group.create_task(ask())

        await draw(1000)
        assert in_flight.limit <= 6
        server.capacity = 1000
        server._slots = asyncio.Semaphore(1000)
        await draw(3000)
        assert in_flight.limit > 40

    in_simulated_time(main())


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 80), st.integers(1, 100), st.booleans(), st.integers(0, 3))
def test_the_ceiling_holds_and_every_request_is_sent(
    ceiling: int, capacity: int, puts_off: bool, seed: int
) -> None:
    requests = 600
    run = simulate(capacity, ceiling, requests, puts_off=puts_off, rng=random.Random(seed))
    assert len(run.limits) == requests
    assert run.most <= ceiling
    assert all(1 <= limit <= ceiling for limit in run.limits)

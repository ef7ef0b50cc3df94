"""The life of a request, in simulated time: when it is sent again, after which pause, when it is given up."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engines.base import EngineError, EngineGone
from harness.engines.http.availability import POLL_SECONDS, RETURN_PATIENCE
from harness.engines.http.connection import (
    ATTEMPTS,
    BUSY_PATIENCE,
    CHECK_SECONDS,
    FIRST_PAUSE,
    LONGEST_FIRST_REPLY,
    LONGEST_PAUSE,
    SHORTEST_LIMIT,
    SLOWER_THAN_ALL,
    TIMED_OUT_ATTEMPTS,
    Connection,
    ReplyTimes,
)
from harness.engines.http.reply import Fault, Reply
from tests.harness.engines.http.simulated import (
    BROKEN,
    BUSY,
    OK,
    SimulatedServer,
    after,
    ask,
    in_turn,
    now,
    simulate,
)


def pauses(server: SimulatedServer) -> list[float]:
    """Seconds between one attempt and the next."""
    return [later - sooner for (sooner, _), (later, _) in pairwise(server.sent)]


def test_a_failing_request_is_sent_six_times_with_growing_pauses() -> None:
    server = SimulatedServer(in_turn(BROKEN))
    with pytest.raises(EngineError):
        simulate(server, ask)
    assert len(server.sent) == ATTEMPTS == 6
    for pause, least in zip(pauses(server), (1, 2, 4, 8, 16), strict=True):
        assert least * FIRST_PAUSE <= pause <= (least + 1) * FIRST_PAUSE


def test_a_request_may_fail_five_times() -> None:
    server = SimulatedServer(in_turn(*[BROKEN] * (ATTEMPTS - 1), OK))
    assert simulate(server, ask) == "fine"


def test_to_be_told_that_the_server_is_busy_is_no_failure() -> None:
    server = SimulatedServer(in_turn(*[BUSY] * ATTEMPTS, *[BROKEN] * (ATTEMPTS - 1), OK))
    assert simulate(server, ask) == "fine"
    assert len(server.sent) == 2 * ATTEMPTS
    assert max(pauses(server)) <= LONGEST_PAUSE + FIRST_PAUSE

    mixed = SimulatedServer(in_turn(*[BROKEN, BUSY] * (ATTEMPTS - 1), BROKEN))
    with pytest.raises(EngineError):
        simulate(mixed, ask)
    assert len(mixed.sent) == 2 * ATTEMPTS - 1


@pytest.mark.parametrize("status", [429, 503])
def test_nothing_is_sent_before_the_time_that_the_server_asks_for(status: int) -> None:
    server = SimulatedServer(in_turn(Reply(status, "40", b""), OK))
    simulate(server, ask)
    (pause,) = pauses(server)
    assert 40 + FIRST_PAUSE <= pause <= 40 + 2 * FIRST_PAUSE


def test_a_server_that_is_busy_and_answers_nobody_is_given_up() -> None:
    async def work(connection: Connection) -> float:
        with pytest.raises(EngineError, match="busy"):
            await ask(connection)
        return now()

    ended = simulate(SimulatedServer(in_turn(BUSY)), work)
    assert BUSY_PATIENCE < ended <= BUSY_PATIENCE + LONGEST_PAUSE + FIRST_PAUSE


def test_a_server_that_takes_few_requests_at_a_time_answers_all_in_the_end() -> None:
    """Three at a time, 20 s each, 200 asked at once: the last waits for twice BUSY_PATIENCE."""
    running = most = 0

    async def three_at_a_time(_body: Any) -> Reply:
        nonlocal running, most
        if running == 3:
            return BUSY
        running += 1
        most = max(most, running)
        try:
            return await after(20)
        finally:
            running -= 1

    async def work(connection: Connection) -> float:
        assert await asyncio.gather(*(ask(connection, i) for i in range(200))) == ["fine"] * 200
        return now()

    assert simulate(SimulatedServer(three_at_a_time), work) > 2 * BUSY_PATIENCE
    assert most == 3


def test_a_request_that_always_times_out_is_given_up_after_longer_and_longer_waits() -> None:
    async def reply(body: Any) -> Reply:
        return await after(1 if body == "quick" else 1e9)

    async def work(connection: Connection) -> None:
        await ask(connection, "quick")
        with pytest.raises(EngineError):
            await ask(connection, "stuck")

    server = SimulatedServer(reply)
    simulate(server, work)
    stuck = [at for at, body in server.sent if body == "stuck"]
    waits = [end - begin for begin, end in zip(stuck, server.abandoned, strict=True)]
    assert len(waits) == TIMED_OUT_ATTEMPTS == 3
    for wait, times in zip(waits, (1, 2, 4), strict=True):
        assert times * SHORTEST_LIMIT < wait <= times * SHORTEST_LIMIT + 2 * CHECK_SECONDS


def test_the_first_reply_is_given_an_hour() -> None:
    assert simulate(SimulatedServer(lambda _body: after(LONGEST_FIRST_REPLY - 1)), ask) == "fine"
    slow = SimulatedServer(lambda _body: after(1e9))
    with pytest.raises(EngineError):
        simulate(slow, ask)
    assert slow.abandoned[0] <= LONGEST_FIRST_REPLY + 2 * CHECK_SECONDS


def test_a_queue_does_not_time_out() -> None:
    """Two at a time of 512: the last waits 256 times as long as the first reply took."""
    working = asyncio.Semaphore(2)

    async def reply(_body: Any) -> Reply:
        async with working:
            return await after(5)

    async def work(connection: Connection) -> None:
        await ask(connection)
        await asyncio.gather(*(ask(connection, i) for i in range(512)))

    server = SimulatedServer(reply)
    simulate(server, work)
    assert len(server.sent) == 513


def test_more_tokens_are_given_more_time() -> None:
    server = SimulatedServer(lambda body: after(body))

    async def work(connection: Connection) -> None:
        await ask(connection, 100.0, max_tokens=10)
        await ask(connection, 0.9 * SLOWER_THAN_ALL * 100 * 7, max_tokens=70)

    simulate(server, work)
    assert len(server.sent) == 2


@given(
    replies=st.lists(st.tuples(st.floats(0, 1e4), st.integers(1, 10**6)), min_size=1, max_size=5),
    tokens=st.integers(1, 10**6),
)
def test_no_request_that_was_answered_would_have_timed_out(
    replies: list[tuple[float, int]], tokens: int
) -> None:
    times = ReplyTimes()
    for seconds, asked in replies:
        times.add(seconds, asked)
    assert all(times.limit(asked) >= SLOWER_THAN_ALL * seconds for seconds, asked in replies)
    assert times.limit(2 * tokens) >= times.limit(tokens) >= SHORTEST_LIMIT


def test_all_requests_wait_for_a_server_that_is_away_and_it_is_gone_after_ten_minutes() -> None:
    server = SimulatedServer(in_turn(Reply(502, "", b"")))
    server.there = False

    async def work(connection: Connection) -> None:
        found = await asyncio.gather(*(ask(connection, i) for i in range(20)), return_exceptions=True)
        assert {type(error) for error in found} == {EngineGone}
        assert len({str(error) for error in found}) == 1
        assert RETURN_PATIENCE <= now() <= RETURN_PATIENCE + 2 * POLL_SECONDS
        assert server.probes <= RETURN_PATIENCE / POLL_SECONDS + 3  # one of them asks for all
        before = (now(), server.probes, len(server.sent))
        with pytest.raises(EngineGone):
            await ask(connection)
        assert (now(), server.probes, len(server.sent)) == before

    simulate(server, work)
    assert len(server.sent) == 20


def test_requests_without_a_reply_end_when_the_server_is_gone() -> None:
    async def reply(body: Any) -> Reply:
        return Reply(503, "", b"") if body == "away" else await after(1e9)

    async def work(connection: Connection) -> float:
        hanging = asyncio.gather(*(ask(connection, i) for i in range(2)), return_exceptions=True)
        await asyncio.sleep(1)
        server.there = False
        with pytest.raises(EngineGone):
            await ask(connection, "away")
        gone = now()
        assert {type(error) for error in await hanging} == {EngineGone}
        return now() - gone

    server = SimulatedServer(reply)
    assert simulate(server, work) <= CHECK_SECONDS


def test_a_reply_that_the_engine_cannot_read_is_asked_for_again() -> None:
    def read(content: bytes) -> str:
        if len(server.sent) == 1:
            raise Fault("half a reply")
        return content.decode()

    server = SimulatedServer(in_turn(OK))
    assert simulate(server, lambda connection: connection.ask("/ask", 1, read, 8)) == "fine"
    assert len(server.sent) == 2

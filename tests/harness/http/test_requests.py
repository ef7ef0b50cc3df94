"""Requests in simulated time: when they are sent again, after which pause, and when they are given up."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from harness.errors import EngineError, EngineGone, RequestRefused
from harness.http.attempt import Reply
from harness.http.connection import (
    ATTEMPTS,
    FIRST_PAUSE,
    FORBIDDEN,
    LONGEST_PAUSE,
    MEND_PATIENCE,
    METRICS,
    PATIENCE,
    POLL_SECONDS,
    SAY_SECONDS,
    START_PATIENCE,
    Connection,
    tokens_generated,
)
from results import BadInput
from tests.harness.http.simulated import BROKEN, BUSY, OK, SimulatedServer, after, ask, in_turn, now, simulate


def pauses(server: SimulatedServer) -> list[float]:
    """The seconds between successive attempts."""
    return [later - sooner for (sooner, _), (later, _) in pairwise(server.sent)]


def test_a_failing_request_is_sent_six_times_with_growing_pauses() -> None:
    server = SimulatedServer(in_turn(BROKEN))
    with pytest.raises(EngineError):
        simulate(server, ask)
    assert len(server.sent) == ATTEMPTS == 6
    for pause, least in zip(pauses(server), (1, 2, 4, 8, 16), strict=True):
        assert least * FIRST_PAUSE <= pause <= (least + 1) * FIRST_PAUSE


def test_a_request_may_fail_five_times_and_be_told_any_number_of_times_that_the_server_is_busy() -> None:
    server = SimulatedServer(in_turn(*[BUSY] * ATTEMPTS, *[BROKEN] * (ATTEMPTS - 1), OK))
    assert simulate(server, ask) == "fine"
    assert len(server.sent) == 2 * ATTEMPTS
    assert LONGEST_PAUSE <= pauses(server)[ATTEMPTS] <= max(pauses(server)) <= LONGEST_PAUSE + FIRST_PAUSE

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


@pytest.mark.parametrize("status", [502, 503, 504])
def test_nothing_is_sent_to_a_server_that_is_away(status: int) -> None:
    async def work(connection: Connection) -> None:
        for sent in (1, 3):
            server.there = False
            asking = asyncio.create_task(ask(connection))
            await asyncio.sleep(100)
            assert len(server.sent) == sent
            server.there = True
            assert await asking == "fine"

    away, said = Reply(status, "", b""), list[str]()
    server = SimulatedServer(in_turn(away, OK, away, OK))
    simulate(server, work, say=said.append)
    assert ["waiting" in line for line in said if "requests wait" not in line] == [True, False] * 2


def test_a_server_of_the_run_s_own_may_take_any_time_to_start_and_another_may_not() -> None:
    def check_alive() -> None:
        server.there = now() > 10 * START_PATIENCE

    server = SimulatedServer(in_turn(OK))
    server.there = False
    with pytest.raises(BadInput, match=f"after {START_PATIENCE:.0f} s"):
        simulate(server, ask)
    assert simulate(server, ask, check_alive=check_alive) == "fine"


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_that_is_there_and_not_ready_may_get_well(status: int) -> None:
    """For example a gateway whose servers have just died: running the command again waits for it."""

    def ill_until(well: float) -> SimulatedServer:
        return SimulatedServer(in_turn(OK), lambda _: Reply(status, "", b"") if now() < well else None)

    assert simulate(ill_until(0.9 * MEND_PATIENCE), ask) == "fine"
    with pytest.raises(BadInput, match=f"after {MEND_PATIENCE:.0f} s"):
        simulate(ill_until(1e9), ask)


def test_an_account_without_credit_is_no_busy_server() -> None:
    server = SimulatedServer(in_turn(Reply(429, "", b'{"error": {"code": "insufficient_quota"}}')))
    with pytest.raises(EngineGone):
        simulate(server, ask)
    assert len(server.sent) == 1


@pytest.mark.parametrize("queues", [True, False])
def test_a_server_that_takes_few_requests_at_a_time_answers_all_in_the_end(queues: bool) -> None:
    """Three at a time, 60 s each, 200 requests at once: the last waits over twice PATIENCE, queued or not."""
    room = asyncio.Semaphore(3)

    async def three_at_a_time(_body: Any) -> Reply:
        if room.locked() and not queues:
            return BUSY
        async with room:
            return await after(60)

    async def work(connection: Connection) -> float:
        assert await asyncio.gather(*(ask(connection, i) for i in range(200))) == ["fine"] * 200
        return now()

    server = SimulatedServer(three_at_a_time)
    assert simulate(server, work) > 2 * PATIENCE
    assert len(server.sent) == 200 or not queues


@pytest.mark.parametrize("habit", ["busy", "silent", "away"])
def test_a_server_that_answers_nobody_is_gone_in_the_end_and_a_line_a_minute_says_why(habit: str) -> None:
    replies = {"busy": BUSY, "away": Reply(502, "", b"")}

    async def reply(body: Any) -> Reply:
        return OK if body == "first" else replies.get(habit) or await after(1e9)

    async def work(connection: Connection) -> None:
        await asyncio.sleep(5000)  # no request is open, so nobody waits
        await ask(connection, "first")
        server.there = habit != "away"
        begun, sent = now(), len(server.sent)
        found = await asyncio.gather(*(ask(connection, i) for i in range(20)), return_exceptions=True)
        assert {type(error) for error in found} == {EngineGone}
        (reason,) = {str(error) for error in found}
        assert connection.url in reason
        assert PATIENCE <= now() - begun <= PATIENCE + 2 * POLL_SECONDS
        assert len(server.sent) == sent + 20 or habit == "busy"
        before = (now(), server.probes, len(server.sent))
        with pytest.raises(EngineGone):
            await ask(connection)
        assert (now(), server.probes, len(server.sent)) == before

    server, said = SimulatedServer(reply), list[str]()
    simulate(server, work, say=said.append)
    minutes = int(PATIENCE / SAY_SECONDS) - 1
    assert minutes - 1 <= sum("20 requests" in line for line in said) <= minutes
    assert {"busy": "429", "silent": "nothing", "away": "refused"}[habit] in said[-1]
    assert len(server.abandoned) == (20 if habit == "silent" else 0)


def test_a_server_that_forbids_one_request_after_the_other_is_gone() -> None:
    async def work(connection: Connection) -> list[EngineError]:
        found = [await asyncio.gather(ask(connection), return_exceptions=True) for _ in range(100)]
        return [error for (error,) in found if isinstance(error, EngineError)]

    forbidden = Reply(403, "", b"no more")
    server = SimulatedServer(in_turn(*[forbidden] * (FORBIDDEN - 1), OK, forbidden))
    errors = simulate(server, work)
    assert len(server.sent) == 100
    assert {type(error) for error in errors} == {RequestRefused}

    server = SimulatedServer(in_turn(forbidden))
    errors = simulate(server, work)
    assert len(server.sent) == FORBIDDEN
    assert [type(error) for error in errors[FORBIDDEN:]] == [EngineGone] * (100 - FORBIDDEN)


@pytest.mark.parametrize("error", [ZeroDivisionError("found"), BadInput("found another model_path")])
@pytest.mark.parametrize("when", ["greet", "check_alive"])
def test_what_is_found_out_about_a_server_that_was_away_ends_the_run(when: str, error: Exception) -> None:
    def check_alive() -> None:
        if server.sent:
            raise error

    async def greet() -> None:
        check_alive()

    async def work(connection: Connection) -> None:
        server.there = False
        asking = asyncio.create_task(ask(connection))
        await asyncio.sleep(5)
        server.there = True
        with pytest.raises(EngineGone, match="found"):
            await asking

    server = SimulatedServer(in_turn(Reply(502, "", b"")))
    simulate(server, work, **{"greet": {"greet": greet}, "check_alive": {"check_alive": check_alive}}[when])


FIRST_REPLY = 4 * PATIENCE


def counting(stops: float, place: str, rate: float = 1000.0) -> SimulatedServer:
    """A server that answers after FIRST_REPLY; its token count rises at `rate` until time `stops`."""

    def look(path: str) -> Reply | None:
        if path == place:
            count = 1e6 + rate * min(now(), stops)
            return Reply(200, "", f'sglang:realtime_tokens_total{{mode="decode"}} {count}\n'.encode())
        return Reply(404, "", b"") if path in METRICS else None

    return SimulatedServer(lambda _body: after(FIRST_REPLY), look)


@pytest.mark.parametrize("place", METRICS)
def test_a_slow_server_that_generates_is_waited_for(place: str) -> None:
    said: list[str] = []
    assert simulate(counting(1e9, place), ask, say=said.append) == "fine"
    assert len(said) > 0.9 * FIRST_REPLY / SAY_SECONDS
    assert all("generates" in line for line in said[2:])


STOPS = 2000.0


@pytest.mark.parametrize(
    ("server", "patience", "least", "most"),
    [
        (counting(STOPS, METRICS[0]), PATIENCE, STOPS + PATIENCE, STOPS + PATIENCE + 3 * SAY_SECONDS),
        (counting(1e9, METRICS[0], -1.0), PATIENCE, PATIENCE - 2, PATIENCE + 2),  # it falls, as at a restart
        (SimulatedServer(lambda _body: after(1e9)), 90.0, 88, 92),  # a setting of the experiment
    ],
)
def test_a_server_that_stops_generating_is_given_up_in_the_end(
    server: SimulatedServer, patience: float, least: float, most: float
) -> None:
    async def work(connection: Connection) -> float:
        connection.patience = patience
        with pytest.raises(EngineGone):
            await ask(connection)
        return now()

    assert least <= simulate(server, work) <= most


@pytest.mark.parametrize(
    ("metrics", "tokens"),
    [
        ('vllm:generation_tokens_total{engine="0"} 40.0\nvllm:generation_tokens_total 2e1\n', 60.0),
        ('sglang:realtime_tokens_total{mode="prefill_compute"} 9.0\n', None),
        ('sglang:realtime_tokens_total{a="b",mode="decode"} 9.0\nsglang:generation_tokens_total 1.0', 10.0),
        ("llamacpp:tokens_predicted_total 7\n", 7.0),
        ("# HELP sglang:generation_tokens_total of 7\n", None),
        ("sglang:generation_tokens_total many\n", None),
        ("", None),
    ],
)
def test_counts_of_generated_tokens_are_added_up(metrics: str, tokens: float | None) -> None:
    assert tokens_generated(metrics) == tokens

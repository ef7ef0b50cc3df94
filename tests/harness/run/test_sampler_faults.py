"""The sampler when requests fail, a run is stopped or the engine has too much to do."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from harness.errors import EngineError, EngineGone, RequestRefused
from harness.run.queries import Query, remaining
from harness.run.session import FEWEST_FAILURES
from results import BadInput
from tests.harness.run.scripted import ScriptedEngine, keys, planned, run, run_async


def test_a_request_that_keeps_failing_leaves_its_answer_absent(tmp_path: Path) -> None:
    def fail_for_one(prompt: str, place: int) -> None:
        if "number 2" in prompt and "10 tokens" in prompt and place == 4:
            raise EngineError("6 attempts failed")

    outcome = run(tmp_path, ScriptedEngine(fail_for_one))
    assert outcome.missing == 1
    assert outcome.failures == ["question q-2, setting 10, sample 4: 6 attempts failed"]
    absent = ("q-2", "10", "sample", 4)
    assert set(keys(tmp_path)) == planned(5) - {absent}

    assert run(tmp_path, ScriptedEngine()).missing == 0
    assert sorted(keys(tmp_path)) == sorted(planned(5))


def test_a_server_that_is_gone_ends_the_run(tmp_path: Path) -> None:
    def fail(prompt: str, _place: int) -> None:
        raise EngineError("connection refused")

    engine = ScriptedEngine(fail)
    outcome = run(tmp_path, engine, samples=200, concurrency=3)
    assert outcome.missing == 4 * 2 * 200
    assert FEWEST_FAILURES <= len(engine.asked) < FEWEST_FAILURES + 3
    assert len(outcome.failures) == len(engine.asked)


@pytest.mark.parametrize("error", [None, BadInput("the server came back with another dtype")])
def test_what_happens_to_the_server_is_on_record_however_the_session_ends(
    tmp_path: Path, error: BadInput | None
) -> None:
    def restart(_prompt: str, _place: int) -> None:
        engine.events = ["SGLang ended with status -9", "starting SGLang once more"]
        if error:
            raise error

    engine = ScriptedEngine(restart)
    with pytest.raises(BadInput) if error else nullcontext():
        run(tmp_path, engine)
    (session,) = json.loads((tmp_path / "run.json").read_text())["sessions"]
    assert session["events"] == engine.events


def test_a_server_that_says_so_ends_the_run_at_once(tmp_path: Path) -> None:
    def gone(prompt: str, _place: int) -> None:
        raise EngineGone("the server does not answer after 600 s")

    outcome = run(tmp_path, ScriptedEngine(gone), samples=200, concurrency=3)
    assert outcome.missing == 4 * 2 * 200
    assert outcome.failures == ["the server does not answer after 600 s"]


def test_refusals_do_not_end_a_run(tmp_path: Path) -> None:
    def refuse(prompt: str, _place: int) -> None:
        if "number 1" in prompt:
            raise RequestRefused("refused with status 400: longer than the model's context")

    outcome = run(tmp_path, ScriptedEngine(refuse), samples=100, concurrency=3)
    assert outcome.missing == 2 * 100
    assert len(outcome.failures) == 200 > FEWEST_FAILURES
    assert set(keys(tmp_path)) == {key for key in planned(100) if key[0] != "q-1"}


def test_single_failures_far_apart_do_not_end_a_run(tmp_path: Path) -> None:
    count = 0

    def fail_every_fourth(prompt: str, _place: int) -> None:
        nonlocal count
        count += 1
        if count % 4 == 0:
            raise EngineError("once")

    outcome = run(tmp_path, ScriptedEngine(fail_every_fourth), samples=100, concurrency=1)
    assert len(outcome.failures) == 200 > FEWEST_FAILURES
    assert len(keys(tmp_path)) == 600


def test_an_outage_that_all_in_flight_meet_once_ends_no_part_of_a_run(tmp_path: Path) -> None:
    in_flight = []

    def fail_at_first(prompt: str, _place: int) -> None:
        in_flight.append(engine.in_flight)
        if len(in_flight) <= 30:
            raise EngineError("once")

    engine = ScriptedEngine(fail_at_first)
    outcome = run(tmp_path, engine, samples=100, concurrency=40)
    assert outcome.missing == len(outcome.failures) == 30 > FEWEST_FAILURES
    assert max(in_flight[100:]) == 40


def test_concurrency_is_kept(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda _prompt, _place: asyncio.sleep(0))
    run(tmp_path, engine, concurrency=7)
    assert engine.most_in_flight == 7


async def _stop_once(engine: ScriptedEngine, waiting: int, folder: Path, **changes: Any) -> None:
    """Run until `waiting` requests are in flight and nothing else is left to do; then cancel the run."""
    task = asyncio.create_task(run_async(folder, engine, **changes))
    idle = 0
    while idle < 10:  # rounds of the event loop in which nothing was asked or answered
        asked = len(engine.asked)
        await asyncio.sleep(0)
        idle = idle + 1 if engine.in_flight == waiting and len(engine.asked) == asked else 0
        assert not task.done(), task.exception()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_stopped_run_keeps_its_finished_answers_and_goes_on_from_there(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda prompt, _place: asyncio.Event().wait() if "number 3" in prompt else None)
    asyncio.run(_stop_once(engine, 10, tmp_path))
    assert sorted(keys(tmp_path)) == sorted(planned(5, questions=3))
    session = json.loads((tmp_path / "run.json").read_text())["sessions"][0]
    assert session["ended"] is not None
    assert session["answers"] == 30
    assert run(tmp_path, ScriptedEngine()).missing == 0
    assert sorted(keys(tmp_path)) == sorted(planned(5))


def test_an_error_that_is_not_the_engine_s_comes_out_as_it_is(tmp_path: Path) -> None:
    def full(prompt: str, _place: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        run(tmp_path, ScriptedEngine(full))


def test_requests_are_made_up_only_when_they_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(*arguments: Any) -> Iterator[Query]:
        made.append(0)
        for query in remaining(*arguments):
            made[-1] += 1
            yield query

    monkeypatch.setattr("harness.run.blocks.remaining", counted)
    engine = ScriptedEngine(lambda _prompt, _place: asyncio.Event().wait())
    asyncio.run(_stop_once(engine, 7, tmp_path, samples=1000, concurrency=7))
    counting, sending = made
    assert (counting, sending) == (8000, 7)

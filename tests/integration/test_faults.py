"""Runs on the real server through a proxy that breaks things: exactly the planned answers, each once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from harness.engines.factory import engine_for
from harness.experiment import Experiment, read_experiment
from harness.http import connection
from harness.http.connection import Connection
from harness.questions.load import load_questions
from harness.run.sampler import RunOutcome, sample
from tests.harness.engines.sglang_faults import BUSY, FAULTS, Fault, status
from tests.integration.faulty_proxy import FaultyProxy
from tests.integration.planned import assert_exactly, planned, rows, sessions

pytestmark = pytest.mark.server

LIMIT, SAMPLES = 6, 3
BUDGETS = (20, 60)
QUESTIONS = load_questions("tiny")
PLANNED = planned(LIMIT, SAMPLES, BUDGETS, greedy=True)
EVERY_FAULT = [*FAULTS.values(), *BUSY.values()]
REQUESTS = len(PLANNED)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.1)


def experiment(url: str) -> Experiment:
    keys: dict[str, Any] = {"limit": LIMIT, "samples": SAMPLES, "greedy": True, "budgets": BUDGETS}
    keys |= {"engine": "sglang", "url": url, "concurrency": 4}
    return Experiment.model_validate(read_experiment("tiny").model_dump() | keys)


async def draw(url: str, folder: Path, said: list[str] | None = None, patience: float = 1800.0) -> RunOutcome:
    asked = experiment(url).model_copy(update={"patience": patience})
    say = said.append if said is not None else lambda _line: None
    return await sample(asked, QUESTIONS, folder, lambda: engine_for(asked, folder / "server.log", say))


def through_proxy(
    url: str,
    faults: Sequence[Fault],
    work: Callable[[FaultyProxy], Awaitable[RunOutcome]],
    each: int | None = None,
) -> tuple[RunOutcome, FaultyProxy]:
    async def run() -> tuple[RunOutcome, FaultyProxy]:
        with FaultyProxy(url, faults, each) as proxy:
            return await work(proxy), proxy

    return asyncio.run(run())


def greedy_answers(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The greedy answers by question and setting, without their counts of cached tokens, which vary."""
    greedy = [row for row in rows(folder) if row["decoding"] == "greedy"]
    return {(row["question_id"], row["setting"]): row | {"cached_tokens": None} for row in greedy}


def test_every_fault_once(sglang_url: str, tmp_path: Path) -> None:
    outcome, proxy = through_proxy(
        sglang_url, EVERY_FAULT, lambda proxy: draw(proxy.url, tmp_path / "run"), each=SAMPLES
    )
    assert (proxy.left, outcome.missing, outcome.failures) == ([], 0, [])
    assert len(proxy.requests) == len(EVERY_FAULT) + REQUESTS
    assert_exactly(PLANNED, tmp_path / "run")

    # Greedy answers are the same in every run, so a wrong one would show.
    asyncio.run(draw(sglang_url, tmp_path / "undisturbed"))
    assert greedy_answers(tmp_path / "run") == greedy_answers(tmp_path / "undisturbed")


def test_what_keeps_failing_is_absent_reported_and_asked_for_again(sglang_url: str, tmp_path: Path) -> None:
    faults = [status(400), *[status(500)] * 300]
    outcome, _ = through_proxy(sglang_url, faults, lambda proxy: draw(proxy.url, tmp_path))
    assert len(outcome.failures) <= REQUESTS
    assert sum("status 400" in failure for failure in outcome.failures) == 1
    assert all("status 500" in failure for failure in outcome.failures[1:])
    assert outcome.missing == len(PLANNED)
    assert not (tmp_path / "samples.jsonl").exists()

    asyncio.run(draw(sglang_url, tmp_path))
    assert_exactly(PLANNED, tmp_path)
    assert len(sessions(tmp_path)) == 2


async def interrupted(
    folder: Path, proxy: FaultyProxy, said: list[str], then: Callable[[], None], patience: float = 1800.0
) -> RunOutcome:
    """A run whose server goes away after five replies; `then` is called once the run reports it."""
    run = asyncio.create_task(draw(proxy.url, folder, said, patience))
    while proxy.answered < 5 and not run.done():
        await asyncio.sleep(0.01)
    proxy.stop()
    while not said and not run.done():
        await asyncio.sleep(0.01)
    then()
    return await run


def test_a_server_that_is_killed_and_started_again(sglang_url: str, tmp_path: Path) -> None:
    said: list[str] = []
    outcome, _ = through_proxy(sglang_url, [], lambda proxy: interrupted(tmp_path, proxy, said, proxy.start))
    assert (outcome.missing, outcome.failures) == (0, [])
    assert_exactly(PLANNED, tmp_path)
    assert len(said) == 2
    assert "does not answer" in said[0]
    assert "is back" in said[1]


def test_a_server_that_is_killed_for_good(sglang_url: str, tmp_path: Path) -> None:
    outcome, proxy = through_proxy(
        sglang_url, [], lambda proxy: interrupted(tmp_path, proxy, [], lambda: None, patience=10.0)
    )
    assert 0 < outcome.missing == len(PLANNED) - len(rows(tmp_path)) < len(PLANNED)
    assert len(outcome.failures) == 1
    assert proxy.url in outcome.failures[0]

    asyncio.run(draw(sglang_url, tmp_path))
    assert_exactly(PLANNED, tmp_path)


def test_a_server_that_comes_back_with_other_settings_ends_the_run(sglang_url: str, tmp_path: Path) -> None:
    async def replaced(proxy: FaultyProxy) -> RunOutcome:
        def another() -> None:
            proxy.other_settings = {"dtype": "bfloat16"}
            proxy.start()

        return await interrupted(tmp_path, proxy, [], another)

    outcome, _ = through_proxy(sglang_url, [], replaced)
    (failure,) = outcome.failures
    assert "another dtype" in failure
    assert 0 < outcome.missing == len(PLANNED) - len(rows(tmp_path)) < len(PLANNED)

    asyncio.run(draw(sglang_url, tmp_path))
    assert_exactly(PLANNED, tmp_path)


def test_the_server_stops_work_on_a_request_that_is_given_up(sglang_url: str) -> None:
    answers, tokens = 16, 3500
    parameters = {"n": answers, "max_new_tokens": tokens, "ignore_eos": True}

    async def run() -> None:
        async with aiohttp.ClientSession() as session, Connection(sglang_url) as server:
            request = {"input_ids": [2, 3, 4], "sampling_params": parameters}
            asked = asyncio.create_task(server.ask("/generate", request, bytes.decode, answers * tokens))
            await _until(session, lambda running: running > 0)
            asked.cancel()
            await _until(session, lambda running: running == 0)

    async def _until(session: aiohttp.ClientSession, there: Callable[[int], bool]) -> None:
        async with asyncio.timeout(30):
            while True:
                async with session.get(f"{sglang_url}/v1/loads") as reply:
                    loads = (await reply.json())["loads"]
                if there(sum(load["num_running_reqs"] + load["num_waiting_reqs"] for load in loads)):
                    return
                await asyncio.sleep(0.2)

    asyncio.run(run())

"""Runs on the real server through a proxy that breaks things: exactly the planned answers, each once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from harness.engines.factory import engine_for
from harness.http import connection
from harness.http.connection import Connection
from harness.run.sampler import RunOutcome, sample
from tests.harness.engines.sglang_faults import BUSY, FAULTS
from tests.harness.run.real_run import QUESTIONS, experiment
from tests.harness.run.rows import stored
from tests.integration.faulty_proxy import FaultyProxy
from tests.integration.planned import assert_exactly, planned

pytestmark = pytest.mark.server

LIMIT, SAMPLES = 6, 3
BUDGETS = (20, 60)
PLANNED = planned(LIMIT, SAMPLES, BUDGETS, greedy=True)
EVERY_FAULT = [*FAULTS.values(), *BUSY.values()]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.1)


async def draw(url: str, folder: Path, said: list[str]) -> RunOutcome:
    plan = {"limit": LIMIT, "samples": SAMPLES, "greedy": True, "budgets": BUDGETS}
    asked, log = experiment(**plan, engine="sglang", url=url, concurrency=4), folder / "server.log"
    return await sample(asked, QUESTIONS, folder, lambda: engine_for(asked, log, said.append))


def greedy_answers(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The greedy answers by question and setting, without their counts of cached tokens, which vary."""
    greedy = [row for row in stored(folder) if row["decoding"] == "greedy"]
    return {(row["question_id"], row["setting"]): row | {"cached_tokens": None} for row in greedy}


def test_every_fault_once(sglang_url: str, tmp_path: Path) -> None:
    with FaultyProxy(sglang_url, EVERY_FAULT, each=SAMPLES) as proxy:
        outcome = asyncio.run(draw(proxy.url, tmp_path / "run", []))
    assert (proxy.left, outcome.missing, outcome.failures) == ([], 0, [])
    assert len(proxy.requests) == len(EVERY_FAULT) + len(PLANNED)
    assert_exactly(PLANNED, tmp_path / "run")

    # Greedy answers are the same in every run, so a wrong one would show.
    asyncio.run(draw(sglang_url, tmp_path / "undisturbed", []))
    assert greedy_answers(tmp_path / "run") == greedy_answers(tmp_path / "undisturbed")


async def interrupted(folder: Path, proxy: FaultyProxy, said: list[str]) -> RunOutcome:
    """A run whose server goes away after five replies, and comes back once the run reports it."""
    run = asyncio.create_task(draw(proxy.url, folder, said))
    while proxy.answered < 5 and not run.done():
        await asyncio.sleep(0.01)
    proxy.stop()
    while not said and not run.done():
        await asyncio.sleep(0.01)
    proxy.start()
    return await run


def test_a_server_that_is_killed_and_started_again(sglang_url: str, tmp_path: Path) -> None:
    said: list[str] = []
    with FaultyProxy(sglang_url) as proxy:
        outcome = asyncio.run(interrupted(tmp_path, proxy, said))
    assert (outcome.missing, outcome.failures) == (0, [])
    assert_exactly(PLANNED, tmp_path)
    assert ["does not answer" in line for line in said] == [True, False]
    assert "is back" in said[1]


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

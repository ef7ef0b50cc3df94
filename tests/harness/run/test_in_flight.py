"""Requests in flight follow the copies of the model behind the URL, in the middle of a run too."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.experiment import Experiment, read_experiment
from harness.run import session
from harness.run.sampler import sample
from tests.harness.engines.servers import FaultyServer, sglang, with_engine
from tests.harness.run.scripted import QUESTIONS, ScriptedEngine, keys

WORKERS = [
    {"is_healthy": True, "labels": {"dp_size": "4"}},
    {"is_healthy": True, "labels": {}},
    {"is_healthy": False, "labels": {"dp_size": "8"}},
]


class Growing(ScriptedEngine):
    """Has one copy of the model, then three, then says nothing, then one again."""

    def __init__(self) -> None:
        super().__init__(self.wait)
        self.looks = 0
        self.most: Counter[int] = Counter()
        """The most requests in flight after so many looks."""

    async def copies(self) -> int | None:
        self.looks += 1
        return {1: 1, 2: 3, 3: None}.get(self.looks, 1)

    async def wait(self, _prompt: str, _n: int) -> None:
        self.most[self.looks] = max(self.most[self.looks], self.in_flight)
        await asyncio.sleep(0.02)


def test_a_run_follows_servers_that_come_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SHOW_SECONDS", 0.2)
    monkeypatch.setattr("harness.experiment.ANSWERS_IN_FLIGHT", 8)
    values = read_experiment("tiny").model_dump(exclude_unset=True)
    values |= {"engine": "sglang", "url": "http://a:1", "budgets": (10, 40), "samples": 120}
    values.pop("concurrency", None)
    asked, engine, said = Experiment.model_validate(values), Growing(), list[str]()
    asyncio.run(sample(asked, QUESTIONS, tmp_path, lambda: engine, say=said.append))
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) == 4 * 2 * 120
    assert [engine.most[look] for look in (1, 2, 3)] == [8, 24, 24]
    assert engine.most[max(engine.most)] <= 8 < max(engine.most.values())
    assert [line.split()[0] for line in said if "copies" in line] == ["3", "1"]


@pytest.mark.parametrize(
    ("workers", "info", "copies"),
    [
        ({"workers": WORKERS}, {}, 5),
        ({"workers": []}, {}, None),
        ("?", {}, None),
        (None, {"dp_size": 8}, 8),
        (None, {}, 1),
    ],
)
def test_the_copies_are_those_of_the_workers_or_of_the_server(
    workers: Any, info: dict[str, Any], copies: int | None
) -> None:
    server = FaultyServer(info=info)
    if workers is not None:
        server.routes["GET /workers"] = workers
    assert with_engine(server, sglang, lambda engine: engine.copies()) == copies

"""The sampler: exactly the planned answers, whatever fails or stops in between."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from tqdm import tqdm

from harness.config import Experiment, read_experiment
from harness.engines.base import Completion, Engine, EngineError, EngineGone, RequestRefused, Sampling
from harness.in_flight import START, InFlight
from harness.plan import Chunk, remaining_chunks
from harness.questions import Question
from harness.sampler import FEWEST_FAILURES, Outcome, sample
from harness.store import locked
from results import BadInput, read_samples

QUESTIONS = [Question(f"q-{index}", f"Problem number {index}?", str(index)) for index in range(4)]
SETTINGS = ("10", "40")


class ScriptedEngine:
    """Answers every prompt with the number in it; `script` may raise, or wait, before it does."""

    name, version = "scripted", "1"
    overloads = 0

    def __init__(self, script: Callable[[str, int], Any] = lambda _prompt, _n: None) -> None:
        self._script = script
        self.opened = 0
        self.asked: list[tuple[str, int]] = []
        self.in_flight = self.most_in_flight = 0

    def describe(self) -> dict[str, Any]:
        return {}

    async def generate(self, prompt: str, n: int, _sampling: Sampling, seed: int) -> list[Completion]:
        self.asked.append((prompt, n))
        self.in_flight += 1
        self.most_in_flight = max(self.in_flight, self.most_in_flight)
        try:
            await asyncio.sleep(0)
            waiting = self._script(prompt, n)
            if waiting is not None:
                await waiting
        finally:
            self.in_flight -= 1
        number = prompt.split("?")[0].rsplit(" ", 1)[1]
        return [Completion(f"The answer is ##{number}##.", 9, 20, "stop", seed) for _ in range(n)]

    async def __aenter__(self) -> Self:
        self.opened += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


def experiment(**changes: Any) -> Experiment:
    base = read_experiment("tiny").model_dump() | {"budgets": (10, 40), "samples": 5, "chunk": 2}
    return Experiment.model_validate(base | changes)


def run(folder: Path, engine: ScriptedEngine, restart: bool = False, **changes: Any) -> Outcome:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        async with engine:
            yield engine

    return asyncio.run(sample(experiment(**changes), QUESTIONS, folder, opened, restart))


def keys(folder: Path) -> list[tuple[str, str, str, int]]:
    rows = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    return [(row["question_id"], row["setting"], row["decoding"], row["sample"]) for row in rows]


def planned(samples: int, questions: int = 4) -> set[tuple[str, str, str, int]]:
    return {(f"q-{q}", s, "sample", i) for q in range(questions) for s in SETTINGS for i in range(samples)}


def test_the_planned_answers_are_stored_graded_and_readable_as_a_table(tmp_path: Path) -> None:
    outcome = run(tmp_path, ScriptedEngine())
    assert (outcome.planned, outcome.missing, outcome.failures) == (40, 0, [])
    assert len(keys(tmp_path)) == 40
    assert set(keys(tmp_path)) == planned(5)
    table = read_samples(tmp_path)
    assert table["correct"].all()
    assert set(table["answer"]) == {"0", "1", "2", "3"}
    assert set(table["setting"]) == {"10", "40"}
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["sessions"][0]["answers"] == 40


def test_a_finished_run_opens_no_engine_again(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine())
    before = (tmp_path / "samples.jsonl").read_bytes()
    again = ScriptedEngine()
    assert run(tmp_path, again).missing == 0
    assert again.opened == 0
    assert (tmp_path / "samples.jsonl").read_bytes() == before


def test_a_larger_plan_asks_only_for_what_is_new(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine(), limit=2, samples=3)
    assert set(keys(tmp_path)) == planned(3, questions=2)
    more = ScriptedEngine()
    run(tmp_path, more)
    assert sum(n for _, n in more.asked) == 40 - 12
    assert len(keys(tmp_path)) == 40
    assert set(keys(tmp_path)) == planned(5)


def test_greedy_answers_are_kept_apart(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine(), greedy=True)
    assert set(keys(tmp_path)) == planned(5) | {
        (f"q-{q}", s, "greedy", 0) for q in range(4) for s in SETTINGS
    }


def test_a_request_that_keeps_failing_leaves_its_answers_absent(tmp_path: Path) -> None:
    def fail_for_one(prompt: str, n: int) -> None:
        if "number 2" in prompt and "10 tokens" in prompt and n == 1:
            raise EngineError("6 attempts failed")

    outcome = run(tmp_path, ScriptedEngine(fail_for_one))
    assert outcome.missing == 1
    assert outcome.failures == ["question q-2, setting 10, sample 4 to 4: 6 attempts failed"]
    absent = ("q-2", "10", "sample", 4)
    assert set(keys(tmp_path)) == planned(5) - {absent}

    assert run(tmp_path, ScriptedEngine()).missing == 0
    assert sorted(keys(tmp_path)) == sorted(planned(5))


def test_a_server_that_is_gone_ends_the_run(tmp_path: Path) -> None:
    def fail(prompt: str, n: int) -> None:
        raise EngineError("connection refused")

    engine = ScriptedEngine(fail)
    outcome = run(tmp_path, engine, samples=200, concurrency=3)
    assert outcome.missing == 4 * 2 * 200
    assert FEWEST_FAILURES <= len(engine.asked) < FEWEST_FAILURES + 3
    assert len(outcome.failures) == len(engine.asked)


def test_a_server_that_says_so_ends_the_run_at_once(tmp_path: Path) -> None:
    def gone(prompt: str, n: int) -> None:
        raise EngineGone("the server does not answer after 600 s")

    outcome = run(tmp_path, ScriptedEngine(gone), samples=200, concurrency=3)
    assert outcome.missing == 4 * 2 * 200
    assert outcome.failures == ["the server does not answer after 600 s"]


def test_refusals_do_not_end_a_run(tmp_path: Path) -> None:
    def refuse(prompt: str, n: int) -> None:
        if "number 1" in prompt:
            raise RequestRefused("refused with status 400: longer than the model's context")

    outcome = run(tmp_path, ScriptedEngine(refuse), samples=100, concurrency=3)
    assert outcome.missing == 2 * 100
    assert len(outcome.failures) == 100 > FEWEST_FAILURES
    assert set(keys(tmp_path)) == {key for key in planned(100) if key[0] != "q-1"}


def test_single_failures_far_apart_do_not_end_a_run(tmp_path: Path) -> None:
    count = 0

    def fail_every_fourth(prompt: str, n: int) -> None:
        nonlocal count
        count += 1
        if count % 4 == 0:
            raise EngineError("once")

    outcome = run(tmp_path, ScriptedEngine(fail_every_fourth), samples=100, concurrency=1, chunk=1)
    assert len(outcome.failures) == 200 > FEWEST_FAILURES
    assert len(keys(tmp_path)) == 600


def test_concurrency_is_kept(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda _prompt, _n: asyncio.sleep(0.001))
    run(tmp_path, engine, concurrency=7)
    assert engine.most_in_flight == 7


def test_a_stopped_run_keeps_its_finished_chunks_and_goes_on_from_there(tmp_path: Path) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    engine = ScriptedEngine(lambda prompt, _n: never() if "number 3" in prompt else None)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        async with engine:
            yield engine

    async def stop_it() -> None:
        task = asyncio.create_task(sample(experiment(), QUESTIONS, tmp_path, opened))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stop_it())
    assert set(keys(tmp_path)) == planned(5, questions=3)
    session = json.loads((tmp_path / "run.json").read_text())["sessions"][0]
    assert session["ended"] is not None
    assert session["answers"] == 30
    assert run(tmp_path, ScriptedEngine()).missing == 0
    assert sorted(keys(tmp_path)) == sorted(planned(5))


def test_an_error_that_is_not_the_engine_s_comes_out_as_it_is(tmp_path: Path) -> None:
    def full(prompt: str, n: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        run(tmp_path, ScriptedEngine(full))


def test_restart_puts_the_old_answers_aside(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine())
    run(tmp_path, ScriptedEngine(), restart=True, temperature=0.5)
    (old,) = tmp_path.glob("samples.jsonl.bak-*")
    assert len(old.read_text().splitlines()) == 40
    assert sorted(keys(tmp_path)) == sorted(planned(5))
    assert json.loads((tmp_path / "run.json").read_text())["experiment"]["temperature"] == 0.5


def test_another_experiment_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine())
    before = (tmp_path / "samples.jsonl").read_bytes()
    engine = ScriptedEngine()
    with pytest.raises(BadInput, match=r"another temperature \(1.0 then, 0.5 now\)"):
        run(tmp_path, engine, temperature=0.5, samples=9)
    assert engine.opened == 0
    assert (tmp_path / "samples.jsonl").read_bytes() == before


def test_a_second_run_into_the_folder_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(BadInput, match="another run is writing"):
        run(tmp_path, ScriptedEngine())


def test_a_prompt_without_a_budget_is_refused_before_the_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"prompt tiny-budget: .*budget"):
        run(tmp_path / "new", ScriptedEngine(), budgets=())
    assert not (tmp_path / "new").exists()


def test_a_folder_whose_engine_did_not_open_can_be_used_later(tmp_path: Path) -> None:
    @asynccontextmanager
    async def closed() -> AsyncIterator[Engine]:
        raise BadInput("no server")
        yield

    with pytest.raises(BadInput, match="no server"):
        asyncio.run(sample(experiment(), QUESTIONS, tmp_path, closed))
    assert run(tmp_path, ScriptedEngine()).missing == 0


def test_every_chunk_has_a_seed_of_its_own(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine())
    seeds = read_samples(tmp_path).groupby(["question_id", "setting"])["seed"].nunique()
    assert set(seeds) == {3}  # five answers in chunks of two
    assert Chunk(QUESTIONS[0], "10", 10, "sample", (0,)).seed(0) < 2**53  # a number JSON keeps whole


def test_a_server_that_has_too_much_to_do_is_asked_for_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Busy(ScriptedEngine):
        """Puts off every request beyond six."""

        async def generate(self, prompt: str, n: int, sampling: Sampling, seed: int) -> list[Completion]:
            while self.in_flight >= 6:
                self.overloads += 1
                await asyncio.sleep(0.001)
            return await super().generate(prompt, n, sampling, seed)

    limits: list[int] = []
    end = InFlight.end

    def end_and_note(self: InFlight, tokens: int, overloaded: bool = False) -> None:
        end(self, tokens, overloaded)
        limits.append(self.limit)

    monkeypatch.setattr(InFlight, "end", end_and_note)
    engine = Busy(lambda _prompt, _n: asyncio.sleep(0.001))
    assert run(tmp_path, engine, samples=100, chunk=1).missing == 0
    assert engine.overloads > 0
    assert len(limits) == 800
    assert limits[0] > 20
    assert limits[-1] < 10


def test_requests_are_made_up_only_when_they_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(*arguments: Any) -> Iterator[Chunk]:
        made.append(0)
        for chunk in remaining_chunks(*arguments):
            made[-1] += 1
            yield chunk

    async def never() -> None:
        await asyncio.Event().wait()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        yield ScriptedEngine(lambda _prompt, _n: never())

    async def stop_it() -> None:
        await asyncio.wait_for(sample(experiment(samples=1000), QUESTIONS, tmp_path, opened), 0.3)

    monkeypatch.setattr("harness.sampler.remaining_chunks", counted)
    with pytest.raises(TimeoutError):
        asyncio.run(stop_it())
    _first_question, counting, sending = made
    assert counting == 4000
    assert START <= sending <= START + 1


def test_the_bar_begins_with_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[tqdm[Any]] = []

    def bar(**options: Any) -> "tqdm[Any]":
        bars.append(tqdm(**options))
        return bars[-1]

    run(tmp_path, ScriptedEngine(), samples=3)
    monkeypatch.setattr("harness.sampler.tqdm", bar)
    run(tmp_path, ScriptedEngine(), samples=5)
    assert (bars[0].initial, bars[0].total, bars[0].n) == (24, 40, 40)

"""The sampler: exactly the planned answers, whatever fails, over repeated runs into the same folder.

The number of requests in flight follows the copies of the model behind the URL, even during a run.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Engine
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.experiment import Experiment, read_experiment
from harness.run import sampler, session
from harness.run.queries import Query, remaining
from harness.run.sampler import sample
from harness.run.session import FEWEST_FAILURES
from harness.tally.rate import Pace
from results import BadInput, read_samples
from tests.harness.engines.servers import FaultyServer, sglang, with_engine
from tests.harness.run.rows import record_in, rewrite, stored
from tests.harness.run.scripted import QUESTIONS, ScriptedEngine, experiment, keys, planned, run, run_async


def test_every_planned_answer_is_a_request_with_its_own_seed_and_a_row(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    outcome = run(tmp_path, engine, seed=3)
    assert (outcome.planned, outcome.missing, outcome.failures) == (40, 0, [])
    assert sorted(keys(tmp_path)) == sorted(planned(5))
    assert read_samples(tmp_path)["correct"].all()
    assert {(row["sample"], row["text"].split(":")[0]) for row in stored(tmp_path)} == {
        (sample, str(sample)) for sample in range(5)
    }
    assert engine.seeds == [query.seed(3) for query in remaining(experiment(), QUESTIONS, {})]
    assert len(set(engine.seeds)) == len(engine.seeds)
    assert max(engine.seeds) < 2**53  # integers that JSON keeps exact
    assert {row["seed"] for row in stored(tmp_path)} == set(engine.seeds)
    (only,) = record_in(tmp_path)["sessions"]
    assert only["answers"] == outcome.tally.answers == 40
    assert only["tokens"] == outcome.tally.tokens == 40 * 9


def test_a_row_says_everything_about_its_answer_and_has_the_verdict_on_its_own_text(tmp_path: Path) -> None:
    texts = ["The answer is ##2##. [END] ##1##", "none"]
    engine = ScriptedEngine(lambda _prompt, place: texts[place % 2])
    outcome = run(tmp_path, engine, samples=1, greedy=True, budgets=(40,))
    assert outcome.tally.accuracy == 1 / 8  # greedy answer to question 2
    for row in stored(tmp_path):
        assert row["text"] == texts[row["decoding"] == "sample"]
        assert row["correct"] == (row["answer"] == row["gold"])
    greedy, sampled = (row for row in stored(tmp_path) if row["question_id"] == "q-2")
    assert greedy == {
        **{"question_id": "q-2", "setting": "40", "sample": 0, "dataset": "tiny", "model": "tiny"},
        **{"answer": "2", "gold": "2", "correct": True, "reader": "hashes", "text": texts[0]},
        **{"tokens": 9, "finish_reason": "stop", "prompt_tokens": 20, "decoding": "greedy"},
        "seed": greedy["seed"],
    }
    verdict = {"answer": None, "correct": False, "reader": None, "text": "none"}
    assert sampled == greedy | verdict | {"decoding": "sample", "seed": sampled["seed"]}
    assert greedy["seed"] != sampled["seed"]


def test_what_is_missing_alone_is_asked_for_and_what_was_there_counted_once(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine(), limit=2, samples=3)
    assert set(keys(tmp_path)) == planned(3, questions=2)
    rewrite(tmp_path, [row for row in stored(tmp_path) if row["sample"] != 1])
    more = ScriptedEngine()
    outcome = run(tmp_path, more)
    assert len(more.asked) == 40 - 8
    assert sorted(keys(tmp_path)) == sorted(planned(5))
    assert outcome.tally.answers == 40
    assert [counts.answers for counts in outcome.tally.settings.values()] == [20, 20]
    assert [setting["answers"] for setting in record_in(tmp_path)["summary"]["settings"]] == [20, 20]
    before, again = stored(tmp_path), ScriptedEngine()
    assert run(tmp_path, again).missing == 0
    assert again.opened == 0
    assert stored(tmp_path) == before


def test_a_session_that_was_killed_is_counted_when_the_next_begins(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine(), limit=2, samples=3)
    record = record_in(tmp_path)
    del record["sessions"][0]["answers"], record["sessions"][0]["tokens"]
    record["sessions"][0]["ended"] = None
    (tmp_path / "run.json").write_text(json.dumps(record))
    run(tmp_path, ScriptedEngine())
    assert [session["answers"] for session in record_in(tmp_path)["sessions"]] == [12, 28]


def test_restart_puts_the_old_answers_aside(tmp_path: Path) -> None:
    for temperature in (1.0, 0.5, 0.25):
        run(tmp_path, ScriptedEngine(), restart=True, temperature=temperature)
    assert sorted(keys(tmp_path)) == sorted(planned(5))
    assert record_in(tmp_path)["experiment"]["temperature"] == 0.25
    assert [len(old.read_text().splitlines()) for old in tmp_path.glob("samples.jsonl.bak-*")] == [40, 40]
    records = [json.loads(old.read_text()) for old in tmp_path.glob("run.json.bak-*")]
    assert sorted(record["experiment"]["temperature"] for record in records) == [0.5, 1.0]


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


def test_rates_begin_once_as_many_answers_have_ended_as_are_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paces: list[tuple[int, Pace]] = []
    endings: list[bool] = []

    def pace(answers: int) -> Pace:
        paces.append((answers, Pace(answers)))
        return paces[-1][1]

    monkeypatch.setattr(session, "Pace", pace)
    script = ScriptedEngine(lambda _prompt, _place: endings.append(paces[0][1].ending))
    run(tmp_path, script, concurrency=7)
    assert paces[0][0] == 7
    assert endings == [False] * 33 + [True] * 7  # the last of 40 requests is sent while six are in flight


def test_the_time_left_is_that_of_the_answers_that_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    run(tmp_path, ScriptedEngine(), limit=1, samples=4)
    bars: list[tuple[float, float]] = []
    monkeypatch.setattr(session.tqdm, "set_postfix_str", lambda _bar, text, **_: said.append(text))
    monkeypatch.setattr(session.tqdm, "close", lambda bar: bars.append((bar.initial, bar.n)))
    monkeypatch.setattr(Pace, "rates", lambda _pace: (2.0, 100.0))
    monkeypatch.setattr(Pace, "seconds_left", lambda _pace, answers: answers / 2)
    run(tmp_path, ScriptedEngine(), concurrency=1)
    assert bars[0] == (8, 40)
    assert said[0] == "2.0 answers/s, 100 tokens/s, 16 s left, 100.0% of finished questions correct"
    assert said[-1] == said[0].replace("16", "0")


def test_a_run_warns_while_it_can_still_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every eighth answer is the same, as from a server with eight seeds, and none is readable."""
    monkeypatch.setattr(sampler, "LOOKS", (6, 7))
    engine = ScriptedEngine(lambda _prompt, place: f"about {place % 8} eggs")
    said: list[tuple[int, str]] = []
    plan = {"samples": 16, "concurrency": 1}
    run(tmp_path, engine, **plan, say=lambda line: said.append((len(engine.asked), line)))
    assert [asked for asked, _ in said] == [96, 96, 112, 112]  # of 128 requests
    assert all(line.startswith("warning, so far: ") for _, line in said)
    assert "100.00%" in said[0][1]
    assert f"`tts regrade {tmp_path} " in said[1][1]
    run(tmp_path, engine, **plan, budgets=(10, 40, 60), say=lambda line: said.append((0, line)))
    assert len(said) == 4  # the first eight questions were checked before


def test_a_request_that_keeps_failing_leaves_its_answer_absent(tmp_path: Path) -> None:
    def fail_for_one(prompt: str, place: int) -> None:
        if "number 2" in prompt and "10 tokens" in prompt and place == 4:
            raise EngineError("6 attempts failed")

    outcome = run(tmp_path, ScriptedEngine(fail_for_one))
    assert outcome.missing == 1
    assert outcome.failures == ["question q-2, setting 10, sample 4: 6 attempts failed"]
    assert set(keys(tmp_path)) == planned(5) - {("q-2", "10", "sample", 4)}
    assert run(tmp_path, ScriptedEngine()).missing == 0
    assert sorted(keys(tmp_path)) == sorted(planned(5))


@pytest.mark.parametrize(
    ("fails", "error", "wanted", "failures", "missing"),
    [
        (lambda prompt, _number: "number 1" in prompt, RequestRefused("too long"), 3, 50, 50),
        (lambda _prompt, number: number % 4 == 0, EngineError("far apart"), 1, 50, 50),
        (lambda _prompt, number: number <= 30, EngineError("to all in flight, once"), 40, 30, 30),
        (lambda _prompt, _number: True, EngineError("refused by all"), 1, FEWEST_FAILURES, 200),
        (lambda _prompt, _number: True, EngineGone("no answer after 600 s"), 3, 1, 200),
    ],
    ids=lambda given: str(given) if isinstance(given, Exception) else "",
)
def test_failures_in_a_row_end_a_run_and_others_do_not(
    tmp_path: Path,
    fails: Callable[[str, int], bool],
    error: Exception,
    wanted: int,
    failures: int,
    missing: int,
) -> None:
    in_flight = []

    def script(prompt: str, _place: int) -> None:
        in_flight.append(engine.in_flight)
        if fails(prompt, len(in_flight)):
            raise error

    engine = ScriptedEngine(script)
    outcome = run(tmp_path, engine, samples=25, concurrency=wanted)
    assert (len(outcome.failures), outcome.missing) == (failures, missing)
    assert outcome.tally.answers == 200 - missing
    assert max(in_flight) == max(in_flight[100:], default=wanted) == wanted


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
    (session,) = record_in(tmp_path)["sessions"]
    assert session["events"] == engine.events


async def stop_once(engine: ScriptedEngine, waiting: int, folder: Path, **changes: Any) -> None:
    """Run until `waiting` requests are in flight and nothing else happens, then cancel the run."""
    task = asyncio.create_task(run_async(folder, engine, **changes))
    idle = 0
    while idle < 10:  # rounds of the event loop without a request or a reply
        asked = len(engine.asked)
        await asyncio.sleep(0)
        idle = idle + 1 if engine.in_flight == waiting and len(engine.asked) == asked else 0
        assert not task.done(), task.exception()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_stopped_run_keeps_its_finished_answers_and_goes_on_from_there(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda prompt, _place: asyncio.Event().wait() if "number 3" in prompt else None)
    asyncio.run(stop_once(engine, 10, tmp_path))
    assert sorted(keys(tmp_path)) == sorted(planned(5, questions=3))
    (session,) = record_in(tmp_path)["sessions"]
    assert session["ended"] is not None
    assert session["answers"] == 30
    assert run(tmp_path, ScriptedEngine()).missing == 0
    assert sorted(keys(tmp_path)) == sorted(planned(5))


def test_an_error_that_is_not_the_engine_s_comes_out_as_it_is(tmp_path: Path) -> None:
    def full(_prompt: str, _place: int) -> None:
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
    asyncio.run(stop_once(engine, 7, tmp_path, samples=1000, concurrency=7))
    counting, sending = made
    assert (counting, sending) == (8000, 7)


WORKERS = [
    {"is_healthy": True, "labels": {"dp_size": "4"}},
    {"is_healthy": True, "labels": {}},
    {"is_healthy": False, "labels": {"dp_size": "8"}},
]


class Growing(ScriptedEngine):
    """Reports one copy of the model, then three, then an unknown number, then one again."""

    def __init__(self) -> None:
        super().__init__(self.wait)
        self.looks = 0
        self.most: Counter[int] = Counter()
        """The most requests in flight, by the number of times that copies were asked for."""

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

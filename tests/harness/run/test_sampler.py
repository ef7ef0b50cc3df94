"""The sampler: exactly the planned answers, run after run into the same folder."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from harness.engines.base import Engine
from harness.run import sampler, session
from harness.run.queries import remaining
from harness.run.sampler import sample
from harness.tally.rate import Pace
from results import BadInput, read_samples
from tests.harness.run.scripted import QUESTIONS, ScriptedEngine, experiment, keys, planned, run, stored


def test_the_planned_answers_are_stored_graded_and_readable_as_a_table(tmp_path: Path) -> None:
    outcome = run(tmp_path, ScriptedEngine())
    assert (outcome.planned, outcome.missing, outcome.failures) == (40, 0, [])
    assert sorted(keys(tmp_path)) == sorted(planned(5))
    table = read_samples(tmp_path)
    assert table["correct"].all()
    assert set(table["answer"]) == {"0", "1", "2", "3"}
    assert set(table["setting"]) == {"10", "40"}
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["sessions"][0]["answers"] == outcome.tally.answers == 40
    assert record["sessions"][0]["tokens"] == outcome.tally.tokens == 40 * 9


def test_each_answer_is_a_request_and_missing_ones_are_asked_for_by_their_index(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine())
    assert {(row["sample"], row["text"].split(":")[0]) for row in stored(tmp_path)} == {
        (sample, str(sample)) for sample in range(5)
    }
    lost = [row for row in stored(tmp_path) if row["sample"] not in (1, 4)]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lost))
    engine = ScriptedEngine(lambda _prompt, place: ["first", "second"][place])
    run(tmp_path, engine)
    assert len(engine.asked) == 16
    assert {(row["sample"], row["text"]) for row in stored(tmp_path)[len(lost) :]} == {
        (1, "first"),
        (4, "second"),
    }


def test_a_row_says_everything_about_its_answer(tmp_path: Path) -> None:
    text = "3 and 4 are ##7##."
    run(
        tmp_path, ScriptedEngine(lambda _prompt, _place: text), samples=1, greedy=True, budgets=(40,), limit=1
    )
    greedy, sampled = sorted(stored(tmp_path), key=lambda row: row["decoding"])
    assert sampled == {
        **{"question_id": "q-0", "setting": "40", "sample": 0, "dataset": "tiny", "model": "tiny"},
        **{"answer": "7", "gold": "0", "correct": False, "reader": "hashes", "text": text},
        **{"tokens": 9, "finish_reason": "stop", "prompt_tokens": 20, "decoding": "sample"},
        "seed": sampled["seed"],
    }
    assert greedy == sampled | {"decoding": "greedy", "seed": greedy["seed"]}
    assert greedy["seed"] != sampled["seed"]


def test_each_answer_has_the_verdict_on_its_own_text(tmp_path: Path) -> None:
    texts = ["The answer is ##2##. [END] ##1##", "none"]
    outcome = run(tmp_path, ScriptedEngine(lambda _prompt, place: texts[place]), samples=2)
    for row in stored(tmp_path):
        answer = "2" if row["sample"] == 0 else None
        assert (row["answer"], row["text"]) == (answer, texts[row["sample"]])
        assert row["correct"] == (answer == row["gold"])
        assert row["reader"] == ("hashes" if answer else None)
    assert outcome.tally.accuracy == 2 / 16  # question 2, in both settings


def test_every_request_is_sent_with_the_seed_of_its_answer(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    run(tmp_path, engine, seed=3)
    assert engine.seeds == [query.seed(3) for query in remaining(experiment(), QUESTIONS, {})]
    assert len(set(engine.seeds)) == len(engine.seeds) == 4 * 2 * 5
    assert max(engine.seeds) < 2**53  # numbers that JSON keeps whole
    assert {row["seed"] for row in stored(tmp_path)} == set(engine.seeds)


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
    outcome = run(tmp_path, more)
    assert len(more.asked) == 40 - 12
    # The answers that were there are counted, and counted once.
    assert outcome.tally.answers == 40
    assert [counts.answers for counts in outcome.tally.settings.values()] == [20, 20]
    summary = json.loads((tmp_path / "run.json").read_text())["summary"]
    assert [setting["answers"] for setting in summary["settings"]] == [20, 20]
    assert sorted(keys(tmp_path)) == sorted(planned(5))


def test_restart_puts_the_old_answers_aside(tmp_path: Path) -> None:
    run(tmp_path, ScriptedEngine())
    run(tmp_path, ScriptedEngine(), restart=True, temperature=0.5)
    (old,) = tmp_path.glob("samples.jsonl.bak-*")
    assert len(old.read_text().splitlines()) == 40
    assert sorted(keys(tmp_path)) == sorted(planned(5))
    assert json.loads((tmp_path / "run.json").read_text())["experiment"]["temperature"] == 0.5


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
    paces: list[Pace] = []
    in_flight: list[int] = []
    endings: list[bool] = []

    def pace(answers: int) -> Pace:
        in_flight.append(answers)
        paces.append(Pace(answers))
        return paces[-1]

    monkeypatch.setattr(session, "Pace", pace)
    script = ScriptedEngine(lambda _prompt, _place: endings.append(paces[0].ending))
    run(tmp_path, script, concurrency=7)
    assert in_flight == [7]
    assert endings == [False] * 33 + [True] * 7  # the last of 40 requests is sent while six are under way


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
    assert said[-1] == "2.0 answers/s, 100 tokens/s, 0 s left, 100.0% of finished questions correct"


def test_a_run_warns_while_it_can_still_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every eighth answer is the same, as from a server with eight seeds, and none can be read."""
    monkeypatch.setattr(sampler, "LOOKS", (6, 7))
    engine = ScriptedEngine(lambda _prompt, place: f"about {place % 8} eggs")
    said: list[tuple[int, str]] = []
    plan = {"samples": 16, "concurrency": 1}
    run(tmp_path, engine, **plan, say=lambda line: said.append((len(engine.asked), line)))
    assert [asked for asked, _ in said] == [96, 96, 112, 112]  # of 128 requests
    assert all(line.startswith("warning, so far: ") for _, line in said)
    assert f" {tmp_path} " in said[1][1]
    assert "100.00%" in said[0][1]
    assert "100.0% of the answers could not be read" in said[1][1]
    run(tmp_path, engine, **plan, budgets=(10, 40, 60), say=lambda line: said.append((0, line)))
    assert len(said) == 4  # the eight questions before have been looked at

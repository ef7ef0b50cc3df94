"""run.json: what is on record, and what is read from it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.experiment import read_experiment
from harness.questions.hub_rows import GSM8K
from harness.store.identity import commits, engine_changes
from harness.store.record import Record, experiment_in
from harness.tally.rate import Pace
from results import BadInput
from tests.harness.run.scripted import QUESTIONS

EXPERIMENT = read_experiment("tiny")
ENGINE = {"name": "sglang", "version": "0.5.23", "server": {"dtype": "float32"}}
SUMMARY = {"settings": [], "alarm": None}


def on_disk(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found


def session(folder: Path, answers: int | None, tokens: int = 0, stored: tuple[int, int] = (0, 0)) -> None:
    """One more session, killed where it has no number of answers; `stored` was there before it."""
    before = on_disk(folder) if (folder / "run.json").exists() else None
    record, pace = Record(folder, EXPERIMENT, QUESTIONS, before, stored), Pace(1)
    record.begin(ENGINE, planned=10)
    if answers is not None:
        pace.add(answers, tokens)
        record.end(pace, SUMMARY | {"answers": answers})


def test_everything_needed_to_repeat_a_run_is_on_record(tmp_path: Path) -> None:
    session(tmp_path, None)
    assert on_disk(tmp_path)["summary"] is None
    session(tmp_path, answers=7, tokens=70)
    found = on_disk(tmp_path)
    assert found["experiment"]["model"] == "tiny"
    assert found["prompt_sha256"] == prompts.digest("tiny-budget")
    assert found["planned"] == 10
    assert found["summary"] == SUMMARY | {"answers": 7}
    killed, ended = found["sessions"]
    assert (killed["ended"], killed["answers"]) == (None, 0)
    assert (ended["answers"], ended["tokens"]) == (7, 70)
    assert ended["seconds"] >= 0
    assert ended["started"] <= ended["ended"]
    assert ended["engine"] == ENGINE
    assert ended["git_commit"] is None or len(ended["git_commit"]) == 40


def test_a_session_that_begins_keeps_the_summary_and_counts_what_a_killed_one_did_not(tmp_path: Path) -> None:
    session(tmp_path, answers=7, tokens=70)
    for stored in ((7, 70), (10, 95), (10, 95), (8, 80)):  # the last as if rows had been put aside
        session(tmp_path, None, stored=stored)
    assert on_disk(tmp_path)["summary"] == SUMMARY | {"answers": 7}
    *found, last = on_disk(tmp_path)["sessions"]
    assert [(one["answers"], one["tokens"]) for one in found] == [(7, 70), (3, 25), (0, 0), (0, 0)]
    assert "answers" not in last


def test_the_summary_of_a_killed_session_is_made_good(tmp_path: Path) -> None:
    session(tmp_path, None)
    before = on_disk(tmp_path)
    Record(tmp_path, EXPERIMENT, QUESTIONS, before).keep(SUMMARY)
    assert on_disk(tmp_path) == before | {"summary": SUMMARY}
    Record(tmp_path / "new", EXPERIMENT, QUESTIONS).keep(SUMMARY)
    assert not (tmp_path / "new").exists()


def test_the_rate_on_record_is_that_of_the_steady_middle_in_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    record, pace = Record(tmp_path, EXPERIMENT, QUESTIONS), Pace(2)
    record.begin(ENGINE, planned=10)
    for seconds, answers, tokens in ((50.0, 2, 40), (60.0, 3, 55), (64.0, 1, 15)):
        clock[0] = seconds
        pace.add(answers, tokens)
    clock[0] = 70.0
    record.end(pace, SUMMARY)
    (only,) = on_disk(tmp_path)["sessions"]
    assert (only["seconds"], only["answers"], only["tokens"]) == (70.0, 6, 110)
    assert only["tokens_per_second"] == 5.0  # 70 tokens in 14 s


def test_the_experiment_on_record_may_have_a_key_of_another_version(tmp_path: Path) -> None:
    session(tmp_path, None)
    found = on_disk(tmp_path)
    found["experiment"]["colour"] = None
    (tmp_path / "run.json").write_text(json.dumps(found))
    assert experiment_in(tmp_path) == EXPERIMENT


def test_an_engine_that_changes_is_told_and_on_record(tmp_path: Path) -> None:
    session(tmp_path, answers=7)
    other = ENGINE | {"version": "0.6", "server": {"dtype": "float16", "quantization": "awq", "port": 1}}
    changed = Record(tmp_path, EXPERIMENT, QUESTIONS, on_disk(tmp_path)).begin(other, planned=10)
    assert changed == {"version": ["0.5.23", "0.6"], "dtype": ["float32", "float16"]}
    assert [one["engine_changed"] for one in on_disk(tmp_path)["sessions"]] == [{}, changed]
    back = Record(tmp_path, EXPERIMENT, QUESTIONS, on_disk(tmp_path)).begin(ENGINE, planned=10)
    assert back == {"version": ["0.6", "0.5.23"], "dtype": ["float16", "float32"]}


@pytest.mark.parametrize(
    "name",
    [
        *("name", "version", "dtype", "quantization", "kv_cache_dtype", "load_format"),
        *("revision", "model_path", "model", "answered_by"),
    ],
)
def test_what_may_change_answers_is_told_wherever_an_engine_says_it(name: str) -> None:
    assert engine_changes({name: "a"}, {"server": {name: "b"}}) == {name: ["a", "b"]}
    assert engine_changes({name: "a"}, {name: "a"}) == engine_changes({}, {name: "b"}) == {}


def test_a_hub_model_is_known_by_its_commit_and_must_keep_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache as the hub's client lays it out: the branch `main` names a commit, and a folder holds it."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    model = tmp_path / "hub" / "models--org--model"

    def hub_has(commit: str) -> None:
        (model / "refs").mkdir(parents=True, exist_ok=True)
        (model / "refs" / "main").write_text(commit)
        (model / "snapshots" / commit).mkdir(parents=True)
        (model / "snapshots" / commit / "config.json").write_text("{}")

    def begin() -> None:
        before = on_disk(run) if (run / "run.json").exists() else None
        Record(run, experiment, QUESTIONS, before).begin(ENGINE, planned=10)

    run, experiment = tmp_path / "run", read_experiment("gsm8k-budgets", {"model": "org/model"})
    assert experiment.revision is None
    hub_has("a" * 40)
    begin()
    begin()
    assert on_disk(run)["sessions"][1]["commits"] == {"model": "a" * 40, "dataset": GSM8K.revision}
    assert commits(experiment.model_copy(update={"file": Path("rows.jsonl")}))["dataset"] is None
    hub_has("b" * 40)
    before = (run / "run.json").read_bytes()
    with pytest.raises(BadInput, match="b" * 40):
        begin()
    assert (run / "run.json").read_bytes() == before


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"experiment": null}', '{"experiment": {}}', '{"experiment": {"colour": 1}}']
)
def test_a_record_of_another_kind_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    assert experiment_in(tmp_path) is None


def test_a_run_goes_on_only_with_prompts_that_are_sent_alike(tmp_path: Path) -> None:
    alike = {"prompts": {"sha256": "aa", "date": None}}
    dated = {"prompts": {"sha256": "bb", "date": "2024-07-26"}}

    def begin(engine: dict[str, Any]) -> None:
        before = on_disk(tmp_path) if (tmp_path / "run.json").exists() else None
        Record(tmp_path, EXPERIMENT, QUESTIONS, before).begin(ENGINE | engine, planned=10)

    begin({})  # by an earlier version, which recorded nothing of it
    with pytest.raises(BadInput, match="date of their day"):
        begin(dated)
    begin(alike)
    begin({})
    with pytest.raises(BadInput, match="template or tokenizer"):
        begin({"prompts": {"sha256": "cc", "date": None}})
    begin(alike)
    assert len(on_disk(tmp_path)["sessions"]) == 4

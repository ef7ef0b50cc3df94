"""run.json: what it records, and what is read from it."""

from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.experiment import Experiment, read_experiment
from harness.questions.hub_rows import GSM8K
from harness.store.identity import commits, engine_changes
from harness.store.record import Record, experiment_in
from harness.tally.rate import Pace
from results import BadInput
from tests.harness.run.rows import change_record, record_in
from tests.harness.run.scripted import QUESTIONS

EXPERIMENT = read_experiment("tiny")
ENGINE = {"name": "sglang", "version": "0.5.23", "server": {"dtype": "float32"}}
SUMMARY = {"settings": [], "alarm": None}


def begun(
    folder: Path,
    engine: dict[str, Any] = ENGINE,
    stored: tuple[int, int] = (0, 0),
    experiment: Experiment = EXPERIMENT,
) -> Record:
    """Start one more session; `stored` counts the answers and tokens before it."""
    before = record_in(folder) if (folder / "run.json").exists() else None
    record = Record(folder, experiment, QUESTIONS, before, stored)
    record.begin(engine, planned=10)
    return record


def session(folder: Path, answers: int, tokens: int = 0) -> None:
    """Run one more session, which ends normally."""
    record, pace = begun(folder), Pace(1)
    pace.add(answers, tokens)
    record.end(pace, SUMMARY | {"answers": answers})


def test_everything_needed_to_repeat_a_run_is_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pace, "rates", lambda _pace: (0.5, 5.0))
    begun(tmp_path)
    assert record_in(tmp_path)["summary"] is None
    session(tmp_path, answers=7, tokens=70)
    found = record_in(tmp_path)
    assert found["experiment"]["model"] == "tiny"
    assert found["prompt_sha256"] == prompts.digest("tiny-budget")
    assert found["planned"] == 10
    assert found["summary"] == SUMMARY | {"answers": 7}
    killed, ended = found["sessions"]
    assert (killed["ended"], killed["answers"]) == (None, 0)
    assert (ended["answers"], ended["tokens"]) == (7, 70)
    assert ended["tokens_per_second"] == 5.0  # in the steady middle
    assert ended["seconds"] >= 0
    assert ended["started"] <= ended["ended"]
    assert ended["engine"] == ENGINE
    assert ended["git_commit"] is None or len(ended["git_commit"]) == 40


def test_a_session_that_begins_keeps_the_summary_and_counts_what_a_killed_one_did_not(tmp_path: Path) -> None:
    session(tmp_path, answers=7, tokens=70)
    for stored in ((7, 70), (10, 95), (10, 95), (8, 80)):  # in the last, rows were removed
        begun(tmp_path, stored=stored)
    assert record_in(tmp_path)["summary"] == SUMMARY | {"answers": 7}
    *found, last = record_in(tmp_path)["sessions"]
    assert [(one["answers"], one["tokens"]) for one in found] == [(7, 70), (3, 25), (0, 0), (0, 0)]
    assert "answers" not in last


def test_the_summary_of_a_killed_session_is_made_good(tmp_path: Path) -> None:
    begun(tmp_path)
    before = record_in(tmp_path)
    Record(tmp_path, EXPERIMENT, QUESTIONS, before).keep(SUMMARY, before["planned"])
    assert record_in(tmp_path) == before | {"summary": SUMMARY}
    Record(tmp_path / "new", EXPERIMENT, QUESTIONS).keep(SUMMARY, 1)
    assert not (tmp_path / "new").exists()


def test_an_engine_that_changes_is_told_and_on_record(tmp_path: Path) -> None:
    session(tmp_path, answers=7)
    other = ENGINE | {"version": "0.6", "server": {"dtype": "float16", "quantization": "awq", "port": 1}}
    for engine in (other, ENGINE):
        begun(tmp_path, engine)
    assert [one["engine_changed"] for one in record_in(tmp_path)["sessions"]] == [
        {},
        {"version": ["0.5.23", "0.6"], "dtype": ["float32", "float16"]},
        {"version": ["0.6", "0.5.23"], "dtype": ["float16", "float32"]},
    ]


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
    """A cache in the layout of the hub's client: `main` names a commit, and a folder holds its files."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    model = tmp_path / "hub" / "models--org--model"

    def hub_has(commit: str) -> None:
        (model / "refs").mkdir(parents=True, exist_ok=True)
        (model / "refs" / "main").write_text(commit)
        (model / "snapshots" / commit).mkdir(parents=True)
        (model / "snapshots" / commit / "config.json").write_text("{}")

    run, experiment = tmp_path / "run", read_experiment("gsm8k-budgets", {"model": "org/model"})
    assert experiment.revision is None
    hub_has("a" * 40)
    begun(run, experiment=experiment)
    change_record(run, lambda found: found["sessions"][0]["commits"].update(dataset="c" * 40) or found)
    begun(run, experiment=experiment)  # questions are compared themselves
    assert record_in(run)["sessions"][1]["commits"] == {"model": "a" * 40, "dataset": GSM8K.revision}
    assert commits(experiment.model_copy(update={"file": Path("rows.jsonl")}))["dataset"] is None
    hub_has("b" * 40)
    before = (run / "run.json").read_bytes()
    with pytest.raises(BadInput, match="b" * 40):
        begun(run, experiment=experiment)
    assert (run / "run.json").read_bytes() == before


def test_the_experiment_on_record_may_have_a_key_of_another_version(tmp_path: Path) -> None:
    begun(tmp_path)
    change_record(tmp_path, lambda found: found | {"experiment": found["experiment"] | {"colour": None}})
    assert experiment_in(tmp_path) == EXPERIMENT


def test_a_run_goes_on_only_with_prompts_that_are_sent_alike(tmp_path: Path) -> None:
    alike, dated, other = (
        ENGINE | {"prompts": {"sha256": digest, "date": date}}
        for digest, date in (("aa", None), ("bb", "2024-07-26"), ("cc", None))
    )
    begun(tmp_path)  # by an earlier version, which did not record prompts
    with pytest.raises(BadInput, match="date of their day"):
        begun(tmp_path, dated)
    begun(tmp_path, alike)
    begun(tmp_path)
    with pytest.raises(BadInput, match="template or tokenizer"):
        begun(tmp_path, other)
    begun(tmp_path, alike)
    assert len(record_in(tmp_path)["sessions"]) == 4

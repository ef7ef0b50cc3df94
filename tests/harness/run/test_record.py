"""run.json: what is on record, and what a run refuses to be continued with."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.experiment import Experiment, model_location, read_experiment
from harness.questions.load import Question
from harness.run.record import Record
from harness.run.store import SAMPLES
from results import BadInput

QUESTIONS = [Question("a", "Problem?", "1"), Question("b", "Another?", "2")]
ENGINE = {"name": "sglang", "version": "0.5.23", "server": {"dtype": "float32"}}


def experiment(**changes: Any) -> Experiment:
    return Experiment.model_validate(read_experiment("tiny").model_dump() | changes)


def record(folder: Path, **changes: Any) -> Record:
    return Record(folder, experiment(**changes), QUESTIONS)


def begun(folder: Path, **changes: Any) -> None:
    """A run that was started and killed."""
    run = record(folder, **changes)
    run.continue_from_disk()
    run.begin(ENGINE, planned=10)
    (folder / SAMPLES).touch()


def test_everything_needed_to_repeat_a_run_is_on_record(tmp_path: Path) -> None:
    begun(tmp_path)
    again = record(tmp_path)
    again.continue_from_disk()
    again.begin(ENGINE, planned=10)
    again.end(answers=7, tokens=70, summary={"settings": [], "alarm": None})
    found = json.loads((tmp_path / "run.json").read_text())
    assert found["experiment"]["model"] == "tiny"
    assert found["prompt_sha256"] == prompts.digest("tiny-budget")
    assert found["planned"] == 10
    assert found["max_new_tokens"] == {"10": 84, "20": 104, "30": 124, "40": 144, "60": 184, "120": 304}
    assert found["summary"] == {"settings": [], "alarm": None}
    killed, ended = found["sessions"]
    assert (killed["ended"], killed["answers"]) == (None, 0)
    assert (ended["answers"], ended["tokens"]) == (7, 70)
    assert 0 <= ended["seconds"] < 10
    assert ended["started"] <= ended["ended"]
    assert ended["engine"] == ENGINE
    assert ended["git_commit"] is None or len(ended["git_commit"]) == 40


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"temperature": 0.7}, r"temperature \(1.0 then, 0.7 now\)"),
        ({"prompt": "gsm8k-budget"}, r'prompt \("tiny-budget" then, "gsm8k-budget" now\)'),
        ({"stop": ("x",)}, r"stop \(\[\"\[END\]\"\] then, \[\"x\"\] now\)"),
        ({"tokens_extra": 1}, "tokens_extra"),
        ({"engine": "sglang"}, "engine"),
        ({"dtype": "bfloat16"}, "dtype"),
        ({"seed": 1}, "seed"),
        ({"temperature": 0.7, "top_p": 0.5}, "temperature .*, top_p .*: expected the same"),
    ],
)
def test_a_run_is_not_continued_with_what_changes_its_answers(
    tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    begun(tmp_path)
    with pytest.raises(BadInput, match=named):
        record(tmp_path, **changes).continue_from_disk()


def test_another_shard_is_refused_and_named(tmp_path: Path) -> None:
    begun(tmp_path, shard="1/2")
    with pytest.raises(BadInput, match=r'another shard \("1/2" then, "2/2" now\)'):
        record(tmp_path, shard="2/2").continue_from_disk()
    with pytest.raises(BadInput, match=r'another shard \("1/2" then, null now\)'):
        record(tmp_path).continue_from_disk()


def test_the_summary_of_a_killed_session_is_made_good(tmp_path: Path) -> None:
    begun(tmp_path)
    before = json.loads((tmp_path / "run.json").read_text())
    assert before["summary"] is None
    again = record(tmp_path, limit=1)
    again.continue_from_disk()
    again.keep({"alarm": None})
    assert json.loads((tmp_path / "run.json").read_text()) == before | {"summary": {"alarm": None}}
    empty = record(tmp_path / "new")
    empty.continue_from_disk()
    empty.keep({"alarm": None})
    assert not (tmp_path / "new").exists()


def test_more_answers_and_other_ways_to_them_are_no_change(tmp_path: Path) -> None:
    begun(tmp_path)
    record(
        tmp_path,
        file=tmp_path / "elsewhere.jsonl",
        limit=1,
        samples=128,
        budgets=(10, 500),
        greedy=True,
        chunk=8,
        concurrency=2,
        url="http://127.0.0.1:1",
        device="cpu",
        dp=2,
    ).continue_from_disk()


def test_a_changed_template_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(tmp_path)
    monkeypatch.setattr(prompts, "digest", lambda name: f"another {name}")
    with pytest.raises(BadInput, match="another prompt text: expected the same"):
        record(tmp_path).continue_from_disk()


def test_changed_questions_are_named(tmp_path: Path) -> None:
    begun(tmp_path)
    other = [QUESTIONS[0], Question("b", "Another?", "3")]
    with pytest.raises(BadInput, match="another set of questions"):
        Record(tmp_path, experiment(), other).continue_from_disk()


def test_a_model_that_was_trained_again_is_named(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(model_location("tiny"), model)
    run = tmp_path / "run"
    run.mkdir()
    begun(run, model=str(model))
    record(run, model=str(model)).continue_from_disk()
    weights = bytearray((model / "model.safetensors").read_bytes())
    weights[100_000] ^= 1
    (model / "model.safetensors").write_bytes(weights)
    with pytest.raises(BadInput, match="another training of the model"):
        record(run, model=str(model)).continue_from_disk()


def test_samples_of_unknown_origin_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / SAMPLES).write_text("{}\n")
    with pytest.raises(BadInput, match=r"samples\.jsonl without run\.json, expected another --out"):
        record(tmp_path).continue_from_disk()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"experiment": 1, "sessions": []}'])
def test_a_damaged_record_is_one_clear_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(BadInput, match="not a record of this harness"):
        record(tmp_path).continue_from_disk()


def test_files_set_aside_are_kept(tmp_path: Path) -> None:
    for text in ("first", "second"):
        (tmp_path / SAMPLES).write_text(text)
        (tmp_path / "run.json").write_text(text)
        record(tmp_path).set_aside()
    assert {path.read_text() for path in tmp_path.glob("samples.jsonl.bak-*")} == {"first", "second"}
    assert {path.read_text() for path in tmp_path.glob("run.json.bak-*")} == {"first", "second"}
    assert not (tmp_path / SAMPLES).exists()
    record(tmp_path).set_aside()  # nothing there is nothing to do

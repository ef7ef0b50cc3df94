"""What `harness judge` refuses, gives up, or warns of."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.engines.sglang import SGLangEngine
from harness.experiment import Experiment
from harness.judge.run import OF_THE_MODEL, Judged, judge_of
from harness.judge.scores import judge_identity
from harness.store.resume import locked
from harness.store.samples_file import SAMPLES
from tests.harness.commands import exit_status
from tests.harness.judge.judging import CAUTIOUS, CHAT, MODEL, SCORES, Server, folder_of, rows_of, scores

pytestmark = pytest.mark.usefixtures("impatient")


def test_another_judge_under_the_same_name_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server() as server:
        command = ("judge", folder, "--url", server.url)
        exit_status(*command, *CHAT)
        assert exit_status(*command, "--engine", "sglang", "--model", "tiny") == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert "engine" in said
        assert "--name" in said
        assert exit_status(*command, *CHAT, "--set", "concurrency=3") == 0
        other = ("--engine", "sglang", "--model", "tiny", "--name", "mine")
        assert exit_status(*command, *other) == 0
    assert scores(folder, "score_mine") == SCORES


def test_a_column_of_other_origin_stays(folder: Path) -> None:
    rows = pd.DataFrame(rows_of(folder)).assign(score_judge=0.5)
    rows.to_json(folder / SAMPLES, orient="records", lines=True)
    with Server() as server:
        assert exit_status("judge", folder, "--url", server.url, *CHAT) == 2
    assert scores(folder) == [0.5] * 8
    assert server.asked == []


def test_a_server_without_log_probabilities_is_refused_and_binds_no_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(silent=True) as server:
        assert exit_status("judge", folder, "--url", server.url, *CHAT) == 2
        assert "log-probabilities" in capsys.readouterr().err
    assert "score_judge" not in rows_of(folder)[0]
    with Server() as server:
        assert exit_status("judge", folder, "--url", server.url, "--model", "tiny") == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9"), "http://127.0.0.1:9"),
        (("run", *CHAT), "url"),
        (("run",), "--model"),
        (("run", *CHAT, "--prompt", "boxed"), "judge-yes-no"),
        (("run", *CHAT, "--prompt", "nothing"), "judge-yes-no"),
        (("run", *CHAT, "--prompt", "judge-yes-no", "--reward"), "--reward"),
        (("run", "--model", "tiny", "--reward"), "--url"),
        (("run", "--reward", "--url", "http://127.0.0.1:9"), "--model"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9", "--set", "temperature=0.5"), "temperature"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9", "--name", "a b"), "--name"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9", "--questions", "none.csv"), "none.csv"),
        (("run", "--model", "tiny", "--set", "engine=ctranslate2"), "ctranslate2"),
        (("run", "--model", "tiny", "--set", "colour=1"), "colour"),
        (("empty", *CHAT, "--url", "http://127.0.0.1:9"), "samples.jsonl"),
        (("textless", *CHAT, "--url", "http://127.0.0.1:9"), "text"),
        (("unasked", *CHAT, "--url", "http://127.0.0.1:9"), "--questions"),
    ],
)
def test_bad_input_is_one_line_and_leaves_all_as_it_was(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = rows_of(folder)
    (tmp_path / "empty").mkdir()
    for name, missing in (("textless", "text"), ("unasked", "problem")):
        (tmp_path / name).mkdir()
        less = [{key: cell for key, cell in row.items() if key != missing} for row in rows]
        (tmp_path / name / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in less))
    assert exit_status("judge", *arguments) == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1].startswith("error: ")
    assert said in err.splitlines()[-1]
    assert rows_of(folder) == rows
    assert not list(tmp_path.rglob("scores"))


def test_a_run_in_use_is_left_alone(folder: Path) -> None:
    with Server() as server, locked(folder):
        assert exit_status("judge", folder, "--url", server.url, *CHAT) == 2
    assert server.asked == []


def test_a_judge_that_seldom_says_yes_or_no_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Server(chance=lambda _text: None) as server:
        assert exit_status("judge", folder, "--url", server.url, *CHAT) == 0
    assert "warning: 8 of 8" in capsys.readouterr().err
    assert scores(folder) == [None] * 8


@pytest.mark.parametrize(
    ("judged", "null", "warns"),
    [(20, 3, True), (20, 2, False), (0, 0, False)],  # two of twenty are a tenth, and not more
)
def test_a_judge_that_was_stopped_early_is_told_by_what_it_has_judged(
    judged: int, null: int, warns: bool
) -> None:
    counts = {"answers": 1000, "asked": 1000, "judged": judged, "null": null, "levels": 5}
    found = Judged(counts, column="score_judge", failures=[], stopped=True)
    assert any("no score" in line for line in found.warnings()) is warns


@pytest.mark.parametrize("fails", [0, 2])
def test_a_judge_is_not_asked_for_ever(tmp_path: Path, fails: int) -> None:
    """After 16 failures in a row nothing more is sent."""
    questions = [str(number) for number in range(60)]
    many = folder_of(tmp_path / "many", {name: ["18"] for name in questions}, dict.fromkeys(questions, "18"))
    with Server(fails=fails, breaks=True) as server:
        assert exit_status("judge", many, "--url", server.url, *CHAT, *CAUTIOUS) == 3
    assert len(server.asked) == fails + 16
    assert sum(row.get("score_judge") is not None for row in rows_of(many)) == fails


def test_failures_that_alternate_with_verdicts_never_end_it(tmp_path: Path) -> None:
    questions = [str(number) for number in range(20)]
    both = {name: ["18", "7"] for name in questions}
    many = folder_of(tmp_path / "many", both, dict.fromkeys(questions, "18"))
    with Server(refuses="say 7") as server:
        assert exit_status("judge", many, "--url", server.url, *CHAT, *CAUTIOUS) == 3
    assert len(server.asked) == 40
    assert [row["score_judge"] is None for row in rows_of(many)] == [False, True] * 20


def judge_as(**changed: Any) -> Experiment:
    keys = {"dataset": "judged", "samples": 1, "tokens_extra": 1, "prompt": "judge-yes-no", "chat": True}
    keys |= {"engine": "openai", "model": MODEL, "url": "http://127.0.0.1:9"}
    return Experiment.model_validate(keys | changed)


@pytest.mark.parametrize(
    ("changed", "prompt"),
    [
        ({"engine": "sglang"}, "judge-yes-no"),
        ({"model": "org/other"}, "judge-yes-no"),
        ({"revision": "main"}, "judge-yes-no"),
        ({"chat": False}, "judge-yes-no"),
        ({"dtype": "float32"}, "judge-yes-no"),
        ({"request_fields": {"chat_template_kwargs": {"enable_thinking": False}}}, "judge-yes-no"),
        ({}, "boxed"),
        ({}, None),
    ],
)
def test_whatever_a_verdict_depends_on_tells_judges_apart(
    changed: dict[str, Any], prompt: str | None
) -> None:
    assert judge_identity(judge_as(**changed), prompt) != judge_identity(judge_as(), "judge-yes-no")
    elsewhere = judge_as(**changed, url="http://127.0.0.1:7", concurrency=3, seed=5)
    assert judge_identity(elsewhere, prompt) == judge_identity(judge_as(**changed), prompt)


def test_another_model_takes_nothing_from_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own model takes everything."""
    fields = {"revision": "v2", "chat": False, "dtype": "float32", "patience": 7.0}
    fields |= {"request_fields": {"a": 1}}
    run = judge_as(**fields)
    monkeypatch.setattr("harness.judge.run.experiment_in", lambda _folder: run)
    own = judge_of(Path("run"), "judge-yes-no", {"model": MODEL})
    assert {name: getattr(own, name) for name in fields} == fields
    assert own.url == run.url
    own_server = judge_as(engine="sglang", url=None, server_flags=("--tp", "2"))
    monkeypatch.setattr("harness.judge.run.experiment_in", lambda _folder: own_server)
    assert judge_of(Path("run"), "judge-yes-no", {}).server_flags == ("--tp", "2")
    assert judge_of(Path("run"), "judge-yes-no", {"url": "http://127.0.0.1:7"}).server_flags == ()
    for dtype, asked in (("int8", "auto"), ("float32", "float32")):  # a server has no 8-bit arithmetic
        in_process = judge_as(engine="ctranslate2", url=None, dtype=dtype)
        monkeypatch.setattr("harness.judge.run.experiment_in", lambda _folder, run=in_process: run)
        assert judge_of(Path("run"), "judge-yes-no", {}).dtype == asked
    there = {"model": "org/other", "engine": "openai", "url": "http://127.0.0.1:7"}
    other = judge_of(Path("run"), "judge-yes-no", there)
    plain = judge_as(model="org/other", url="http://127.0.0.1:7")
    for name in OF_THE_MODEL:
        assert getattr(other, name) == getattr(plain, name), name


def test_a_chat_that_begins_with_thinking_gives_no_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SGLangEngine, "opens_thinking", lambda _engine, _prompt: True)
    with Server() as server:
        assert exit_status("judge", folder, "--url", server.url, "--model", "tiny") == 2
    assert "enable_thinking" in capsys.readouterr().err
    assert server.asked == []

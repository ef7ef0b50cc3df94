"""Resuming a run: nothing is lost or counted twice, and nothing that its answers depend on may change."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prompts
from harness.experiment import model_location
from harness.questions.load import Question
from harness.store import resume
from harness.store.record import Record, experiment_in
from harness.store.resume import check_same_run, locked, read_done
from harness.store.samples_file import SAMPLES, mend, read_rows
from harness.tally.counts import Tally
from results import BadInput
from tests.harness.run import scripted
from tests.harness.run.rows import change_record, record_in, row, write
from tests.harness.run.scripted import QUESTIONS, experiment


def begin(folder: Path, **changes: Any) -> None:
    """Start a run that is then killed."""
    Record(folder, experiment(**changes), QUESTIONS).begin({}, planned=10)


def go_on(folder: Path, questions: list[Question] = QUESTIONS, **changes: Any) -> dict[str, Any] | None:
    return check_same_run(folder, experiment(**changes), questions)


def test_every_stored_answer_is_done_and_counted_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        [row(0), row(2, answer=None, correct=False), row(0, setting="60"), row(0, decoding="greedy")],
    )
    tally = Tally()
    assert read_done(tmp_path, tally) == {
        ("tiny-0000", "40", "sample"): {0, 2},
        ("tiny-0000", "60", "sample"): {0},
        ("tiny-0000", "40", "greedy"): {0},
    }
    assert (tally.answers, tally.tokens) == (4, 36)
    assert read_done(tmp_path / "new", Tally()) == {}


@settings(max_examples=40)
@given(texts=st.lists(st.text(max_size=30), min_size=1, max_size=4), data=st.data())
def test_a_file_cut_anywhere_keeps_its_whole_rows_and_takes_the_others_again(
    texts: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    rows = [row(index, text) for index, text in enumerate(texts)]
    whole = write(folder, rows)
    read = list(read_rows(folder / SAMPLES))
    cut = data.draw(st.integers(0, len(whole)))
    (folder / SAMPLES).write_bytes(whole[:cut])
    # A row counts if its closing brace is there, with or without its newline.
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    expected = sum(end <= cut + 1 for end in ends)
    assert list(read_rows(folder / SAMPLES)) == read[:expected]
    tally = Tally()
    mend(folder / SAMPLES)
    done = read_done(folder, tally)
    assert done.get(("tiny-0000", "40", "sample"), set()) == set(range(expected))
    assert tally.answers == expected
    assert write(folder, rows[expected:]) == whole


def test_a_long_torn_line_is_cut_off_and_a_missing_newline_added(tmp_path: Path) -> None:
    whole = write(tmp_path, [row(0)])
    for torn in (whole + b'{"question_id": "' + b"x" * 200_000, whole.removesuffix(b"\n")):
        (tmp_path / SAMPLES).write_bytes(torn)
        mend(tmp_path / SAMPLES)
        assert (tmp_path / SAMPLES).read_bytes() == whole


def test_rows_looked_at_many_at_a_time_count_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread: dict[str, Any] = {"answer": None, "correct": False, "reader": None}
    thought: dict[str, Any] = {"reasoning": "so", "reasoning_tokens": 2}
    rows = []
    for number in range(40):
        place = {"setting": str(number % 2), "question_id": f"q-{number % 3}"}
        rows.append(row(number, **place, **(thought if number % 5 else unread)))
    (tmp_path / SAMPLES).write_bytes(write(tmp_path, rows) + b'{"torn')
    monkeypatch.setattr("harness.store.samples_file.ROWS_AT_A_TIME", 7)
    found = []
    for at_once in (resume.are_rows, lambda _rows: False):
        monkeypatch.setattr(resume, "are_rows", at_once)
        tally = Tally()
        done = read_done(tmp_path, tally)
        found.append((done, tally.summary(), tally.table(), tally.warnings(tmp_path)))
    assert found[0] == found[1]
    assert sum(map(len, found[0][0].values())) == 40


BAD_ROWS = [
    (row(5), r"row 3: .* tiny-0000, 40, sample, 5"),
    (row(7, answer="17"), "row 3: correct is True"),
    (row(7, correct=False), "row 3: correct is False"),
    (row(7, gold="17", correct=False), "row 3: gold '17' of tiny-0000, which was '18' before"),
    (row(-1), "row 3: found"),
    (row(7, tokens=-1), "row 3: found"),
    (row(7, decoding="beam"), "row 3: found"),
    (row(7, model="other"), "row 3: of other on tiny, in a run of tiny on tiny"),
    (row(7, dataset="other"), "row 3: of tiny on other, in a run of tiny on tiny"),
    ([], "row 3: found"),
    ({"question_id": "q-1"}, "row 3: found"),
]


@pytest.mark.parametrize("at_a_time", [1, 2, 3, 512])
@pytest.mark.parametrize(("bad", "named"), BAD_ROWS)
def test_a_row_that_cannot_be_used_is_refused(
    tmp_path: Path, bad: Any, named: str, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.store.samples_file.ROWS_AT_A_TIME", at_a_time)
    whole = write(tmp_path, [row(5), row(6), bad, row(8)])
    with pytest.raises(BadInput, match=named):
        read_done(tmp_path, Tally(experiment()))
    assert (tmp_path / SAMPLES).read_bytes() == whole


def test_rows_that_were_deleted_are_sampled_again(tmp_path: Path) -> None:
    scripted.run(tmp_path, scripted.ScriptedEngine())
    lines = (tmp_path / SAMPLES).read_text().splitlines(keepends=True)
    (tmp_path / SAMPLES).write_text("".join([*lines[:3], "garbage\n", "\n", *lines[4:]]))
    engine = scripted.ScriptedEngine()
    with pytest.raises(BadInput, match=r"row 4: .*delete the row"):
        scripted.run(tmp_path, engine)
    (tmp_path / SAMPLES).write_text("".join([*lines[:3], *lines[4:]]))
    scripted.run(tmp_path, engine)
    assert len(engine.asked) == 1
    assert set(scripted.keys(tmp_path)) == scripted.planned(5)


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
        ({"budget_by": "force"}, "budget_by"),
        ({"request_fields": {"chat_template_kwargs": {"enable_thinking": True}}}, "request_fields"),
        ({"temperature": 0.7, "top_p": 0.5}, "temperature .*, top_p "),
    ],
)
def test_a_run_does_not_go_on_with_what_changes_its_answers(
    tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    begin(tmp_path)
    with pytest.raises(BadInput, match=named):
        go_on(tmp_path, **changes)


def test_more_answers_and_other_ways_to_them_are_no_change(tmp_path: Path) -> None:
    assert go_on(tmp_path) is None
    begin(tmp_path, engine="sglang")
    plan = {"limit": 1, "samples": 128, "budgets": (10, 500), "greedy": True, "concurrency": 2}
    how: dict[str, Any] = {
        "readers": ("boxed",),
        "match": "last",
        "engine": "sglang",
        "device": "cpu",
        "dp": 2,
    }
    where = {"url": "http://127.0.0.1:1", "file": tmp_path / "elsewhere.jsonl"}
    assert go_on(tmp_path, **plan, **how, **where) == record_in(tmp_path)


def test_what_has_changed_under_the_same_name_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path)
    problem = "Problem number 0?"
    firsts = [("q-0", problem, "3"), ("q-0", "Number 0?", "0"), ("q", problem, "0")]
    others = [[Question(*first), *QUESTIONS[1:]] for first in firsts]
    for questions in (*others, QUESTIONS[::-1]):
        with pytest.raises(BadInput, match="another set of questions"):
            go_on(tmp_path, questions)
    monkeypatch.setattr(prompts, "digest", lambda name: f"another {name}")
    with pytest.raises(BadInput, match="another prompt text"):
        go_on(tmp_path)


def test_a_model_that_was_trained_again_is_named(tmp_path: Path) -> None:
    model, run = tmp_path / "model", tmp_path / "run"
    shutil.copytree(model_location("tiny"), model)
    run.mkdir()
    begin(run, model=str(model))
    assert go_on(run, model=str(model))
    weights = (model / "model.safetensors").read_bytes()
    others = [weights + b"1", weights[:-1]]
    for place in (100_000, 3_000_000):
        others.append(weights[:place] + bytes([weights[place] ^ 1]) + weights[place + 1 :])
    for other in others:
        (model / "model.safetensors").write_bytes(other)
        with pytest.raises(BadInput, match="another training of the model"):
            go_on(run, model=str(model))


def test_samples_of_unknown_origin_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / SAMPLES).write_text("{}\n")
    with pytest.raises(BadInput, match=r"samples\.jsonl without run\.json"):
        go_on(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        *(f'{{"experiment": {it}, "sessions": []}}' for it in (1, "null", "{}", '{"colour": 1}')),
    ],
)
def test_a_damaged_record_is_no_record_and_one_clear_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    assert experiment_in(tmp_path) is None
    with pytest.raises(BadInput, match=r"run\.json: not a record"):
        go_on(tmp_path)


@pytest.mark.parametrize("sessions", ["abc", [1], [{"answers": 40}], None])
def test_sessions_that_are_none_are_one_clear_line(tmp_path: Path, sessions: Any) -> None:
    begin(tmp_path)
    change_record(tmp_path, lambda record: record | {"sessions": sessions})
    with pytest.raises(BadInput, match=r"run\.json: not a record"):
        go_on(tmp_path)


def without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A change to a record that removes these keys from its experiment."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in record["experiment"].items() if name not in names}
        return record | {"experiment": kept}

    return change


def test_a_key_that_an_earlier_version_did_not_have_is_no_change(tmp_path: Path) -> None:
    begin(tmp_path)
    record = change_record(tmp_path, without("budget_by", "shard"))
    assert go_on(tmp_path) == record
    with pytest.raises(BadInput, match="another shard"):  # the run was not a shard
        go_on(tmp_path, shard="1/2")
    change_record(tmp_path, without("readers"))
    with pytest.raises(BadInput, match=r"run\.json: not a record"):
        go_on(tmp_path)


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    with locked(folder), pytest.raises(BadInput, match="another run"), locked(folder):
        pass
    with locked(folder):  # the lock is free again
        pass


def test_a_start_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    tmp_path.joinpath("old").mkdir()
    for out in (tmp_path / "new" / "run", tmp_path / "old"):
        with pytest.raises(BadInput), locked(out):
            raise BadInput("no server")
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "old"]


@pytest.mark.parametrize("code", ["ENOLCK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])
def test_a_file_system_without_locks_is_named(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_file: int, _how: int) -> None:
        raise OSError(getattr(errno, code), os.strerror(getattr(errno, code)))

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(BadInput, match=f"{tmp_path}.*OUT="), locked(tmp_path):
        pass

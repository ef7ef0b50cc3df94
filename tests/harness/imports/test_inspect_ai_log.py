"""inspect_ai's logs become a samples table; samples that say nothing about the model are left out."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.grader import Grader
from harness.imports.inspect_ai_log import import_inspect_ai
from results import BadInput, read_samples
from tests.conftest import needs
from tests.harness.commands import imported

pytestmark = needs("inspect_ai")

Write = Callable[..., Path]

USED = {"input_tokens": 5, "input_tokens_cache_read": 20, "input_tokens_cache_write": 7}
USED |= {"output_tokens": 31, "total_tokens": 63}


ERROR = {"message": "timeout", "traceback": "", "traceback_ansi": ""}


def score(value: Any = "C", answer: str | None = "18") -> dict[str, Any]:
    return {"value": value, "answer": answer}


def sample(epoch: int, text: str = "It is ##18##.", *, id: object = "q7", **changes: Any) -> dict[str, Any]:  # noqa: A002
    reason = changes.pop("stop_reason", "stop")
    choice = {"message": {"role": "assistant", "content": text, "source": "generate"}, "stop_reason": reason}
    return {
        "id": id,
        "epoch": epoch,
        "input": "?",
        "target": "18",
        "output": {"model": "x/m", "choices": [choice], "completion": text},
        "scores": {"pattern": score()},
        "model_usage": {"x/m": USED, "x/judge": {"output_tokens": 900}},
        **changes,
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*samples: dict[str, Any], suffix: str = ".eval", **changes: Any) -> Path:
        from inspect_ai.log import EvalLog, write_eval_log

        content = {
            "status": changes.pop("status", "success"),
            "eval": {
                "created": "2026-01-31T10:00:00+00:00",
                "task": "suite/toy",
                "dataset": {},
                "model": "x/m",
                "config": {},
                "task_args": {"shots": 8, "top_k": 9},
                "model_generate_config": {"reasoning_effort": "low", "max_tokens": 7, **changes},
            },
            "plan": {"config": {"max_tokens": 100, "top_k": 5}},
            "samples": list(samples),
        }
        file = tmp_path / f"2026-01-31_toy{suffix}"
        write_eval_log(EvalLog.model_validate(content), str(file))
        return file

    return write


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_each_epoch_is_an_answer(write: Write, tmp_path: Path, suffix: str) -> None:
    few = {"usage": USED | {"output_tokens": 4}}
    counted = sample(1)["output"] | few
    last_call = sample(2, "##1,019##", stop_reason="max_tokens")["output"] | few  # of several calls
    file = write(
        # Scored right without a read answer: it votes for the target.
        sample(1, scores={"pattern": score("C", None), "other": score("I", "7")}),
        sample(2, output=last_call, scores={"pattern": score("I", "1,019")}, stop_reason="max_tokens"),
        sample(1, id=8, scores={"pattern": score(0.0, None)}, model_usage={}, output=counted),
        suffix=suffix,
    )
    chosen = ("--setting", "reasoning_effort", "--scorer", "pattern")
    imported("inspect", file, *chosen, "--out", tmp_path / "run")
    table = read_samples(tmp_path / "run").sort_values(["question_id", "sample"], ascending=[False, True])
    assert table["question_id"].tolist() == ["q7", "q7", "8"]
    assert table["sample"].tolist() == [0, 1, 0]
    assert table["answer"].fillna("").tolist() == ["18", "1019", ""]
    assert table["correct"].tolist() == [True, False, False]
    assert table["gold"].tolist() == ["18"] * 3
    assert table["tokens"].tolist() == [31, 31, 4]  # a judge's tokens do not count
    assert table["prompt_tokens"].tolist() == [32] * 3
    assert table["finish_reason"].tolist() == ["stop", "length", "stop"]
    names = table[["dataset", "model", "setting", "decoding"]].drop_duplicates()
    assert names.values.tolist() == [["suite/toy", "x/m", "low", "sample"]]


def test_what_says_nothing_about_the_model_is_absent(write: Write) -> None:
    taken_back = {"timestamp": "2026-01-31T11:00:00+00:00", "author": "a", "reason": "wrong prompt"}
    table, left_out, notes = import_inspect_ai(
        write(
            sample(1),
            sample(2, error=ERROR, scores=None),
            sample(3, limit={"type": "time", "limit": 60}),
            sample(8, limit={"type": "working", "limit": 60}),
            sample(4, limit={"type": "token", "limit": 99}, scores={"pattern": score("I", None)}),
            sample(5, limit={"type": "operator", "limit": 1}),
            sample(6, scores=None),
            sample(9, scores={"pattern": score(float("nan"), None)}),  # Score.unscored()
            sample(7, invalidation=taken_back),
            status="cancelled",
        )
    )
    assert table["sample"].tolist() == [0, 3]
    assert table["finish_reason"].tolist() == ["stop", "length"]
    assert left_out == 7
    assert any("the evaluation's status is 'cancelled'" in note for note in notes)
    reasons = ("an error", "the time limit", "the operator limit", "being invalidated", "the working limit")
    said = ", ".join(f"1 for {reason}" for reason in reasons)
    assert any(note.endswith(f"left out: {said}, 2 for no score") for note in notes)


def test_our_grader_takes_the_place_of_a_scorer(write: Write, tmp_path: Path) -> None:
    file = write(
        sample(1, "The answer is 18.", scores=None),
        sample(2, "The answer is 17, no: the answer is 16.", scores={"a": score("C"), "b": score("P")}),
        sample(3, "none", target=["Hence\n#### 18", "18.0"]),
    )
    grade = ("--grade", "answer-is", "--match", "last")
    assert imported("inspect", file, *grade, "--out", tmp_path / "run").exit_code == 0
    table = read_samples(tmp_path / "run")
    assert table["answer"].fillna("").tolist() == ["18", "16", ""]
    assert table["correct"].tolist() == [True, False, False]
    assert table["gold"].tolist() == ["18"] * 3


def test_temperature_0_is_greedy_and_settings_are_found_in_all_places(write: Write) -> None:
    file = write(sample(1), temperature=0.0)
    assert set(import_inspect_ai(file).table["decoding"]) == {"greedy"}
    for name, value in (("max_tokens", "100"), ("shots", "8"), ("top_k", "9"), ("temperature", "0.0")):
        assert set(import_inspect_ai(file, setting=name).table["setting"]) == {value}
    with pytest.raises(BadInput, match=r"no setting 'budget', found .*temperature.*shots"):
        import_inspect_ai(file, setting="budget")


def test_a_scorer_that_reads_no_answer_is_named(write: Write) -> None:
    text = "Mia has 12 - 2 = 10 eggs. Paul has 10 - 5 = 5 eggs. The answer is ##18##."
    long = {"includes": score("I", text.casefold())}
    whole = [sample(1, text, scores=long), sample(2, text, scores=long)]
    short = sample(3, "18", scores={"includes": score("C", "18")})
    other = sample(4, text, scores={"includes": score("I", text[:-1])})
    notes = import_inspect_ai(write(*whole, short, other)).notes
    assert any("2 answers" in note and "--grade" in note for note in notes)


BY_RM = {"scorer": "pattern", "judges": {"score": "rm"}}


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"scores": {"a": score(), "b": score()}}, {}, "pattern, a, b"),
        ({}, {"scorer": "c"}, "no scorer 'c', only pattern"),
        ({"scores": {"pattern": score("P")}}, {}, "sample q7, epoch 2, scorer pattern: the score is 'P'"),
        ({"scores": {"pattern": score({"a": 1})}}, {}, "epoch 2, scorer pattern: the score is"),
        ({"target": "Paris"}, {"grader": Grader()}, "question q7: the right answer is 'Paris'"),
        ({"epoch": 1}, {}, "a second row for"),
        ({}, {"judges": {"score": "none"}}, "no scorer 'none'"),
        ({}, {"correct_if": [("none", ">=1")]}, "no scorer 'none'"),
        ({}, {"correct_if": [("pattern", "Q")]}, "no row has this, found 'C'"),
        ({"scores": {"pattern": score(), "rm": score("good")}}, BY_RM, "'good'"),
        ({"scores": {"pattern": score(), "rm": score({"a": 1})}}, BY_RM, "epoch 2, scorer rm: found"),
    ],
)
def test_what_cannot_be_read_is_refused(
    write: Write, changes: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    file = write(sample(1), {**sample(2), **changes}, suffix=".json")
    with pytest.raises(BadInput) as refusal:
        import_inspect_ai(file, **options)
    assert refusal.value.message.startswith(str(file))
    assert message in refusal.value.message


@pytest.mark.parametrize(("error", "message"), [(ERROR, "all 2 samples had an error"), (None, "use --grade")])
def test_a_log_without_a_score_is_named_as_such(write: Write, error: Any, message: str) -> None:
    file = write(*(sample(epoch, error=error, scores=None) for epoch in (1, 2)))
    with pytest.raises(BadInput, match=message):
        import_inspect_ai(file)


def test_a_broken_log_is_refused_in_one_line(write: Write, tmp_path: Path) -> None:
    whole, broken = write(sample(1)).read_bytes(), tmp_path / "broken.eval"
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 30):
        broken.write_bytes(whole[:length])
        with pytest.raises(BadInput, match=r"broken\.eval: not a readable log") as refusal:
            import_inspect_ai(broken)
        assert "\n" not in refusal.value.message
    for path, message in (
        (write(), "no samples"),
        (tmp_path / "x.eval", "not a readable log"),
        (tmp_path, ": 2 .eval files"),
        (Path(__file__).parent, ": 0 .eval files in this folder: name a log"),
    ):
        with pytest.raises(BadInput, match=message):
            import_inspect_ai(path)


def test_without_the_package_one_line_says_what_to_install(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(sample(1))
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(BadInput, match="pip install inspect-ai"):
        import_inspect_ai(file)


def test_another_scorer_s_values_are_scores(write: Write) -> None:
    """The one remaining scorer gives the verdicts."""
    file = write(
        sample(1, scores={"pattern": score(), "rm": score(-0.7), "graded": score("P")}),
        sample(2, scores={"pattern": score("I", "7"), "rm": score(1.2), "graded": score("C")}),
        sample(3, scores={"pattern": score("I", "7"), "graded": score(True)}),
    )
    table = import_inspect_ai(file, judges={"score_rm": "rm", "score": "graded"}).table
    assert table["correct"].tolist() == [True, False, False]
    assert table["score_rm"].fillna(9).tolist() == [-0.7, 1.2, 9]
    assert table["score"].tolist() == [0.5, 1.0, 1.0]


@pytest.mark.parametrize(
    ("asked", "correct"),
    [
        (["rubric>=0.65"], [True, True, False, False]),
        (["rubric>=0.5"], [True, True, True, False]),
        (["rubric=P"], [False, False, True, False]),
        (["exact=C", "--scorer", "rubric"], [False, False, False, True]),
        (["rubric>=0.7", "--correct-if", "exact=C", "--scorer", "rubric"], [True, False, False, True]),
    ],
)
def test_a_threshold_says_which_scores_are_right(
    write: Write, tmp_path: Path, asked: list[str], correct: list[bool]
) -> None:
    values: list[Any] = [0.8, 0.65, "P", float("nan"), 0.2]
    scores = [{"rubric": score(value), "exact": score("C" if value == 0.2 else "I")} for value in values]
    file = write(*(sample(epoch, scores=each) for epoch, each in enumerate(scores, start=1)))
    imported("inspect", file, "--correct-if", *asked, "--out", tmp_path / "run")
    assert read_samples(tmp_path / "run")["correct"].tolist() == correct

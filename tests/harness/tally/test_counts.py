"""The table at the end of a run, and the summary on record."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from harness.experiment import Experiment, read_experiment
from harness.grader import Grader
from harness.tally.answer_groups import groups_of
from harness.tally.counts import Tally

EXPERIMENT = Experiment.model_validate(
    read_experiment("tiny").model_dump() | {"tokens_per_budget": 2.0, "tokens_extra": 64, "samples": 1}
)
number = itertools.count()


def row(setting: str, text: str, **changes: Any) -> dict[str, Any]:
    values = {"question_id": "q", "setting": setting, "decoding": "sample", "sample": next(number)}
    values |= {"text": text, "tokens": 10, "answer": "1", "correct": False, "finish_reason": "stop"}
    return {**values, **changes}


def test_answers_of_another_tool_may_lack_tokens_and_texts() -> None:
    tally = Tally()
    bare = {"question_id": "q", "setting": "high", "decoding": "sample", "sample": 0, "answer": "1"}
    tally.add({**bare, "correct": True, "tokens": None, "text": None})
    tally.add({**bare, "sample": 1, "correct": True, "tokens": 50, "text": None})  # the other may be longer
    (line,) = tally.table().splitlines()[1:]
    assert line.split() == ["high", "1", "2", "-", "-", "-", "0.0%", "-", "100.0%"]


def test_only_several_lengths_of_the_same_answers_are_paired() -> None:
    cut = {"budgets": (5, 10), "budget_by": "force", "forced_from": {"setting": "20"}}
    tally = Tally(EXPERIMENT.model_copy(update=cut))
    for length, paired in ((5, False), (10, True)):
        tally.add(row(f"forced={length}", "short"))
        assert ("paired" in tally.table()) == paired
    tally.add(row("forced=5", "cut", finish_reason="length"))  # where the stored answer was, by another limit
    assert "cut_short" not in tally.summary()["settings"][0]


def test_accuracy_so_far_is_of_finished_questions() -> None:
    """Short answers arrive first: here all of them are right, and the long ones wrong."""
    experiment = EXPERIMENT.model_copy(update={"samples": 2, "budgets": (20, 100)})
    tally = Tally(experiment, planned=3 * 4)
    assert tally.accuracy is None
    for question in "abc":
        tally.add(row("20", "short", question_id=question, correct=True))
    assert tally.accuracy is None
    tally.add(row("20", "long", question_id="a"))
    tally.add(row("100", "short", question_id="a", correct=True))
    assert tally.accuracy == 0.5
    first, second = tally.summary()["settings"]
    assert (first["questions"], first["questions_asked"], first["correct"]) == (1, 3, 0.5)
    assert (second["questions"], second["correct"]) == (0, None)
    stopped = Tally(experiment.model_copy(update={"stop_rule": "lead:2"}))
    for decoding, accuracy in (("sample", None), ("greedy", 0.0)):  # hard questions get the most answers
        stopped.add(row("20", "long", decoding=decoding, correct=accuracy is None))
        assert stopped.accuracy == accuracy


def test_many_unreadable_answers_are_a_warning_that_names_what_reads_them() -> None:
    tally = Tally(EXPERIMENT)
    texts = ["it is \\boxed{26}.", "it is \\boxed{7}.", "\x1b[J", "it is ##2", "it is 1,008.", "it is 9."]
    for text in texts:
        ending = {"finish_reason": "length", "tokens": 104} if text.endswith("2") else {}
        tally.add(row("20", text, answer=None, **ending))
    for _ in range(15):
        tally.add(row("20", "##1##", question_id="other", reader="hashes"))
    (warning,) = tally.warnings(Path("runs/a"))
    assert warning.count(" time") == 3  # of four endings
    assert "'is N.' (2 times)" in warning
    assert "\x1b" not in warning
    assert "regrade runs/a --reader hashes,boxed,last-number --match first` reads 4 of these 6" in warning
    for _ in range(200):
        tally.add(row("20", "##1##", question_id="other", reader="hashes"))
    assert tally.warnings(Path("runs/a")) == []
    for answer in (None, "1", "1"):  # a setting's share is of that setting's answers only
        tally.add(row("100", "##1##", answer=answer))
    assert len(tally.warnings(Path("runs/a"))) == 1


def test_answers_beyond_those_asked_for_count_and_forced_ones_are_not_cut_off() -> None:
    """A run of two samples resumes in a folder with three answers: the third counts as well."""
    tally = Tally(EXPERIMENT.model_copy(update={"samples": 2}))
    accuracies = []
    for correct in (False, True, True, False):
        tally.add(row("20", "a", correct=correct, finish_reason="forced"))
        accuracies.append(tally.accuracy)
    assert accuracies == [None, 1 / 2, 2 / 3, 2 / 4]
    (setting,) = tally.summary()["settings"]
    assert (setting["questions"], setting["answers"], setting["cut_off"]) == (1, 4, 0.0)
    tally.add(row("20", "a", decoding="greedy"))
    assert tally.finished == 2  # a question has one greedy answer
    assert [setting["decoding"] for setting in tally.summary()["settings"]] == ["greedy", "sample"]


@pytest.mark.parametrize(("characters", "alarms"), [(79, 0), (80, 1)])
def test_without_token_counts_four_characters_are_a_token(characters: int, alarms: int) -> None:
    tally, text = Tally(), "y" * characters
    rows = [row("x", text, question_id=str(i % 6), tokens=(None, characters // 4)[i > 30]) for i in range(48)]
    for group in groups_of(rows):
        tally.add_group(group)
    assert len(tally.warnings(Path())) == alarms


def test_the_advice_goes_by_the_grader_that_has_read_the_answers() -> None:
    tally = Tally(EXPERIMENT, grader=Grader(("hashes",), "last"))
    tally.add(row("x", "\\boxed{half} is wrong: \\boxed{7.5}, \\boxed{8}", answer=None))
    (warning,) = tally.warnings(Path("runs/a"))
    assert "--reader hashes,boxed --match last` reads 1 of these 1" in warning
    (warning,) = tally.warnings(Path("runs/a"), Path("runs/b"))
    assert "regrade DIR" in warning  # in neither of these shards alone
    assert "reads 1 of these 1" in warning
    tally.add(row("y", " ", answer=None))
    tally.add(row("z", "cut", answer=None, finish_reason="length"))
    tally.add(row("z", "return 7", answer=None))
    warning, _ = tally.warnings(Path("runs/a"))
    assert "nothing at all (1 time), no answer before the token limit (1 time)" in warning
    assert "reads 1 of these 4" in warning  # the number in code is no answer


@pytest.mark.parametrize(
    ("decoding", "changes", "alarms"),
    [
        ("sample", {"temperature": 0.5, "top_p": 0.5, "top_k": 2}, 1),
        ("greedy", {}, 0),
        ("sample", {"temperature": 0.4}, 0),
        ("sample", {"top_p": 0.4}, 0),
        ("sample", {"top_k": 1}, 0),
    ],
)
def test_equal_texts_are_an_alarm_unless_they_had_to_be_equal(
    decoding: str, changes: dict[str, Any], alarms: int
) -> None:
    tally = Tally(EXPERIMENT.model_copy(update=changes))
    for index in range(48):
        tally.add(row("100", "the same", question_id=str(index % 6), tokens=60, decoding=decoding))
    assert len(tally.warnings(Path())) == alarms


@pytest.mark.parametrize(
    ("never", "told"),
    [(2, "reads 2 of these 4"), (3, "3 of these 5 have 0 tokens and no text: they were never generated")],
)
def test_answers_were_never_generated_only_if_most_have_no_tokens(never: int, told: str) -> None:
    tally = Tally(grader=Grader(("hashes",)))
    for text, tokens in [("it is \\boxed{1}", 0)] * 2 + [("", 0)] * never:
        tally.add(row("x", text, answer=None, tokens=tokens))
    (warning,) = tally.warnings(Path("run"))
    assert told in warning

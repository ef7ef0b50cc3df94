"""How people and models write answers: one case per row of `kin.jsonl`, with a verdict set before it was run.

{"kind": "labels", "grader": "choice", "readers": "answer-is", "gold": "B", "text": "选 B", "right": true}

right: true, the answer is the gold; false, a different answer, which still votes; null, no answer.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.grader import Grader, required_gold
from harness.grading import integer
from harness.grading.thoughts import only_thinks, opens, without_thoughts
from results import BadInput

ROWS = [json.loads(line) for line in Path(__file__).with_name("kin.jsonl").read_text("utf-8").splitlines()]
KINDS: dict[tuple[str, str], list[dict[str, Any]]] = {}
for _row in ROWS:
    KINDS.setdefault((_row["kind"], _row["grader"]), []).append(_row)
CHOICE = Grader(grader="choice")


def read(row: dict[str, Any]) -> bool | None:
    labels = ["A", "B", "C", "D"] if row["grader"] == "choice" and row["kind"] != "labels of A to Z" else ()
    gold = required_gold(row["gold"], "here", row["grader"], labels)
    grader = Grader(tuple(row["readers"].split(",")), grader=row["grader"])
    verdict = grader.verdict(row["text"], gold, "stop", labels)
    assert verdict["answer"] == row.get("answer", verdict["answer"])  # the vote of a wrong answer
    return None if verdict["answer"] is None else verdict["correct"]


@pytest.mark.parametrize(("kind", "grader"), KINDS)
def test_answers_are_read_however_they_are_written(kind: str, grader: str) -> None:
    if grader == "math":
        pytest.importorskip("math_verify")
    rows = KINDS[kind, grader]
    unlike = [(row["gold"], row["text"], row["right"]) for row in rows if read(row) != row["right"]]
    assert unlike == []


@pytest.mark.parametrize(
    ("text", "labels", "value"),
    [
        ("##2##", ["1", "2", "3"], "2"),
        ("##(ii)##", ["i", "ii", "iii"], "ii"),
        ("The answer is yes.", ["yes", "no"], "yes"),
        ("So it is the second.\nb", ["A", "B", "C"], "B"),
        ("##E##", ["A", "B", "C"], "E"),  # wrong, but still a vote
    ],
)
def test_labels_are_those_of_the_question(text: str, labels: list[str], value: str) -> None:
    assert CHOICE.read(text, labels=labels).value == value


@pytest.mark.parametrize("text", ["The answer is B", "The answer is (B", "##B"])
def test_a_label_at_the_token_limit_may_be_the_beginning_of_a_word(text: str) -> None:
    assert CHOICE.read(text, cut_off=True).value is None
    assert CHOICE.read(f"The answer is C. {text}", cut_off=True).value == "C"
    assert CHOICE.read("The answer is B. That is because the", cut_off=True).value == "B"  # B was not cut off


def test_the_right_answer_is_a_label_of_the_question() -> None:
    assert required_gold("(b)", "here", "choice", ["A", "B", "C"]) == "B"
    for gold in ("D", "2", "Paris", "", "(A) or (B)", "A, B", "B and A"):
        with pytest.raises(BadInput, match=r"here: .*A, B, C"):
            required_gold(gold, "here", "choice", ["A", "B", "C"])


def test_spaces_after_a_backslash_do_not_change_what_is_read() -> None:
    r"""In LaTeX `\ ` is a space, but here the space is not part of the answer."""
    assert integer.read_value("\t 0\\ \n") == integer.read_value("0\\")


MARKS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
]


@pytest.mark.parametrize(("start", "end"), MARKS)
def test_only_what_stands_behind_a_thought_is_read(start: str, end: str) -> None:
    thought = "Is it ##7##? \\boxed{8}, Answer: 9."
    assert Grader().read(f"{start}{thought}{end}The answer is 18.").value == "18"
    assert Grader().read(f"{thought}{end}\n##18##").value == "18"  # the prompt opened it
    assert Grader().read(f"{start}{thought} The answer ends in [END].{end}##18##[END]##5##").value == "18"
    assert Grader().read(f"{start}{thought}").value is None
    assert only_thinks(f"{start}{thought}")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ('{"reasoning": "Answer: 17", "answer": 18}', "18"),
        ('```json\n{"steps": ["##17##", "The answer is 7."], "Final answer": "##18##"}\n```', "18"),
        ('Here:\n{"answer": 18.50, "check": {"answer": "\\\\boxed{19}"}} Answer: 20', "18.5"),
        ('{"reasoning": "My answer: 5", "answer": null}', None),
        ('{"reasoning": "My answer: 5. So", "result": 18}', "5"),
    ],
)
def test_beside_a_field_for_the_answer_others_are_thoughts(said: str, answer: str | None) -> None:
    assert Grader().read(said).value == answer


def test_what_only_speaks_of_thinking_opens_none() -> None:
    said = "I use `<think>` here and no <think> tags. The answer is 18."
    assert without_thoughts(said) == said
    assert not only_thinks("##18##")
    assert opens("Question?<|Assistant|><think>\n")
    assert not opens("Put your thoughts in <think></think>. Question?")

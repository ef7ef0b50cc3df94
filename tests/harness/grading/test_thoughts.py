"""A number in a thought is no answer, whatever marks the thought has."""

import pytest

from harness.grader import Grader
from harness.grading.thoughts import only_thinks, opens, without_thoughts

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
    assert Grader().read(f"{start}{thought}").value is None
    assert only_thinks(f"{start}{thought}")
    assert not only_thinks("##18##")


def test_tags_that_are_only_spoken_of_open_nothing() -> None:
    said = "I use `<think>` here and no <think> tags. The answer is 18."
    assert without_thoughts(said) == said


def test_a_prompt_opens_the_thinking_at_its_end() -> None:
    assert opens("Question?<|Assistant|><think>\n")
    assert not opens("Put your thoughts in <think></think>. Question?")

"""The paper's other run, gsm8k-256: a base model that would go on to the next question, and stop strings."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.experiment import read_experiment

RUN = read_experiment("gsm8k-256")


def shots() -> list[tuple[str, str]]:
    """The prompt's examples as (question, solution), taken apart again."""
    *blocks, last = prompts.template("gsm8k-cot").split("\n\n")
    assert last == "Q: {problem}\nA:"
    pairs = [block.removeprefix("Q: ").split("\nA: ") for block in blocks]
    return [(question, solution) for question, solution in pairs]


def stopped(text: str, stop: tuple[str, ...]) -> str:
    """`text` up to the first stop string, as a server returns it."""
    return text[: min([text.index(mark) for mark in stop if mark in text], default=len(text))]


def test_every_new_question_in_the_prompts_format_begins_with_a_stop_string() -> None:
    assert len(shots()) == 8
    for question, solution in shots():
        for other, theirs in shots():
            answer = stopped(f" {solution}\n\nQ: {other}\nA: {theirs}", RUN.stop)
            assert answer.strip() == solution  # all of the solution, nothing of the next question
            assert RUN.reading.read(answer).value == solution.rsplit("The answer is ", 1)[1].rstrip(".")
        assert stopped(question, RUN.stop) == question


def lm_evals_task() -> Any:
    """gsm8k_cot of the installed lm-eval, which is looked up and not imported: that takes seconds."""
    spec = find_spec("lm_eval")
    if spec is None or spec.origin is None:
        pytest.skip("lm-eval is not installed")
    file = Path(spec.origin).parent / "tasks" / "gsm8k" / "gsm8k-cot.yaml"
    return pytest.importorskip("yaml").safe_load(file.read_text(encoding="utf-8"))


def test_prompt_and_stop_string_are_those_of_lm_eval() -> None:
    theirs = lm_evals_task()
    examples = [(shot["question"], shot["target"]) for shot in theirs["fewshot_config"]["samples"]]
    assert shots() == examples
    # The other stop strings there are end tokens of some models; a server knows those of the model it serves.
    stop = theirs["generation_kwargs"]["until"]
    assert [mark for mark in stop if not mark.startswith("<")] == list(RUN.stop)

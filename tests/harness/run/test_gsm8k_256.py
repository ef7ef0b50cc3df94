"""The paper's other run, gsm8k-256: a base model that would go on, stop strings, greedy as its own row."""

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.engines.base import Completion, Sampling
from harness.experiment import read_experiment
from harness.questions.load import Question
from harness.run.sampler import sample
from results import build_curves, read_samples
from tests.harness.run.scripted import ScriptedEngine

RUN = read_experiment("gsm8k-256")
QUESTIONS = [Question(f"q-{i}", f"Problem {i}?", "12") for i in range(3)]


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


class BaseModel(ScriptedEngine):
    """Solves the problem and goes on to write the next question, with an answer of its own.

    Greedily it is wrong for the first question; of 16 sampled answers to each, 4 are wrong.
    """

    async def generate(self, prompt: str, sampling: Sampling, seed: int) -> Completion:
        assert prompt.count("Q: ") == 8 + 1
        assert prompt.endswith("?\nA:")
        answer = 13 if prompt.endswith("Q: Problem 0?\nA:") else 12
        if sampling.temperature:
            answer = [12, 12, 12, 14][self.asked.count(prompt) % 4]
            self.asked.append(prompt)
        text = f" 3 x 4 = {answer}. The answer is {answer}.\n\nQ: Next?\nA: The answer is 99."
        return Completion(stopped(text, sampling.stop), 9, 700, "stop", seed)


def test_greedy_is_a_row_of_its_own_and_no_vote(tmp_path: Path) -> None:
    run = RUN.model_copy(update={"samples": 16})
    outcome = asyncio.run(sample(run, QUESTIONS, tmp_path, BaseModel))
    assert (outcome.planned, outcome.missing) == (3 * 17, 0)
    table = read_samples(tmp_path)
    assert set(table["answer"]) == {"12", "13", "14"}  # never the 99 of the next question
    curves = build_curves(table, permutations=0)
    (greedy,) = curves[curves["method"] == "greedy"].to_dict("records")
    assert (greedy["N"], greedy["accuracy"], greedy["questions"]) == (1, pytest.approx(2 / 3), 3)
    votes = curves[curves["method"] == "majority"].set_index("N")["accuracy"]
    assert list(votes.index) == [1, 2, 4, 8, 16]  # 16 answers a question: the greedy one is not among them
    assert votes[1] == pytest.approx(12 / 16)
    assert votes[16] == pytest.approx(1)

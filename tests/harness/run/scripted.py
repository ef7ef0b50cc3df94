"""Runs of the sampler for tests: four questions, two budgets, and a scripted engine.

run(folder, ScriptedEngine())    40 answers in folder/samples.jsonl, ("q-0", "10", "sample", 0) the first
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from harness.engines.base import Completion, Sampling
from harness.experiment import Experiment, read_experiment
from harness.questions.load import Question
from harness.run.sampler import RunOutcome, sample
from tests.harness.run.rows import stored

QUESTIONS = [Question(f"q-{index}", f"Problem number {index}?", str(index)) for index in range(4)]
SETTINGS = ("10", "40")


class ScriptedEngine:
    """Answers every prompt with the number in it; `script` may raise, wait, or return another text.

    `script` gets the prompt and how often it was asked before. `tokens` by number; 9 where none is given.
    """

    name, version = "scripted", "1"

    def __init__(self, script: Callable[[str, int], Any] = lambda _prompt, _place: None) -> None:
        self._script = script
        self.opened = 0
        self.asked: list[str] = []
        self.seeds: list[int] = []
        self.tokens: dict[str, int | None] = {}
        self.events: list[str] = []
        self.in_flight = self.most_in_flight = 0

    def describe(self) -> dict[str, Any]:
        return {}

    async def generate(self, prompt: str, _sampling: Sampling, seed: int) -> Completion:
        place = self.asked.count(prompt)
        self.asked.append(prompt)
        self.seeds.append(seed)
        self.in_flight += 1
        self.most_in_flight = max(self.in_flight, self.most_in_flight)
        try:
            await asyncio.sleep(0)
            text = self._script(prompt, place)
            if asyncio.iscoroutine(text):
                text = await text
        finally:
            self.in_flight -= 1
        number = prompt.split("?")[0].rsplit(" ", 1)[1]
        said = text or f"{place}: The answer is ##{number}##."
        return Completion(said, self.tokens.get(number, 9), 20, "stop", seed)

    async def __aenter__(self) -> Self:
        self.opened += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


def experiment(**changes: Any) -> Experiment:
    base = read_experiment("tiny").model_dump() | {"budgets": (10, 40), "samples": 5}
    return Experiment.model_validate(base | changes)


async def run_async(
    folder: Path,
    engine: ScriptedEngine,
    restart: bool = False,
    say: Callable[[str], None] = lambda _line: None,
    **changes: Any,
) -> RunOutcome:
    return await sample(experiment(**changes), QUESTIONS, folder, lambda: engine, restart, say)


def run(folder: Path, engine: ScriptedEngine, **changes: Any) -> RunOutcome:
    return asyncio.run(run_async(folder, engine, **changes))


def keys(folder: Path) -> list[tuple[str, str, str, int]]:
    return [(row["question_id"], row["setting"], row["decoding"], row["sample"]) for row in stored(folder)]


def planned(samples: int, questions: int = 4) -> set[tuple[str, str, str, int]]:
    return {(f"q-{q}", s, "sample", i) for q in range(questions) for s in SETTINGS for i in range(samples)}

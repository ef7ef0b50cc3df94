"""Seeded grade-school word problems in GSM8K's own file format.

    {"question": "Anna has 12 apples. She finds 5 more. She sells each one for 3 dollars. How many ...?",
     "answer": "After finding 5 more she has 12 + 5 = <<12+5=17>>17.\\nShe gets 17 * 3 = ...\\n#### 51"}

Every problem belongs to one split, decided by a hash of its question: no test question comes up in training.
"""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.tiny.templates import EVENTS, NAMES, OPENINGS, QUESTIONS, THINGS, Form

Split = Literal["train", "test"]

MAX_VALUE = 120
STEP_WEIGHTS = {2: 0.34, 3: 0.24, 4: 0.18, 5: 0.14, 6: 0.10}
TEST_SHARE = 1 / 16


@dataclass(frozen=True)
class Step:
    """`left op right = result`, and the sentence that says it, `{eq}` standing for the equation."""

    left: int
    op: str
    right: int
    result: int
    sentence: str

    @property
    def equation(self) -> str:
        return f"{self.left} {self.op} {self.right} = {self.result}"

    @property
    def annotated(self) -> str:
        """The equation as GSM8K writes it: `12 + 5 = <<12+5=17>>17`."""
        compact = f"{self.left}{self.op}{self.right}={self.result}"
        return f"{self.left} {self.op} {self.right} = <<{compact}>>{self.result}"


@dataclass(frozen=True)
class Problem:
    """A question, the steps that answer it, and the names of the sentence forms it was made from."""

    question: str
    steps: tuple[Step, ...]
    forms: tuple[str, ...]

    @property
    def gold(self) -> int:
        return self.steps[-1].result

    @property
    def split(self) -> Split:
        digest = hashlib.sha256(self.question.encode()).digest()
        return "test" if int.from_bytes(digest[:4]) < TEST_SHARE * 2**32 else "train"

    def row(self) -> dict[str, str]:
        """The problem as one line of a GSM8K file."""
        lines = [step.sentence.format(eq=step.annotated) for step in self.steps]
        return {"question": self.question, "answer": "\n".join([*lines, f"#### {self.gold}"])}


def problems(split: Split, seed: int) -> Iterator[Problem]:
    """Endless stream of problems of one split; the same seed gives the same stream."""
    rng = random.Random(f"{split}-{seed}")
    while True:
        problem = _draw_problem(rng)
        if problem is not None and problem.split == split:
            yield problem


def distinct_problems(split: Split, seed: int, count: int) -> list[Problem]:
    """The first `count` problems of the stream with different questions."""
    found: dict[str, Problem] = {}
    for problem in problems(split, seed):
        found.setdefault(problem.question, problem)
        if len(found) == count:
            break
    return list(found.values())


def _draw_problem(rng: random.Random) -> Problem | None:
    """One problem, or None where the numbers do not work out (a division with a rest, a value too big)."""
    wanted = rng.choices(list(STEP_WEIGHTS), list(STEP_WEIGHTS.values()))[0]
    forms = _draw_forms(rng, wanted)
    if forms is None:
        return None
    people = rng.sample(list(NAMES), 3)
    pronoun = NAMES[people[0]]
    words = dict(zip("ABC", people, strict=True), things=rng.choice(THINGS), she=pronoun, She=pronoun.title())
    texts: list[str] = []
    steps: list[Step] = []
    value = 0
    for form in forms:
        numbers = {name: rng.randint(*bounds) for name, bounds in form.draws.items()}
        fields = {**words, **{name: str(number) for name, number in numbers.items()}}
        texts.append(form.text.format(**fields))
        # An opening starts from the `n` it draws; the other forms go on from the value before them.
        before, last = value, numbers.get("n", value)
        for part in form.steps:
            scope = {**numbers, "v": before, "s": last}
            left, right = _operand(part.left, scope), _operand(part.right, scope)
            result = _apply(left, part.op, right)
            if result is None:
                return None
            steps.append(Step(left, part.op, right, result, part.sentence.format(eq="{eq}", **fields)))
            last = result
        value = last
    return Problem(" ".join(texts), tuple(steps), tuple(form.name for form in forms))


def _draw_forms(rng: random.Random, wanted: int) -> list[Form] | None:
    """An opening, different events and a question with `wanted` steps in all, or None."""
    opening, question = rng.choice(OPENINGS), rng.choice(QUESTIONS)
    left = wanted - len(opening.steps) - len(question.steps)
    events: list[Form] = []
    for event in rng.sample(EVENTS, len(EVENTS)):
        if len(event.steps) <= left:
            events.append(event)
            left -= len(event.steps)
    return [opening, *events, question] if left == 0 else None


def _operand(name: str, scope: dict[str, int]) -> int:
    return int(name) if name.isdigit() else scope[name]


def _apply(left: int, op: str, right: int) -> int | None:
    """The result, or None where it is no whole number from 2 to MAX_VALUE ("1 apples" would read badly)."""
    if op == "/" and left % right:
        return None
    result = {"+": left + right, "-": left - right, "*": left * right, "/": left // right}[op]
    return result if 2 <= result <= MAX_VALUE else None

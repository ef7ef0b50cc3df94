"""Seeded grade-school word problems with their steps; `test.jsonl` has 300 of them in GSM8K's format.

    "Anna has 12 apples. She finds 5 more. She sells each one for 3 dollars. How many dollars does she get?"
    12 + 5 = 17, 17 * 3 = 51

A hash of its question decides which split a problem belongs to: no test question appears in training.
"""

import hashlib
import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Split = Literal["train", "test"]

MAX_VALUE = 120
STEP_WEIGHTS = {2: 0.34, 3: 0.24, 4: 0.18, 5: 0.14, 6: 0.10}
TEST_SHARE = 1 / 16


@dataclass(frozen=True)
class Form:
    """A sentence template from sentences.toml, where the fields are explained."""

    name: str
    text: str
    draws: dict[str, tuple[int, int]] = field(default_factory=dict)
    steps: tuple[tuple[str, str, str, str], ...] = ()


_SENTENCES = tomllib.loads((Path(__file__).parent / "sentences.toml").read_text(encoding="utf-8"))
OPENINGS, EVENTS, QUESTIONS = (
    [Form(**form) for form in _SENTENCES[kind]] for kind in ("openings", "events", "questions")
)
NAMES: dict[str, str] = _SENTENCES["names"]
THINGS: list[str] = _SENTENCES["things"]


@dataclass(frozen=True)
class Step:
    """`left op right = result`, and its sentence, with `{eq}` in place of the equation."""

    left: int
    op: str
    right: int
    result: int
    sentence: str

    @property
    def equation(self) -> str:
        return f"{self.left} {self.op} {self.right} = {self.result}"


@dataclass(frozen=True)
class Problem:
    """A question, and the steps that answer it."""

    question: str
    steps: tuple[Step, ...]

    @property
    def gold(self) -> int:
        return self.steps[-1].result

    @property
    def split(self) -> Split:
        digest = hashlib.sha256(self.question.encode()).digest()
        return "test" if int.from_bytes(digest[:4]) < TEST_SHARE * 2**32 else "train"


def problems(split: Split, seed: int) -> Iterator[Problem]:
    """An endless stream of problems of one split; the same seed gives the same stream."""
    rng = random.Random(f"{split}-{seed}")
    while True:
        problem = _draw_problem(rng)
        if problem is not None and problem.split == split:
            yield problem


def _draw_problem(rng: random.Random) -> Problem | None:
    """One problem, or None if the numbers do not work out: a remainder, or a value that is too large."""
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
        fields = {**words, **numbers}
        texts.append(form.text.format(**fields))
        # An opening starts from the `n` it draws; other forms continue from the previous value.
        before, last = value, numbers.get("n", value)
        for left_name, op, right_name, sentence in form.steps:
            scope = {**numbers, "v": before, "s": last}
            left, right = (scope[n] if n in scope else int(n) for n in (left_name, right_name))
            result = _apply(left, op, right)
            if result is None:
                return None
            steps.append(Step(left, op, right, result, sentence.format(eq="{eq}", **fields)))
            last = result
        value = last
    return Problem(" ".join(texts), tuple(steps))


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


def _apply(left: int, op: str, right: int) -> int | None:
    """The result, or None where it is not a whole number from 2 ("1 apples" reads badly) to MAX_VALUE."""
    if op == "/" and left % right:
        return None
    result = {"+": left + right, "-": left - right, "*": left * right, "/": left // right}[op]
    return result if 2 <= result <= MAX_VALUE else None

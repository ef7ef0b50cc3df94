"""`tts compare --every-question`: no question may fail, whatever the mean says.

$ tts compare runs/nightly --every-question --gate
10 questions, 4 answers to each; each should be right always:
question   right  is
case9     0 of 4  failing
verdict: fails
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from results.commandline import BadInput
from results.terminal import aligned

if TYPE_CHECKING:
    import pandas as pd

    from results.paired.every_question import OfQuestions, QuestionGate

_LISTED = 20
"""Questions that are named."""


def look_at_every_question(
    tables: Mapping[str, pd.DataFrame], margin: float, level: float
) -> tuple[list[str], OfQuestions]:
    """What to print of the questions of one run, or of two that are compared, and the verdict.

    Raises BadInput for more than that, and as `pairs` does.
    """
    from results.paired.every_question import question_gate
    from results.paired.pairs import pairs
    from results.paired.sides import sides_of

    sides = sides_of(tables, None)
    if len(sides) == 1:
        return _told(question_gate(sides[0].pools, None, margin, level))
    looked_at = list(pairs(sides))
    if len(looked_at) != 1:
        names = ", ".join(side.named for side in sides)
        raise BadInput(
            f"--every-question is about one run at one setting, or two that are compared; here are {names}"
        )
    ((a, b),) = looked_at
    return _told(question_gate(b.pools, a.pools, margin, level))


def _told(gate: QuestionGate) -> tuple[list[str], OfQuestions]:
    fewest, most = int(gate.answers.min()), int(gate.answers.max())
    each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    lines = [f"{len(gate.names):,} questions, {each} answers to each; {_wanted(gate)}:"]
    if gate.below.any():
        lines += _listed(gate)
    elif gate.before is not None:
        lines.append("no question is seen below")
    else:
        lines.append(f"no question is seen below; {100 * gate.level:g} % sure, for all questions together, ")
        lines[-1] += f"each is right in at least {100 * gate.at_least:.0f} % of its answers"
    if gate.answers_needed is not None:
        lines.append(
            "so few answers cannot show that one question fails; of one that fell from always right to never "
            f"right, {gate.answers_needed} answers would"
        )
    return lines, gate.word


def _wanted(gate: QuestionGate) -> str:
    short = f"{100 * gate.margin:g}"
    if gate.before is not None:
        return "b should be right as often as a" + (f", less {short} points" if gate.margin else "")
    return "each should be right " + (
        f"in at least {100 * (1 - gate.margin):g} % of them" if gate.margin else "always"
    )


def _listed(gate: QuestionGate) -> list[str]:
    """The questions that are seen below: those that luck does not explain first."""
    below = gate.below.nonzero()[0]
    first = sorted(below, key=lambda q: (not gate.fallen[q], gate.chances[q], gate.names[q]))
    head = ["question", "right", "is"] if gate.before is None else ["question", "a right", "b right", "is"]
    table = [head]
    for q in first[:_LISTED]:
        cells = [gate.names[q], f"{gate.right[q]} of {gate.answers[q]}"]
        if gate.before is not None:
            cells.insert(1, f"{gate.before[0][q]} of {gate.before[1][q]}")
        table.append([*cells, "failing" if gate.fallen[q] else "below, perhaps by luck"])
    more = len(below) - len(first[:_LISTED])
    return [*aligned(table, left=(0, len(head) - 1)), *([f"and {more:,} more"] if more else [])]

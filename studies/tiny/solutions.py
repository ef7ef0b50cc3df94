"""The solution for a token budget: the form whose length is nearest to it.

    budget 10   The answer is ##51##. [END]
    budget 20   17 * 3 = 51. The answer is ##51##. [END]
    budget 30   12 + 5 = 17. 17 * 3 = 51. The answer is ##51##. [END]
    budget 50   After finding 5 more she has 12 + 5 = 17. She gets 17 * 3 = 51 dollars. The answer ...
    budget 90   the sentences again, with harder arithmetic split: 17 * 3 = 10 * 3 + 7 * 3 = 30 + 21 = 51

A question in more steps has longer forms: as the budget grows, more and more questions get all their steps.
"""

from collections.abc import Callable

from studies.tiny.problems import Problem, Step

BUDGETS = (10, 20, 30, 40, 60, 120)


def solutions(problem: Problem) -> list[str]:
    """Every way this project writes the solution, each text once, from the shortest to the longest."""
    equations = [f"{step.equation}." for step in problem.steps]
    sentences = [step.sentence.format(eq=step.equation) for step in problem.steps]
    worked = [step.sentence.format(eq=worked_equation(step)) for step in problem.steps]
    bodies = [equations[len(equations) - kept :] for kept in range(len(equations) + 1)] + [sentences, worked]
    ending = f"The answer is ##{problem.gold}##. [END]"
    return list(dict.fromkeys(" ".join([*body, ending]) for body in bodies))


def solution(problem: Problem, budget: int, count_tokens: Callable[[str], int]) -> str:
    """The form whose number of tokens, end token included, is nearest to `budget`; of two, the longer."""
    return min(reversed(solutions(problem)), key=lambda text: abs(count_tokens(text) + 1 - budget))


def worked_equation(step: Step) -> str:
    """The equation with its arithmetic split into tens and ones, if possible.

    `35 + 27 = 35 + 20 + 7 = 55 + 7 = 62`, `3 * 14 = 3 * 10 + 3 * 4 = 30 + 12 = 42`,
    `84 / 6 = 60 / 6 + 24 / 6 = 10 + 4 = 14`.
    """
    left, right = step.left, step.right
    if step.op in "+-" and left > 10 and right > 10 and right % 10:
        tens = right // 10 * 10
        half_way = left + tens if step.op == "+" else left - tens
        middle = f"{left} {step.op} {tens} {step.op} {right - tens} = {half_way} {step.op} {right - tens}"
    elif step.op == "*" and right > 10 and right % 10:
        tens = right // 10 * 10
        middle = f"{left} * {tens} + {left} * {right - tens} = {left * tens} + {left * (right - tens)}"
    elif step.op == "*" and left > 10 and left % 10:
        tens = left // 10 * 10
        middle = f"{tens} * {right} + {left - tens} * {right} = {tens * right} + {(left - tens) * right}"
    elif step.op == "/" and step.result > 10 and step.result % 10:
        tens = step.result // 10 * 10
        rest = left - tens * right
        middle = f"{tens * right} / {right} + {rest} / {right} = {tens} + {step.result - tens}"
    else:
        return step.equation
    return f"{left} {step.op} {right} = {middle} = {step.result}"

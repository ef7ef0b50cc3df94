"""How often `results compare` says better or worse: of two equal models, and of two that differ.

$ python -m studies.comparisons.run        half a minute of processor time
questions  answers  gain  rule                comparisons  decided  wrong way
60         8        0     90 %, row by row    1000         28.4 %
60         8        0     all rows together   1000         4.7 %

Questions of all kinds, easy and hard and with a wrong answer that leads, are answered afresh by both models
in every comparison; `decided` is the share in which any row, a vote or best-of-N at any N, is called better
or worse, `wrong way` the share in which a row is called worse although the second model is better.
"""

from collections.abc import Iterator

import click
import numpy as np
import pandas as pd

from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.paired.simultaneous import Measured, level_of_each
from results.votes.exact import Floats
from tests.results.paired.made import accuracies, better, varied_laws

COMPARISONS = 1000
EQUAL = [(10, 8), (20, 4), (60, 8), (100, 16), (300, 8)]
DIFFERENT = [(60, 8), (100, 16), (300, 8)]
CASES = [(*sizes, 0.0) for sizes in EQUAL] + [(*sizes, 0.05) for sizes in DIFFERENT]
"""Questions, answers to each, and by how much the second model gives the right answer more often."""


def main() -> None:
    """Print the table."""
    rows = [row for case in CASES for row in measured(*case)]
    click.echo(pd.DataFrame(rows).to_string(index=False))


def measured(questions: int, answers: int, gain: float) -> Iterator[dict[str, object]]:
    """The rows of one case."""
    rng = np.random.default_rng([questions, answers, round(100 * gain)])
    laws = varied_laws(questions, rng)
    ns = 2 ** np.arange(answers.bit_length())
    one = accuracies(laws, answers, ns, COMPARISONS, rng)
    other = accuracies(better(laws, gain), answers, ns, COMPARISONS, rng)
    told: dict[str, list[tuple[bool, bool]]] = {}
    for differences in other - one:
        row_level = level_of_each([Measured(range(questions), differences)], LEVEL)
        vote = differences[:, [ns.size - 1]]
        for rule, found in (
            ("90 %, row by row", decided(differences, 0.90)),
            ("all rows together", decided(differences, row_level)),
            (f"one row named, N = {answers}", decided(vote, LEVEL)),
        ):
            told.setdefault(rule, []).append(found)
    for rule, verdicts in told.items():
        anything, worse = np.mean(verdicts, axis=0)
        yield {
            "questions": questions,
            "answers": answers,
            "gain": f"{100 * gain:.0f}",
            "rule": rule,
            "comparisons": COMPARISONS,
            "decided": f"{100 * anything:.1f} %",
            "wrong way": f"{100 * worse:.1f} %" if gain else "",
        }


def decided(differences: Floats, row_level: float) -> tuple[bool, bool]:
    """Whether any column is told from 0, and whether any is told to be below it."""
    interval = mean_differences(differences, LEVEL, row_level).interval
    worse = bool((interval.high < 0).any())
    return worse or bool((interval.low > 0).any()), worse


if __name__ == "__main__":
    main()

"""The verdict on B from the interval of a difference: better, worse or undecided.

low    high     verdict
0.01   0.05     better
−0.06  −0.01    worse
−0.02  0.08     undecided
–      –        undecided: unknown is not 0
"""

from collections.abc import Iterable
from typing import Literal

from results.normal import Interval
from results.votes.exact import Floats

Verdict = Literal["better", "worse", "undecided"]

GATE = {"better": 0, "holds": 0, "worse": 1, "fails": 1, "undecided": 3, "go on": 4}
"""Exit status of `tts compare --gate`; "holds" and "fails" are for gates on every question, "go on" is for
sequential comparisons."""


def verdicts(interval: Interval[Floats]) -> list[Verdict]:
    """The verdict on B for each interval of the difference B − A."""
    return [verdict(low, high) for low, high in zip(interval.low, interval.high, strict=True)]


def verdict(low: float, high: float, margin: float = 0.0) -> Verdict:
    """The verdict on B for one interval; "undecided" if its ends are NaN.

    margin: how much worse B may be. B is then compared with A minus the margin: "better" means that B is not
    worse by that much (a test of non-inferiority).
    """
    if low > -margin:
        return "better"
    if high < -margin:
        return "worse"
    return "undecided"


def overall(of_rows: Iterable[Verdict], everywhere: bool = False) -> Verdict:
    """One verdict on rows with simultaneous intervals; "undecided" if they contradict each other.

    everywhere: "better" only if every row says so, as for a test of non-inferiority.
    """
    words = set(of_rows)
    if everywhere and "worse" not in words and "undecided" in words:
        return "undecided"
    decided = words - {"undecided"}
    return decided.pop() if len(decided) == 1 else "undecided"

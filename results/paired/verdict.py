"""What an interval of a difference says of B: better, worse or undecided.

low    high     verdict
0.01   0.05     better
−0.06  −0.01    worse
−0.02  0.08     undecided
–      –        undecided: what is not known is not 0
"""

from collections.abc import Iterable
from typing import Literal

from results.normal import Interval
from results.votes.exact import Floats

Verdict = Literal["better", "worse", "undecided"]

GATE = {"better": 0, "holds": 0, "worse": 1, "fails": 1, "undecided": 3, "go on": 4}
"""Exit status of `tts compare --gate`; "holds" and "fails" are of every question, "go on" of a comparison
that is looked at while it grows."""


def verdicts(interval: Interval[Floats]) -> list[Verdict]:
    """The verdict on B of each interval of B's difference to A."""
    return [verdict(low, high) for low, high in zip(interval.low, interval.high, strict=True)]


def verdict(low: float, high: float, margin: float = 0.0) -> Verdict:
    """The verdict on B of one interval; NaN ends decide nothing.

    margin: what B may be worse by. B is then better or worse than A less the margin: "better" says that it is
    not worse by so much (a test of non-inferiority).
    """
    if low > -margin:
        return "better"
    if high < -margin:
        return "worse"
    return "undecided"


def overall(of_rows: Iterable[Verdict], everywhere: bool = False) -> Verdict:
    """One verdict on rows whose intervals hold together: undecided, too, where they contradict each other.

    everywhere: "better" only where every row says so, as of a run that is not worse by a margin.
    """
    words = set(of_rows)
    if everywhere and "worse" not in words and "undecided" in words:
        return "undecided"
    decided = words - {"undecided"}
    return decided.pop() if len(decided) == 1 else "undecided"

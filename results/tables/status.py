"""How far a forecast can be trusted: the values of the forecast table's column `status`.

predictor  N   predicted  low   high  status
mixture    64  0.831      0.80  0.86  ok
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum


class Status(StrEnum):
    """The statuses, best first; if several apply, the worst is reported."""

    OK = "ok"
    BOUND_HIT = "bound_hit"
    POOR_FIT = "poor_fit"
    FALLING = "falling"
    ILL_CONDITIONED = "ill_conditioned"
    OUT_OF_RANGE = "out_of_range"
    NOT_IDENTIFIABLE = "not_identifiable"


MEANINGS: dict[str, str] = {
    Status.BOUND_HIT: "the data do not pin the forecast down: its interval is too wide, the prior decides "
    "more than the answers, a parameter is at the end of its range, or N or T is far beyond what was seen",
    Status.POOR_FIT: "the curve misses the points it was fitted to by far more than their noise",
    Status.FALLING: "the measured accuracy falls with N or T, which this model cannot follow",
    Status.ILL_CONDITIONED: "a small change of the data would change the forecast a lot; do not use it",
    Status.OUT_OF_RANGE: "the formula gives an accuracy outside 0 to 100 %; do not use it",
    Status.NOT_IDENTIFIABLE: "the data do not fix the parameters (too few settings, N or finished answers, "
    "or no rise), so there is no forecast",
}
"""The meaning of each status except "ok"."""

SHORT: dict[str, str] = {
    Status.OK: "ok",
    Status.BOUND_HIT: "not pinned down",
    Status.POOR_FIT: "poor fit",
    Status.FALLING: "accuracy falls",
    Status.ILL_CONDITIONED: "do not use: unstable",
    Status.OUT_OF_RANGE: "do not use: outside 0–100 %",
    Status.NOT_IDENTIFIABLE: "no forecast",
}
"""A short form of each status, for table cells."""


def commonest(statuses: Iterable[str]) -> str:
    """The most common status in its short form; of several, the one that comes first."""
    most = Counter(map(str, statuses)).most_common(1)[0][0]
    return SHORT.get(most, most)

"""The stopping rules: when a vote over answers to one question is called settled.

    RULES["lead"].stops(seen, 4)   ->  True where the leader is 4 votes ahead, one bool for each state

In the formulas a ≥ b are the two largest counts, c all of them, n the votes, K the different answers, t the
threshold. A rule of one's own is a `Rule` with a function of `Seen`. What holds for all of them is in
`results.stopping.settled`: no vote ends on a tie, and every vote ends when no answer can change its winner.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from results.arguments import Range
from results.stopping.seen import Bools, Ints, Seen

Stops = Callable[[Seen, float], Bools]
ANY, COUNT, CHANCE = Range(-1e9, whole=False), Range(1), Range(0, 1, whole=False, above=True)
"""Thresholds of any kind, numbers of answers, and chances to be reached."""
NEAR = 1e-9
"""What a chance or a logarithm may lack to its threshold: no processor's last digit decides a vote."""


@dataclass(frozen=True)
class Rule:
    """A rule and where it is from.

    stops: which states (S,) it ends, at a threshold; usual: the threshold of its source; thresholds: those
    that are tried beside it; range: those that make sense; delta: the chance of a false stop that the source
    states for a threshold, where it states one; ahead: (S,) the fewest further answers after which it may
    stop, for rules that a run of answers like the leader's is not the fastest way to satisfy; ordered: it
    looks at `Seen.streak`; plain: a fixed number, which ends on ties and never early.
    """

    name: str
    formula: str
    source: str
    stops: Stops
    usual: float
    thresholds: tuple[float, ...]
    delta: Callable[[float], float] | None = None
    ahead: Callable[[Seen, float], Ints] | None = None
    ordered: bool = False
    plain: bool = False
    range: Range = ANY


def _beta(seen: Seen, t: float) -> Bools:
    return np.asarray(special.betainc(seen.b + 1.0, seen.a + 1.0, 0.5) >= t - NEAR)


HIGH = (0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 0.999)
"""Thresholds that are tried of rules that ask for a chance."""

_TABLE = (
    Rule(
        name="fixed",
        formula="asked ≥ t",
        source="self-consistency, arXiv:2203.11171",
        stops=lambda seen, t: seen.asked >= t,
        usual=16,
        thresholds=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 20, 24, 28, 32, 40, 48, 64),
        range=COUNT,
        ahead=lambda seen, t: np.maximum(int(np.ceil(t)) - seen.asked, 1),
        plain=True,
    ),
    Rule(
        name="certain",
        formula="never, so that only certainty ends it",
        source="no further answer can change the winner",
        stops=lambda seen, _: np.zeros(len(seen.asked), np.bool_),
        usual=0,
        thresholds=(0,),
        range=Range(0, 0),
        delta=lambda _: 0.0,
    ),
    Rule(
        name="lead",
        formula="a − b ≥ t",
        source="sequential test, Wald 1945; 3 is what ConSol ships (arXiv:2503.17587)",
        stops=lambda seen, t: seen.a - seen.b >= t,
        usual=4,
        thresholds=(1, 2, 3, 4, 5, 6, 7, 8, 10),
        range=COUNT,
    ),
    Rule(
        name="asc-beta",
        formula="P(Beta(a + 1, b + 1) > ½) ≥ t",
        source="Adaptive-Consistency, arXiv:2305.11860",
        stops=_beta,
        usual=0.95,
        thresholds=HIGH,
        range=CHANCE,
        delta=lambda t: 1 - t,
    ),
)

RULES = {rule.name: rule for rule in _TABLE}
"""Every rule by its name."""

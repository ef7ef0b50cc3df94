"""The stopping rules: when a vote over the answers to one question counts as settled.

    RULES["lead"].stops(seen, 4)   ->  True where the leader is 4 votes ahead, one bool for each state

In the formulas, a ≥ b are the two largest counts, c all counts, n the number of votes, K that of
distinct answers, t the threshold. Your own rule is a `Rule` with a function of `Seen`. Under
every rule, no vote ends on a tie, and a vote ends when no further answer can change its winner.

    rule, threshold = named("lead:4")
    settled(rule, threshold, seen)    which votes end: by the rule, but never on a tie
    ahead(rule, threshold, seen)      answers to ask for at once: fewer cannot settle the vote
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from results.arguments import Range, number_of
from results.commandline import BadInput
from results.stopping.votes_so_far import Bools, Ints, Seen

Stops = Callable[[Seen, float], Bools]
ANY, COUNT, CHANCE = Range(-1e9, whole=False), Range(1), Range(0, 1, whole=False, above=True)
"""Ranges of thresholds: any number, a number of answers, a probability to reach."""
NEAR = 1e-9
"""Tolerance of thresholds, so that a processor's rounding does not decide a vote."""


@dataclass(frozen=True)
class Rule:
    """A rule and its source.

    stops: which states (S,) it ends, at a threshold; usual: the threshold of its source; thresholds: others
    to try; range: valid thresholds; delta: the chance of a false stop that the source states for a
    threshold, if any; ahead: (S,) the fewest further answers after which it may stop, for rules that more
    answers like the leader's are not the fastest way to satisfy; ordered: it uses `Seen.streak`; plain: a
    fixed number of answers, which ends even on ties and never early.
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
"""Thresholds to try for rules with a probability to reach."""

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
"""All rules by name."""


def settled(rule: Rule, threshold: float, seen: Seen) -> Bools:
    """Which states (S,) end the vote: by the rule, unless tied, or because the winner cannot change."""
    by_rule = np.asarray(rule.stops(seen, threshold), np.bool_)
    if rule.plain:
        return by_rule
    lead = seen.a - seen.b
    return np.asarray((by_rule & (lead > 0)) | (lead > seen.left))


def ahead(rule: Rule, threshold: float, seen: Seen) -> Ints:
    """The fewest further answers (S,) after which the vote may end; at least 1, at most `Seen.left`.

    In such blocks, a vote ends exactly where it would end one answer at a time, but in fewer rounds. The
    fastest way to end is more answers like the leader's, unless the rule has its own `Rule.ahead`.
    """
    certain = (seen.left - (seen.a - seen.b)) // 2 + 1
    ends = seen.left if rule.plain else np.minimum(certain, seen.left)
    if rule.ahead is not None:
        ends = np.minimum(rule.ahead(seen, threshold), ends)
        return np.maximum(ends, 1)
    fewest = np.maximum(ends, 1)
    open_ = np.arange(len(fewest))
    for answers in range(1, int(fewest.max(initial=1))):
        open_ = open_[fewest[open_] > answers]
        if not open_.size:
            break
        chosen = np.zeros(len(fewest), np.bool_)
        chosen[open_] = True
        ended = settled(rule, threshold, seen.kept(chosen).more(answers))
        fewest[open_[ended]] = answers
        open_ = open_[~ended]
    return fewest


def named(text: str) -> tuple[Rule, float]:
    """The rule and threshold that "lead:4" names; "lead" has the usual threshold. Raises BadInput."""
    name, colon, number = text.partition(":")
    if name not in RULES:
        raise BadInput(f"stop rule {text!r:.40}: no rule of this name, expected one of {', '.join(RULES)}")
    rule = RULES[name]
    if not colon:
        return rule, rule.usual
    try:
        return rule, float(rule.range.read(number_of(number)))
    except ValueError as error:
        raise BadInput(f"stop rule {text!r:.40}: after the colon {error}") from None


def spelt_out(text: str) -> str:
    """The rule with its threshold: "lead" becomes "lead:4". Raises ValueError, as validators do."""
    try:
        rule, threshold = named(text)
    except BadInput as error:
        raise ValueError(f"a stop rule: {error.message}") from None
    return f"{rule.name}:{threshold:.15g}"

"""What holds for every rule: when a vote ends, how many answers to ask for next, and what "lead:4" means.

rule, threshold = named("lead:4")
settled(rule, threshold, seen)    ends where the rule ends it, never on a tie
ahead(rule, threshold, seen)      answers to ask for at once: no fewer can settle it
"""

import numpy as np

from results.arguments import number_of
from results.commandline import BadInput
from results.stopping.rules import RULES, Rule
from results.stopping.seen import Bools, Ints, Seen


def settled(rule: Rule, threshold: float, seen: Seen) -> Bools:
    """Which states (S,) end the vote: the rule's, if no tie, and those in which the rest cannot change it."""
    by_rule = np.asarray(rule.stops(seen, threshold), np.bool_)
    if rule.plain:
        return by_rule
    lead = seen.a - seen.b
    return np.asarray((by_rule & (lead > 0)) | (lead > seen.left))


def ahead(rule: Rule, threshold: float, seen: Seen) -> Ints:
    """The fewest further answers (S,) after which the vote may end; at least 1, at most what is left.

    Asked for in such blocks a vote ends where it would end one answer at a time, in fewer rounds. The fastest
    end is a run of answers like the leader's, unless the rule knows better (`Rule.ahead`).
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
    """The rule and threshold that "lead:4" names; "lead" has its usual one. Raises BadInput."""
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
    """A rule with its threshold: "lead" is "lead:4". Raises ValueError, as validators do."""
    try:
        rule, threshold = named(text)
    except BadInput as error:
        raise ValueError(f"a stop rule: {error.message}") from None
    return f"{rule.name}:{threshold:g}"

"""Stopping rules in words: each at its usual threshold, cheapest first.

rule    cost    answers  rounds  agreement  worst tenth  false stops  less a fixed N of equal cost
lead:4  24.8 %  7.1      2.3     99.3 %     92.8 %       0.2 %        +0.3 (−2.3 … +2.8)
"""

from typing import Any

import numpy as np

from results.normal import LEVEL, z_of
from results.stopping.advice import Advice
from results.tables.key import Key
from results.words.cells import Columns, count, number
from results.words.names import UNKNOWN, curves_name, percent, points, points_within, show


def _false_stops(row: Any) -> str:
    """The rate of false stops, with the rate that the rule's source states, if any."""
    if np.isnan(row["false_stops"]):
        return UNKNOWN
    stated = "" if np.isnan(row["delta"]) else f" ({show(row['delta'])} stated)"
    return f"{show(row['false_stops'])}{stated}"


RULES: Columns = {
    "rule": lambda row: f"{row['rule']}:{row['threshold']:g}",
    "cost": lambda row: show(row["share"]),
    "answers": lambda row: f"{row['answers']:.1f}",
    "rounds": lambda row: number(row["rounds_exact"], ".1f"),
    "agreement": lambda row: show(row["agreement"]),
    "worst tenth": lambda row: show(row["worst_tenth"]),
    "false stops": _false_stops,
    "less a fixed N of equal cost": lambda row: points_within(
        row["difference_fixed"], row["low_fixed"], row["high_fixed"]
    ),
}
"""The columns for rows of `usual_rows`, in words."""

RULES_NOTE = (
    "Cost: share of the tokens of all answers (of the answers, if tokens are not known). Rounds: of exact "
    "blocks. Agreement: the chance that the vote ends with the answer that very many answers would give "
    "most often, as far as the pool can tell; worst tenth: of the questions. "
)
FIXED_NOTE = (
    "The last column is a difference in accuracy, in points; its 95 % intervals hold jointly for all rules, "
    "and are at least as wide as if one question on which the rules differ had been missed."
)


WIDE = 0.2
"""A wider interval of a difference in accuracy is too uncertain to act on."""


def sentences(advice: Advice | None) -> list[str]:
    """The sentences that recommend a rule."""
    if advice is None:
        return ["No rule's agreement is within a point of that of all answers: ask for all of them."]
    rounds = advice.rounds_exact
    blocks = "" if np.isnan(rounds) else f" (in {rounds:.1f} rounds of exact blocks)"
    most = " to ".join(dict.fromkeys(map(str, advice.n_max)))
    what = "" if advice.unit == "answers" else f"the {advice.unit} of "
    price = f"{show(advice.share)} of {what}{most} answers{blocks}"
    lines = [
        f"Take {advice.rule}:{advice.threshold:g}: it costs {price}, and {show(advice.agreement)} of its "
        f"votes end with the answer that very many answers would give most often (for votes of {most} "
        f"answers: {show(advice.agreement_all)})."
    ]
    if advice.fixed is not None and not np.isnan(advice.fixed[0]):
        difference, low, high = map(points, advice.fixed)
        wide = advice.fixed[2] - advice.fixed[1] > WIDE
        between = " (interval not known)" if np.isnan(advice.fixed[1:]).any() else f" ({low} … {high})"
        lines.append(
            f"Accuracy minus that of a fixed N with as many {advice.unit}: {difference} points{between}."
        )
        if wide:
            lines.append("Ask more questions: these are too few to show its cost in accuracy.")
    if advice.cheapest is not None:
        name, ratio = advice.cheapest
        lines.append(f"At equal agreement the cheapest other rule, {name}, costs {ratio:.2f} times as much.")
    return lines


ENDED: Columns = {
    "answers of": lambda row: curves_name(Key("llm", row["dataset"], row["model"])),
    "setting": lambda row: row["setting"],
    "rule": lambda row: row["stop_rule"],
    "votes": lambda row: count(row["votes"]),
    "ended early": lambda row: count(row["ended_early"]),
    "answers": lambda row: count(row["answers"]),
    "of all": lambda row: show(row["answers"] / (row["most"] * row["votes"])),
    "tokens": lambda row: count(row["tokens"]),
    "of all tokens": lambda row: show(row["tokens_share"]) if row["tokens_share"] > 0 else UNKNOWN,
    "right": lambda row: f"{show(row['right'])} ± {percent(z_of(LEVEL) * row['stderr'])}",
}
"""The columns for rows of `ended_votes`, in words."""

ENDED_NOTE = (
    "Of all: share of the answers that the votes could have used; of all tokens: the same, if unasked "
    "answers would be as long as the others to the question. Stopped votes do not show the accuracy at other "
    "N, so no curve includes them. ±: half of a 95 % interval."
)

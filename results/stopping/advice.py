"""What to take: the default rule, unless another is clearly cheaper at equal agreement, and its price.

    rule    share  vs_lead      share: of the tokens of N_max answers, at an agreement a point below theirs
    lead    0.197  1.00
    counts  0.180  0.91

Rules are compared at equal agreement, between their thresholds interpolated: a rule that agrees less often is
cheaper, and says nothing by that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from results.figures.words import points
from results.stopping.arena import CLAIRVOYANT
from results.stopping.replay import EXACT

DEFAULT = "lead"
LOST = 0.01
"""The agreement that may be lost to what all N_max answers have."""
CLEARLY = 0.95
"""Another rule is taken only where it costs less than this share of the default."""

_GROUP = ["dataset", "model", "setting"]


@dataclass(frozen=True)
class Advice:
    """The rule and threshold to take, and what they come to: means over the settings of a table.

    rounds_exact: in exact blocks, NaN where that was not replayed; cheapest: the other rule with the smallest
    share at equal agreement, and that share relative to the one taken; fixed: accuracy less that of a fixed N
    of equal cost, and its interval, where the table has one setting.
    """

    rule: str
    threshold: float
    share: float
    agreement: float
    agreement_all: float
    n_max: int
    unit: str
    rounds: float
    rounds_exact: float
    cheapest: tuple[str, float] | None
    fixed: tuple[float, float, float] | None


def one_by_one(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of answers asked for one at a time, in random order."""
    return table[(table["order"] == "random") & (table["batch"] == "1")]


def at_equal_agreement(table: pd.DataFrame, lost: float = LOST) -> pd.DataFrame:
    """Each rule's share at an agreement of `lost` below that of all answers: rule, share, vs_lead, by share.

    The mean over the settings of the table; a rule that does not come so close in one of them has NaN.
    vs_lead is relative to the default rule, NaN where that is not in the table.
    """
    rows = one_by_one(table)
    found: dict[str, list[float]] = {}
    for _, group in rows.groupby(_GROUP, sort=False):
        for rule, line in group.groupby("rule", sort=False):
            target = line["agreement_all"].iloc[0] - lost
            found.setdefault(str(rule), []).append(_share_at(line, target))
    shares = pd.DataFrame({"rule": list(found), "share": [float(np.mean(each)) for each in found.values()]})
    lead = shares.loc[shares["rule"] == DEFAULT, "share"]
    vs_lead = shares["share"] / lead.iloc[0] if len(lead) else np.nan
    return shares.assign(vs_lead=vs_lead).sort_values("share", ignore_index=True)


def _share_at(line: pd.DataFrame, target: float) -> float:
    """The share of one rule's line at an agreement, between its thresholds interpolated."""
    line = line.sort_values("share")
    agreement, share = np.maximum.accumulate(line["agreement"].to_numpy()), line["share"].to_numpy()
    if agreement[-1] < target:
        return float("nan")
    after = int((agreement >= target).argmax())
    if after == 0:
        return float(share[0])
    part = (target - agreement[after - 1]) / (agreement[after] - agreement[after - 1])
    return float(share[after - 1] + part * (share[after] - share[after - 1]))


def advice(table: pd.DataFrame) -> Advice | None:
    """What to take by a stopping table; None where no rule comes within LOST of all answers' agreement."""
    shares = at_equal_agreement(table)
    rules = shares[~shares["rule"].isin([CLAIRVOYANT, "fixed"])].dropna(subset=["share"])
    if rules.empty:
        return None
    cheapest = str(rules["rule"].iloc[0])
    default = rules[rules["rule"] == DEFAULT]
    worth = default.empty or rules["share"].iloc[0] < CLEARLY * default["share"].iloc[0]
    taken = cheapest if worth else DEFAULT
    others = rules[rules["rule"] != taken]
    own = rules.loc[rules["rule"] == taken, "share"].iloc[0]
    return _told(
        table, taken, None if others.empty else (str(others["rule"].iloc[0]), others["share"].iloc[0] / own)
    )


def _told(table: pd.DataFrame, rule: str, cheapest: tuple[str, float] | None) -> Advice:
    """The cheapest threshold of the rule that comes close enough on average, with its price."""
    rows = one_by_one(table)
    lines = (
        rows[rows["rule"] == rule]
        .groupby("threshold")[["share", "agreement", "agreement_all", "rounds"]]
        .mean()
    )
    close = lines[lines["agreement"] >= lines["agreement_all"] - LOST]
    row = (close if len(close) else lines.nlargest(1, "agreement")).nsmallest(1, "share").iloc[0]
    threshold = float(str(row.name))
    mine = table[(table["rule"] == rule) & (table["threshold"] == threshold)]
    exact = mine.loc[mine["batch"] == EXACT, "rounds"]
    single = one_by_one(mine)
    ends = [float(single[name].iloc[0]) for name in ("difference_fixed", "low_fixed", "high_fixed")]
    return Advice(
        rule,
        threshold,
        share=float(row["share"]),
        agreement=float(row["agreement"]),
        agreement_all=float(row["agreement_all"]),
        n_max=int(table["n_max"].max()),
        unit="answers" if table["tokens"].isna().all() else "tokens",
        rounds=float(row["rounds"]),
        rounds_exact=float(exact.mean()),
        cheapest=cheapest,
        fixed=(ends[0], ends[1], ends[2]) if len(single) == 1 else None,
    )


def sentences(found: Advice | None) -> list[str]:
    """The advice in words."""
    if found is None:
        return ["No rule comes within a point of the agreement of all answers: ask for all of them."]
    blocks = "" if np.isnan(found.rounds_exact) else f" (in {found.rounds_exact:.1f} rounds of exact blocks)"
    price = f"{found.share:.1%} of the {found.unit} of {found.n_max} answers{blocks}"
    said = [
        f"Take {found.rule}:{found.threshold:g}: it costs {price}, and {found.agreement:.1%} of its votes "
        f"end with the answer of the whole pool (of votes of {found.n_max} answers: "
        f"{found.agreement_all:.1%})."
    ]
    if found.fixed is not None:
        difference, low, high = map(points, found.fixed)
        said.append(
            f"Accuracy less that of a fixed N of as many {found.unit}: {difference} points ({low} … {high})."
        )
    if found.cheapest is not None:
        name, ratio = found.cheapest
        said.append(f"At equal agreement the cheapest other rule, {name}, costs {ratio:.2f} times as much.")
    return said

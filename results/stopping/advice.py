"""The recommended rule: the default, unless another is clearly cheaper at equal agreement.

    rule    share  vs_lead      share: of the tokens of N_max answers, at an agreement a point below theirs
    lead    0.197  1.00
    counts  0.180  0.91

Rules are compared at equal agreement, interpolated between their thresholds: that a rule which agrees less
often is cheaper means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from results.stopping.arena import CLAIRVOYANT
from results.stopping.replay import EXACT
from results.tables.key import ANSWERS, groups

DEFAULT = "lead"
LOST = 0.01
"""How much lower agreement may be than that of all N_max answers."""
CLEARLY = 0.95
"""Another rule is recommended only if it costs less than this share of the default."""


@dataclass(frozen=True)
class Advice:
    """The recommended rule and threshold, and their results: means over the settings of a table.

    rounds_exact: in exact blocks, NaN if these were not replayed; cheapest: the other rule with the smallest
    share at equal agreement, and its share relative to the recommended one; n_max: smallest and largest of
    the settings; fixed: for one setting, accuracy minus a fixed N's at equal cost, with its interval.
    """

    rule: str
    threshold: float
    share: float
    agreement: float
    agreement_all: float
    n_max: tuple[int, int]
    unit: str
    rounds_exact: float
    cheapest: tuple[str, float] | None
    fixed: tuple[float, float, float] | None


def unit_of(table: pd.DataFrame) -> str:
    """The unit of costs in a stopping table."""
    unknown = table["tokens"].isna()
    return "answers" if unknown.all() else "tokens or answers" if unknown.any() else "tokens"


def one_by_one(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of answers asked for one at a time, in random order."""
    return table[(table["order"] == "random") & (table["batch"] == "1")]


def usual_rows(table: pd.DataFrame, taken: Advice | None = None) -> pd.DataFrame:
    """One row per rule, with `rounds_exact`: at its usual threshold, which was also replayed in batches.

    The recommended row, from `taken` or else from this table, is added; its rounds may be unknown.
    """
    place = ["dataset", "model", "setting", "rule", "threshold"]
    exact = table.loc[table["batch"] == EXACT, [*place, "rounds"]]
    taken = taken or advice(table)
    rows = one_by_one(table).merge(exact, "left", on=place, suffixes=("", "_exact"))
    usual = rows["rounds_exact"].notna()
    if taken:
        usual |= (rows["rule"] == taken.rule) & (rows["threshold"] == taken.threshold)
    rows = rows[usual]
    return rows.sort_values("share", kind="stable", ignore_index=True)


def at_equal_agreement(table: pd.DataFrame) -> pd.DataFrame:
    """Each rule's share at an agreement LOST below that of all answers: rule, share, vs_lead, by share.

    Shares are means over the settings; NaN for a rule that does not come that close in one of them.
    vs_lead is relative to the default rule, NaN if the table does not have it.
    """
    shares: dict[str, list[float]] = {}
    for _, rows in groups(one_by_one(table), ANSWERS):
        for rule, line in rows.groupby("rule", sort=False):
            target = line["agreement_all"].iloc[0] - LOST
            shares.setdefault(str(rule), []).append(_share_at(line, target))
    means = [float(np.mean(each)) for each in shares.values()]
    means_by_rule = pd.DataFrame({"rule": list(shares), "share": means})
    lead = means_by_rule.loc[means_by_rule["rule"] == DEFAULT, "share"]
    vs_lead = means_by_rule["share"] / lead.iloc[0] if len(lead) else np.nan
    return means_by_rule.assign(vs_lead=vs_lead).sort_values("share", ignore_index=True)


def _share_at(line: pd.DataFrame, target: float) -> float:
    """One rule's share at an agreement, interpolated between its thresholds."""
    line = line.sort_values("share")
    agreement = np.maximum.accumulate(line["agreement"].to_numpy())
    return float(np.interp(target, agreement, line["share"], right=np.nan))


def advice(table: pd.DataFrame) -> Advice | None:
    """The advice from a stopping table; None if no rule comes within LOST of all answers' agreement."""
    shares = at_equal_agreement(table)
    rules = shares[~shares["rule"].isin([CLAIRVOYANT, "fixed"])].dropna(subset=["share"])
    if rules.empty:
        return None
    by_rule = rules.set_index("rule")["share"]
    cheapest = str(by_rule.index[0])
    clearly = DEFAULT not in by_rule or by_rule.iloc[0] < CLEARLY * by_rule[DEFAULT]
    taken = cheapest if clearly else DEFAULT
    others = by_rule.drop(taken)
    rival = None
    if len(others):
        rival = str(others.index[0]), float(others.iloc[0] / by_rule[taken])
    line = _close_enough(table, taken)
    threshold = float(line.name)
    mine = table[(table["rule"] == taken) & (table["threshold"] == threshold)]
    single = one_by_one(mine)
    ends = single[["difference_fixed", "low_fixed", "high_fixed"]].iloc[0].tolist()
    return Advice(
        rule=taken,
        threshold=threshold,
        share=float(line["share"]),
        agreement=float(line["agreement"]),
        agreement_all=float(line["agreement_all"]),
        n_max=(int(table["n_max"].min()), int(table["n_max"].max())),
        unit=unit_of(table),
        rounds_exact=float(mine.loc[mine["batch"] == EXACT, "rounds"].mean()),
        cheapest=rival,
        fixed=(ends[0], ends[1], ends[2]) if len(single) == 1 else None,
    )


def _close_enough(table: pd.DataFrame, rule: str) -> Any:
    """The means over settings at the rule's cheapest threshold within LOST on average, else at the closest.

    The name of the series is the threshold.
    """
    rows = one_by_one(table)
    columns = ["share", "agreement", "agreement_all"]
    lines = rows[rows["rule"] == rule].groupby("threshold")[columns].mean()
    close = lines[lines["agreement"] >= lines["agreement_all"] - LOST]
    candidates = close if len(close) else lines.nlargest(1, "agreement")
    return candidates.nsmallest(1, "share").iloc[0]

"""Summaries of answers: how often each question is right, and votes that ended when settled.

question  large  small
q17       0.50   0.00     unsteady: 20 to 80 % of the answers of large are right
q3        1.00   1.00
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from results.tables.key import ANSWERS, Key, groups
from results.votes.clusters import standard_error
from results.votes.exact import answer_pools, whole_vote
from results.votes.setting import sampled_groups

UNSTEADY = (0.2, 0.8)
"""A question is unsteady in a run if the share of its right answers is in this range, inclusive."""


def ended_rows(samples: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each answer is from a vote with a stop rule."""
    if "stop_rule" not in samples:
        return pd.Series(False, index=samples.index)
    return samples["stop_rule"].notna()


def ended_votes(samples: pd.DataFrame, planned: Mapping[tuple[Key, str], int]) -> pd.DataFrame:
    """A row for each data set, model, setting and rule of `samples`, all from votes with a stop rule.

    planned: the maximum number of answers in a vote, by model on its data set and rule; if unknown,
    ended_early and tokens_share are NaN. tokens_share: the share of the tokens that this maximum
    would take for every question at its mean length. right: the mean accuracy of the votes, tied
    leaders sharing the credit; stderr: over questions.
    """
    rows = []
    for key, answers in groups(samples, ANSWERS):
        for rule, own in answers.groupby("stop_rule", sort=False):
            most = planned.get((key.whose, str(rule)), np.nan)
            rows.append(
                {**key.cells, "stop_rule": str(rule), **of_ended(own.drop(columns="stop_rule"), most)}
            )
    return pd.DataFrame(rows)


def of_ended(answers: pd.DataFrame, most: float) -> dict[str, Any]:
    """The cells on one setting's stopped votes, whose questions have at most `most` answers."""
    pools = answer_pools(answers)
    right = whole_vote(pools.counts())
    tokens = float(pools.tokens.sum())
    early = float((pools.sizes < most).sum())
    return {
        "votes": len(pools.sizes),
        "ended_early": np.nan if np.isnan(most) else early,
        "answers": int(pools.sizes.sum()),
        "most": most,
        "tokens": tokens,
        "tokens_share": tokens / float((most * pools.tokens_of_questions).sum()),
        "right": float(right.mean()),
        "stderr": float(standard_error(right[:, None], pools.clusters)[0]),
    }


@dataclass(frozen=True)
class ShareGrid:
    """The share of right answers by question and run on one data set.

    shares: a row per question, hardest first, and a column per run, best first; NaN if a run
    was not asked. answers: the most answers of a run to a question.
    """

    dataset: str
    shares: pd.DataFrame
    answers: int

    @property
    def runs(self) -> list[Key]:
        """The runs, best first."""
        return [run for run in self.shares if isinstance(run, Key)]

    @cached_property
    def unsteady(self) -> pd.DataFrame:
        """Whether a question is unsteady in a run (UNSTEADY), in the layout of `shares`."""
        least, most = UNSTEADY
        return (self.shares >= least) & (self.shares <= most)

    @cached_property
    def unsteady_questions(self) -> pd.DataFrame:
        """Those unsteady in most runs first: question, runs (unsteady), asked, and the mean share right."""
        columns = {
            "runs": self.unsteady.sum(axis=1),
            "asked": self.shares.notna().sum(axis=1),
            "right": self.shares.mean(axis=1),
        }
        table = pd.DataFrame(columns).rename_axis("question").reset_index()
        table = table[table["runs"] > 0].sort_values(["runs", "question"], ascending=[False, True])
        return table.reset_index(drop=True)


def grids(samples: pd.DataFrame) -> list[ShareGrid]:
    """The grid of each data set of a samples table, without greedy answers."""
    shares: dict[str, dict[Key, pd.Series[float]]] = {}
    answers = dict[str, int]()
    for key, rows in sampled_groups(samples):
        right = rows["correct"].astype("float64").groupby(rows["question_id"])
        shares.setdefault(key.dataset, {})[key] = right.mean()
        answers[key.dataset] = max(answers.get(key.dataset, 0), int(right.size().max()))
    return [ShareGrid(name, _ordered(own), answers[name]) for name, own in shares.items()]


def unsteady_rows(samples: pd.DataFrame) -> pd.DataFrame:
    """The `unsteady_questions` of all data sets, with the data set of each."""
    unsteady = [grid.unsteady_questions.assign(dataset=grid.dataset) for grid in grids(samples)]
    return pd.concat(unsteady, ignore_index=True) if unsteady else pd.DataFrame()


def _ordered(shares: "dict[Key, pd.Series[float]]") -> pd.DataFrame:
    """The table with the hardest question and the best run first; ties are ordered by name."""
    table = pd.DataFrame(shares).round(12)
    table.columns = pd.Index(list(shares), tupleize_cols=False)
    best = sorted(shares, key=lambda key: (-table[key].mean(), key))
    table = table[best].sort_index()
    hardest = table.mean(axis=1).round(12).sort_values(kind="stable").index
    return table.loc[hardest]

"""Votes of a run that ended when they were settled."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from results.tables.key import ANSWERS, Key, groups
from results.votes.errors import standard_error
from results.votes.exact import answer_pools, whole_vote


def ended_rows(samples: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each answer is one of a vote that a stop rule was to end."""
    if "stop_rule" not in samples:
        return pd.Series(False, index=samples.index)
    return samples["stop_rule"].notna()


def ended_votes(samples: pd.DataFrame, planned: Mapping[Key, int]) -> pd.DataFrame:
    """A row for each data set, model, setting and rule of such answers, which are all of `samples`.

    planned: the answers that a vote of each model on its data set has at most. ended_early and tokens_share
    are NaN where that is not known; tokens_share: of the tokens of so many answers to every question, each as
    long as those asked for. right: the mean over votes of the chance that a vote is right, its leaders
    sharing the credit; stderr: over questions.
    """
    rows = []
    for key, answers in groups(samples, ANSWERS):
        for rule, own in answers.groupby("stop_rule", sort=False):
            names = {"dataset": key.dataset, "model": key.model, "setting": key.setting}
            most = planned.get(key.whose, np.nan)
            rows.append({**names, "stop_rule": str(rule), **_row(own, most)})
    return pd.DataFrame(rows)


def _row(answers: pd.DataFrame, most: float) -> dict[str, float]:
    pools = answer_pools(answers.drop(columns="stop_rule"))
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

"""Votes of a run that ended when they were settled, as rows of the page.

rule    votes  ended early  answers      of all  tokens  of all        right
lead:4  30     24           229 of 480   47.7 %  8,853   about 49.2 %  67.8 % ± 16.2
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from results.figures.words import curves_name, show
from results.normal import z_of
from results.report.cells import UNKNOWN, Columns, count
from results.report.provenance import Record, names_of
from results.votes.curves import standard_error

GROUP = ["dataset", "model", "setting", "stop_rule"]

LEVEL = 0.95
"""Of the ± of the share of votes that are right."""


def stopped_rows(samples: pd.DataFrame) -> pd.Series:
    """Whether each answer is one of a vote that a stop rule was to end."""
    if "stop_rule" not in samples:
        return pd.Series(False, index=samples.index)
    return samples["stop_rule"].notna()


def stopped_votes(samples: pd.DataFrame, records: Sequence[Record]) -> pd.DataFrame:
    """A row for each data set, model, setting and rule of such answers, which are all of `samples`.

    most: answers that a vote had at most, by the run's record; NaN without one. tokens_share: of the tokens
    of `most` answers to every question, each as long as those asked for. right: the mean over votes of the
    chance that a vote is right, its leaders sharing the credit; stderr: over questions.
    """
    asked = {names_of(record): record["experiment"].get("samples") for record in records}
    found = []
    for key, rows in samples.groupby(GROUP, sort=False):
        dataset, model, setting, rule = map(str, key)
        most = asked.get((dataset, model))
        most = float(most) if isinstance(most, int) else np.nan
        sizes = rows.groupby("question_id", sort=False).size()
        known = rows["tokens"].astype("float64").groupby(rows["question_id"], sort=False)
        tokens = known.agg(lambda one: one.sum(skipna=False))
        right = vote_right(rows).reindex(sizes.index, fill_value=0.0)
        each = np.asarray(right, np.float64)[:, None]
        found.append(
            {
                **dict(zip(GROUP, (dataset, model, setting, rule), strict=True)),
                "votes": len(sizes),
                "ended_early": float((sizes < most).sum()) if most == most else np.nan,
                "answers": int(sizes.sum()),
                "most": most,
                "tokens": float(tokens.sum(skipna=False)),
                "tokens_share": float(tokens.sum(skipna=False) / (most * tokens / sizes).sum(skipna=False)),
                "right": float(each.mean()),
                "stderr": float(standard_error(each)[0]),
            }
        )
    return pd.DataFrame(found)


def vote_right(rows: pd.DataFrame) -> "pd.Series[float]":
    """By question the chance that the vote of all its answers is right; questions without one are absent."""
    votes = rows.dropna(subset=["answer"]).groupby(["question_id", "answer"], sort=False)["correct"]
    counts = votes.agg(["size", "max"]).reset_index()
    leads = counts[counts["size"] == counts.groupby("question_id")["size"].transform("max")]
    return leads["max"].astype(float).groupby(leads["question_id"]).mean()


def _of_all(row: Any) -> str:
    return show(row["answers"] / (row["most"] * row["votes"])) if row["most"] == row["most"] else UNKNOWN


COLUMNS: Columns = {
    "answers of": lambda row: curves_name("llm", row["dataset"], row["model"]),
    "setting": lambda row: row["setting"],
    "rule": lambda row: row["stop_rule"],
    "votes": lambda row: count(row["votes"]),
    "ended early": lambda row: count(row["ended_early"]),
    "answers": lambda row: count(row["answers"]),
    "of all": _of_all,
    "tokens": lambda row: count(row["tokens"]),
    "of all tokens": lambda row: show(row["tokens_share"]) if row["tokens_share"] > 0 else UNKNOWN,
    "right": lambda row: f"{show(row['right'])} ± {100 * z_of(LEVEL) * row['stderr']:.1f}",
}

NOTE = (
    "Of all: of the answers that every vote may have, as planned; of all tokens: as if the answers not asked "
    "for were as long as the others to the question. Stopped votes do not show the accuracy at other N, so "
    "no curve includes them."
)
"""What the columns say."""

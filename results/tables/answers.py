"""The answers of a samples table: spelled one way, null where there is none, and graded right or wrong.

    answer   gold   ->   answer  gold  correct
    18.0     18          18      18    true
    **7**    18          7       18    false
    n/a      18          null    18    false      with --unreadable n/a

`results.canonical` defines the spelling; `results.read_options` can switch it off. An existing column
`correct` is kept.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from results.canonical import canonical, canonical_texts
from results.commandline import BadInput
from results.read_options import CHOSEN
from results.tables.columns import TEXT, refuse


def without_unreadable(tables: Sequence[pd.DataFrame], where: str | Path) -> list[pd.DataFrame]:
    """The tables with null in place of each answer that means "no answer" (--unreadable).

    Raises BadInput, which calls the tables `where`, for a word that is not an answer in any of them.
    """
    chosen = CHOSEN.get()
    if not chosen.unreadable:
        return list(tables)
    spelt = [one_spelling(table["answer"]) for table in tables]
    words = {word if chosen.as_written else canonical(word): word for word in chosen.unreadable}
    for meant, word in words.items():
        if not any(answers.eq(meant).any() for answers in spelt):
            raise BadInput(
                f"{where}: --unreadable {word!r:.40}: no answer is this word; leave it out or correct it"
            )
    return [
        table.assign(answer=table["answer"].mask(answers.isin(list(words))))
        for table, answers in zip(tables, spelt, strict=True)
    ]


def without_answers(frame: pd.DataFrame) -> pd.DataFrame:
    """Converted samples without answers, with their verdicts or scores, if any, as the answers."""
    if "correct" in frame:
        return frame.assign(answer=frame["correct"].map({True: "1", False: "0"}).astype(TEXT))
    if "score" in frame and "gold" not in frame:
        return frame.assign(answer=frame["score"].map("{:g}".format, na_action="ignore").astype(TEXT))
    return frame


def with_cluster(frame: pd.DataFrame, where: str | Path) -> pd.DataFrame:
    """The table with the column named by --cluster, if any, copied to `cluster`.

    Raises BadInput, which calls the table `where`, if it is absent, empty or unique to each question.
    """
    column = CHOSEN.get().cluster
    if column is None:
        return frame
    if column not in frame or frame[column].isna().all():
        what = "is empty" if column in frame else "is not a column of it"
        raise BadInput(f"{where}: --cluster {column!r:.40} {what}: name a column that says which cluster")
    if "question_id" in frame:
        clusters = frame.groupby("question_id", observed=True)[column].first()
        if len(clusters) > 1 and clusters.is_unique:
            raise BadInput(f"{where}: --cluster {column!r:.40} is different for each question: no effect")
    return frame.assign(cluster=frame[column])


def with_correct(samples: pd.DataFrame, name: str | Path) -> pd.DataFrame:
    """Checked samples with answers and golds in one spelling, and `correct` computed if it is absent.

    Raises BadInput, which calls the table `name`, if an answer cannot be graded or a null answer is marked
    right.
    """
    samples = samples.assign(**{c: one_spelling(samples[c]) for c in ("answer", "gold") if c in samples})
    if "correct" in samples:
        wrong = (samples["answer"].isna() & samples["correct"]).to_numpy(bool)
        refuse(wrong, name, samples["correct"], "false where the answer is null")
        return samples
    if "gold" not in samples:
        return _by_score(samples, name)
    refuse(samples["gold"].isna().to_numpy(bool), name, samples["gold"], "the right answer")
    return samples.assign(correct=(samples["answer"] == samples["gold"]).fillna(False).astype(bool))


def _by_score(samples: pd.DataFrame, name: str | Path) -> pd.DataFrame:
    """Samples without golds, graded by score: an answer is right if it has full credit (a score of 1).

    Answers without a score are dropped; a warning says so. Raises BadInput if there are no scores, or if
    some are not from 0 to 1.
    """
    if "score" not in samples or samples["score"].isna().all():
        none = f"{name}: no column 'correct', and no 'gold' to compute it from"
        raise BadInput(f"{none}; a column 'score' with numbers from 0 to 1 would do, too")
    scored = samples["score"].notna().to_numpy()
    no_credit = scored & ~samples["score"].between(0, 1).to_numpy()
    expected = "a number from 0 to 1, since there is no 'correct' and no 'gold'; import with --correct-if"
    refuse(no_credit, name, samples["score"], expected)
    meant = (
        "no 'correct' and no 'gold', so a score counts as an answer's credit, and only full credit is right"
    )
    if not scored.all():
        meant += f"; {(~scored).sum():,} of {len(scored):,} answers have no score and are left out"
        samples = samples[scored].reset_index(drop=True)
    warnings.warn(f"{name}: {meant}", stacklevel=2)
    answers = samples["answer"].fillna(samples["score"].map("{:g}".format).astype(TEXT))
    return samples.assign(answer=answers, correct=samples["score"] >= 1)


def one_spelling(texts: "pd.Series[Any]") -> "pd.Series[Any]":
    """The texts in the spelling that is compared; null if nothing is left."""
    if CHOSEN.get().as_written:
        return texts
    spelt = canonical_texts(texts)
    return spelt.mask(spelt == "")

"""Data for showing single questions: answers by setting, the vote at each N, and some texts.

    [{"name": "Llama-3.1-8B on gsm8k", "total": 1319, "questions": [
      {"id": "gsm8k-test-0007", "right": 0.41, "gain": -0.2, "margin": -0.06, "texts": [["100", "18", "…"]],
       "settings": [{"setting": "100", "pool": 64, "unreadable": 2, "answers": [["18", 26, true], …],
                     "vote": [[1, 0.41], [2, 0.41], …]}], "texts_total": 384}]}]

Everything a model wrote is untrusted: hidden and control characters are escaped here, and the
page inserts it as text. If a model gave its reasoning, this is the fifth item of a text. Limits
keep the page small; it says how much was left out.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from results.summary.panels import order_settings
from results.tables.key import WHOSE, groups
from results.terminal import visible
from results.votes.curves import Exact
from results.words.cells import readable
from results.words.names import METHOD_NAMES, PLACES, curves_name

MOST_QUESTIONS = 300
"""Questions per model and data set; if more, a third each: most lost by voting, closest, least right."""

MOST_ANSWERS, MOST_TEXTS, LONGEST = 8, 6, 1_500
"""Limits: distinct answers of a setting, texts of a question, and characters of a text."""

Curves = dict[str, list[list[float]]]
"""The vote at N = 1, 2, 4, …, by question."""


def question_data(samples: pd.DataFrame, votes: Sequence[Exact]) -> list[dict[str, Any]]:
    """The page's data on the questions of a samples table, one entry per model and data set.

    votes: the exact accuracies of all settings by question, including majority vote or best-of-N.
    """
    sampled = samples[samples["decoding"] != "greedy"]
    sampled = sampled.assign(length=sampled["tokens"] if "tokens" in sampled else float("nan"))
    curves = {vote.key: _curves(vote) for vote in votes}
    models = []
    for key, rows in groups(sampled, WHOSE):
        settings = order_settings(rows)
        method = "majority" if key.at(settings[0]).by("majority") in curves else "best_of_n"
        by_setting = {name: curves[key.at(name).by(method)] for name in settings}
        way = {"way": METHOD_NAMES[method]} if method != "majority" else {}  # verdicts do not vote
        models.append({"name": visible(curves_name(key)), **way, **_of_model(rows, by_setting)})
    return models


def _curves(vote: Exact) -> Curves:
    """The vote on each question at N = 1, 2, 4, …, for one setting."""
    powers = (vote.ns & (vote.ns - 1)) == 0
    ns = vote.ns[powers].tolist()
    table = vote.accuracy[:, powers].round(4).tolist()
    questions = zip(vote.group.pools.question_ids, table, strict=True)
    return {
        question: [list(point) for point in zip(ns, values, strict=True)] for question, values in questions
    }


def _of_model(rows: pd.DataFrame, votes: dict[str, Curves]) -> dict[str, Any]:
    """The questions of one model; votes: by setting, from cheap to expensive."""
    dearest: dict[str, str] = {}  # the last setting with answers to each question
    for setting, curves in votes.items():
        dearest |= dict.fromkeys(curves, setting)
    table = _sorted_by(rows[rows["setting"] == rows["question_id"].map(dearest)])
    ends = [votes[dearest[name]][name] for name in table.index]
    table = table.assign(gain=[curve[-1][1] - curve[0][1] for curve in ends]).round(PLACES)
    shown, numbers, questions = _kept(table), table.to_dict("index"), []
    for question, own in rows[rows["question_id"].isin(shown)].groupby("question_id"):
        parts = []
        for setting, curves in votes.items():
            answers = own[own["setting"] == setting]
            if len(answers):
                vote = curves[str(question)]
                parts.append({"setting": setting, **_counts(answers), "vote": vote})
        entry = {"id": readable(str(question)), "settings": parts, **_texts(own)}
        questions.append(entry | numbers[question])
    return {"total": len(table), "questions": questions}


def _sorted_by(rows: pd.DataFrame) -> pd.DataFrame:
    """By question, the share of `right` answers, and its `margin` over the commonest wrong answer."""
    by = rows.groupby("question_id")
    wrong = rows[~rows["correct"]].groupby(["question_id", "answer"]).size().groupby("question_id").max()
    right = by["correct"].mean()
    return pd.DataFrame(
        {"right": right, "margin": right - wrong.reindex(right.index, fill_value=0) / by.size()}
    )


def _kept(table: pd.DataFrame) -> set[str]:
    """The questions to show: all, or the most interesting ones."""
    if len(table) <= MOST_QUESTIONS:
        return set(table.index)
    orders = (table["gain"], table["margin"].abs(), table["right"])
    return {str(name) for order in orders for name in order.sort_values().index[: MOST_QUESTIONS // 3]}


def _counts(rows: pd.DataFrame) -> dict[str, Any]:
    """The counts of each answer, the commonest first."""
    counts = rows["answer"].value_counts()
    right = set(rows.loc[rows["correct"], "answer"])
    votes = [
        [visible(str(name))[:80], int(n), name in right] for name, n in counts.head(MOST_ANSWERS).items()
    ]
    return {
        "pool": len(rows),
        "unreadable": int(rows["answer"].isna().sum()),
        "others": int(counts.iloc[MOST_ANSWERS:].sum()),
        "answers": votes,
    }


def _texts(rows: pd.DataFrame) -> dict[str, Any]:
    """The first texts of a question, some per setting, and the number of all."""
    known = rows.reindex(columns=["setting", "answer", "text", "reasoning"]).dropna(subset=["text"])
    each = max(1, MOST_TEXTS // max(1, known["setting"].nunique()))
    some = known.groupby("setting", sort=False).head(each).head(MOST_TEXTS)
    texts = [
        [
            setting,
            "unreadable" if pd.isna(answer) else visible(str(answer)[:80]),
            visible(str(text)[:LONGEST], "\n"),
            len(str(text)),
            *([] if pd.isna(reasoning) else [visible(_ends(str(reasoning)), "\n")]),
        ]
        for setting, answer, text, reasoning in some.itertuples(index=False)
    ]
    return {"texts": texts, "texts_total": len(known)}


def _ends(reasoning: str) -> str:
    """A model's reasoning, without its middle if it is long."""
    if len(reasoning) <= LONGEST:
        return reasoning
    half, left_out = LONGEST // 2, f"{len(reasoning) - 2 * (LONGEST // 2):,} characters"
    return f"{reasoning[:half]}\n[… {left_out} …]\n{reasoning[-half:]}"

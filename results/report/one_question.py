"""One question at a time: its answers by setting, its vote at each N, and some of its texts, as data.

    [{"name": "Llama-3.1-8B on gsm8k", "total": 1319, "questions": [
      {"id": "gsm8k-test-0007", "right": 0.41, "gain": -0.2, "margin": -0.06, "texts": [["100", "18", "…"]],
       "settings": [{"setting": "100", "pool": 64, "unreadable": 2, "answers": [["18", 26, true], …],
                     "vote": [[1, 0.41], [2, 0.41], …]}], "texts_total": 384}]}]

Everything a model wrote is untrusted: hidden and control characters are spelled out here, and
the page sets it as text. The text of a model that thinks comes with its thinking, as a fifth
item. Numbers are bounded, so that the page stays small; what was left out is said.
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
"""Questions of one model on one dataset: a third of them each by vote lost, by closeness, by least right."""

MOST_ANSWERS, MOST_TEXTS, LONGEST = 8, 6, 1_500
"""Different answers of a setting, texts of a question, and characters of a text that are shown."""

Curves = dict[str, list[list[float]]]
"""Of each question its vote at N = 1, 2, 4, …"""


def question_data(samples: pd.DataFrame, votes: Sequence[Exact]) -> list[dict[str, Any]]:
    """What the page needs to show the questions of a samples table, one entry a model and dataset.

    votes: the exact accuracies of its settings by question, the majority vote among them, or best-of-N.
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
    """The vote of each question at N = 1, 2, 4, … of its setting."""
    powers = (vote.ns & (vote.ns - 1)) == 0
    ns = vote.ns[powers].tolist()
    table = vote.accuracy[:, powers].round(4).tolist()
    questions = zip(vote.group.pools.question_ids, table, strict=True)
    return {
        question: [list(point) for point in zip(ns, values, strict=True)] for question, values in questions
    }


def _of_model(rows: pd.DataFrame, votes: dict[str, Curves]) -> dict[str, Any]:
    """The questions of one model; votes: by setting, from cheap to dear."""
    dearest: dict[str, str] = {}  # the last setting that a question was asked at
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
    """By question the share of `right` answers, and its `margin` over that of the commonest wrong one."""
    by = rows.groupby("question_id")
    wrong = rows[~rows["correct"]].groupby(["question_id", "answer"]).size().groupby("question_id").max()
    right = by["correct"].mean()
    return pd.DataFrame(
        {"right": right, "margin": right - wrong.reindex(right.index, fill_value=0) / by.size()}
    )


def _kept(table: pd.DataFrame) -> set[str]:
    """The questions that are shown: all, or those worth a look."""
    if len(table) <= MOST_QUESTIONS:
        return set(table.index)
    orders = (table["gain"], table["margin"].abs(), table["right"])
    return {str(name) for order in orders for name in order.sort_values().index[: MOST_QUESTIONS // 3]}


def _counts(rows: pd.DataFrame) -> dict[str, Any]:
    """How often each answer was given, the commonest first."""
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
    """The first texts of a question, of each setting some, and how many there are."""
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
    """What a model thought, with its middle left out where it is long."""
    if len(reasoning) <= LONGEST:
        return reasoning
    half, left_out = LONGEST // 2, f"{len(reasoning) - 2 * (LONGEST // 2):,} characters"
    return f"{reasoning[:half]}\n[… {left_out} …]\n{reasoning[-half:]}"

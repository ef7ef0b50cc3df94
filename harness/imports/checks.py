"""What a log does not say about its answers: how long they are, and whether they were drawn independently.

text "Mia has 12 - 2 = 10 eggs. ... ##5##. "  ->  tokens 29
"""

import pandas as pd

from harness.engines.tokens import PromptTokens
from harness.experiment import model_location
from harness.run.repeats import Texts, find_repeats

_CHARACTERS_A_TOKEN = 4.0
"""Roughly, where a log has no tokens."""


def with_tokens(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """`table` with the tokens of each `text` in the tokenizer of `model`, on the hub, a folder, or `tiny`.

    The stop string and the end token, which the model generated too, are not in the text and not counted.
    Raises BadInput if there is no such tokenizer.
    """
    tokenizer = PromptTokens(model_location(model), None, chat=False).tokenizer
    texts = table["text"].fillna("").tolist()
    return table.assign(tokens=[len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]])


def repeat_notes(table: pd.DataFrame) -> tuple[str, ...]:
    """A warning if the answers to nearly every question are one text, as a fixed seed makes them."""
    sampled = table[table["decoding"] == "sample"]
    tokens = sampled["tokens"] if "tokens" in sampled else sampled["text"].str.len() / _CHARACTERS_A_TOKEN
    groups = []
    for _, rows in sampled.assign(tokens=tokens.fillna(0)).groupby(["setting", "question_id"]):
        group = Texts()
        for sample, text, length in zip(rows["sample"], rows["text"].fillna(""), rows["tokens"], strict=True):
            group.add(int(sample), text, int(length))
        groups.append(group)
    return tuple(
        f"{repeat}; these answers are not independent samples"
        for repeat in find_repeats(groups, (), free=True)
        if repeat.alarm
    )

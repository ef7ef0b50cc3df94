"""Counts the tokens of answers whose log has none.

text "Mia has 12 - 2 = 10 eggs. ... ##5##. "  ->  tokens 29
"""

import pandas as pd

from harness.engines.tokens import PromptTokens
from harness.experiment import model_location


def with_tokens(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """`table` with the tokens of each `text` in the tokenizer of `model`, on the hub, a folder, or `tiny`.

    The stop string and the end token, which the model generated too, are not in the text and not counted.
    Raises BadInput if there is no such tokenizer.
    """
    tokenizer = PromptTokens(model_location(model), None, chat=False).tokenizer
    texts = table["text"].fillna("").tolist()
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    return table.assign(tokens=[len(one.ids) for one in encoded])

"""What the logs of lm-eval and inspect_ai need alike: a choice of reader and setting, tokens, a warning.

text "Mia has 12 - 2 = 10 eggs. ... ##5##. "  ->  tokens 29
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from harness.engines.tokens import PromptTokens
from harness.experiment import model_location
from results import BadInput

_LONG = 60  # characters, from which on an answer that is the whole text was not read from it


def chosen(file: Path, kind: str, names: Sequence[str], asked: str | None) -> str:
    """Which of the `names` of a log's filters or scorers (`kind`) to use. Raises BadInput if that is open."""
    if asked is not None and asked not in names:
        raise BadInput(f"{file}: no {kind} {asked!r}, only {', '.join(names) or '(none)'}")
    if asked is None and len(names) > 1:
        raise BadInput(
            f"{file}: several {kind}s ({', '.join(names)}): choose one with --{kind}, or use --grade"
        )
    return asked or names[0]


def setting_value(file: Path, settings: Mapping[str, Any], name: str | None) -> str:
    """The column `setting`: the value of the setting `name`, or `default` without a name. Raises BadInput."""
    if name is None:
        return "default"
    if settings.get(name) is None:
        raise BadInput(f"{file}: no setting {name!r}, found {', '.join(settings) or 'none'}")
    return str(settings[name])


def with_tokens(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """`table` with the tokens of each `text` in the tokenizer of `model`, on the hub, a folder, or `tiny`.

    The stop string and the end token, which the model generated too, are not in the text and not counted.
    Raises BadInput if there is no such tokenizer.
    """
    tokenizer = PromptTokens(model_location(model), None, chat=False).tokenizer
    texts = table["text"].fillna("").tolist()
    return table.assign(tokens=[len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]])


def whole_text_notes(table: pd.DataFrame) -> tuple[str, ...]:
    """A warning if answers are whole texts, as scorers leave them that look for the gold in the text."""
    if not {"answer", "text"} <= {*table}:
        return ()
    answers, texts = (table[name].fillna("").astype(str) for name in ("answer", "text"))
    whole = int(((answers.str.len() > _LONG) & (answers.str.lower() == texts.str.strip().str.lower())).sum())
    note = f"the answer is the whole text {whole} times: no two will be equal, so a vote needs --grade"
    return (f"{note} or a scorer that reads the answer",) if whole else ()

"""Questions with choices: how a row says them, and how they are put to a model.

    {"question": "Which of these floats?", "choices": ["A nail", "A cork", "A coin"], "gold": "B"}

    Which of these floats?          labels A B C, gold B

    A. A nail
    B. A cork
    C. A coin

`choices` is a list of texts, labelled A, B, C and so on; an object of label and text; or two lists as in ARC,
{"label": ["1", "2"], "text": ["A nail", "A cork"]}. The gold is a label or the text of one choice. A number
that is neither is refused: some data sets count choices from 0, others from 1.
"""

import json
import re
import string
from typing import Any

import numpy as np

from results import BadInput

_LABEL = re.compile(r"\w{1,20}")


def choices_of(cell: Any, where: str) -> dict[str, str]:
    """Label and text of each choice in a cell of the column `choices`. Raises BadInput naming `where`."""
    found = _plain(cell)
    if isinstance(found, dict) and {*found} == {"label", "text"}:
        labels, texts = _plain(found["label"]), _plain(found["text"])
        each_once = len({*map(str, labels)}) == len(labels) == len(texts)
        found = dict(zip(labels, texts, strict=True)) if each_once else None
    elif isinstance(found, list) and len(found) <= len(string.ascii_uppercase):
        found = dict(zip(string.ascii_uppercase, found, strict=False))
    if not isinstance(found, dict) or len(found) < 2:
        raise BadInput(f"{where}: choices is {str(cell)[:60]!r}, expected a list of 2 to 26 texts")
    choices = {str(label): " ".join(str(text).split()) for label, text in found.items()}
    if bad := next((label for label in choices if not _LABEL.fullmatch(label)), None):
        raise BadInput(f"{where}: a choice has the label {bad[:60]!r}, expected letters or digits")
    return choices


def asked(question: str, choices: dict[str, str]) -> str:
    """The question with its choices below, a line each."""
    return "\n".join([question, "", *(f"{label}. {text}" for label, text in choices.items())])


def label_of(gold: str, choices: dict[str, str]) -> str:
    """The label that `gold` is or whose choice has this text; `gold` itself where there is no such label."""
    if gold in choices:
        return gold
    meant = [label for label, text in choices.items() if text == " ".join(gold.split())]
    return meant[0] if len(meant) == 1 else gold


def _plain(cell: Any) -> Any:
    """Lists of Parquet and JSON in a CSV as lists."""
    if isinstance(cell, np.ndarray):
        return cell.tolist()
    if isinstance(cell, str):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell

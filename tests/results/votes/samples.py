"""Samples by question, for tests of curves."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd


def samples_of(
    answers: Mapping[str, Iterable[str | None]],
    setting: str = "100",
    tokens: Mapping[str, Sequence[int | None]] | None = None,
    **constants: object,
) -> pd.DataFrame:
    """Samples from answers by question: "r" is right, None unreadable, any other text wrong."""
    rows = [
        {"question_id": name, "sample": i, "answer": answer, "correct": answer == "r"}
        | ({"tokens": tokens[name][i]} if tokens else {})
        for name, given in answers.items()
        for i, answer in enumerate(given)
    ]
    constants = {"dataset": "d", "model": "m", "setting": setting, "decoding": "sample", **constants}
    return pd.DataFrame(rows).astype({"tokens": "Int64"} if tokens else {}).assign(**constants)
